/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.IntStream;

/**
 * A regular expression taken apart, as far as is needed to build texts that come to its repetitions and stay in them.
 * Approximate: what is built is tried on the expression itself, so that a misreading here finds less but nothing false.
 */
final class PatternTree {
    private static final int MAX_SAMPLES = 12;
    private static final int MAX_SAMPLE_LENGTH = 80;
    private static final int MAX_LEAVES = 100;
    private static final int MAX_REPETITIONS = 100;
    /** Where a set's characters are looked for that are not in the alphabet: all planes that have scripts and signs. */
    private static final int LAST_CHARACTER = 0x1FFFF;
    /** Each look takes some milliseconds. */
    private static final int MAX_LOOKS = 10;

    private final String regex;
    private final Map<String, Leaf> leaves = new LinkedHashMap<>();
    private final Set<Repeated> repetitions = new LinkedHashSet<>();
    private int at;

    /** A repetition: a text that leads to it, and one that it can match again and again. */
    record Repeated(String prefix, String piece) {}

    private sealed interface Node {}

    /** One character out of a set: a literal, a class, a predefined class. */
    private static final class Leaf implements Node {
        private final Pattern pattern;
        private final List<String> samples = new ArrayList<>();

        private Leaf(Pattern pattern) {
            this.pattern = pattern;
        }

        boolean has(int character) {
            return pattern.matcher(Character.toString(character)).matches();
        }
    }

    /** A text that stands for itself. */
    private record Text(String text) implements Node {}

    private record Sequence(List<Node> nodes) implements Node {}

    private record Alternatives(List<Node> nodes) implements Node {}

    private record Repeat(Node body, int least, boolean many) implements Node {}

    /** What matches at a place without taking anything, with what it looks at. */
    private record Look(Node body) implements Node {}

    private static final class NotUnderstoodException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotUnderstoodException() {
            super(null, null, false, false);
        }
    }

    private PatternTree(String regex) {
        this.regex = regex;
    }

    /**
     * Returns the repetitions of an expression with texts for them.
     *
     * @param regex the expression, which {@link Pattern} has accepted
     * @param alphabet the characters that texts are made of, besides the expression's own
     * @param any whether a set that has none of these may be given another one of its characters
     * @return the repetitions; empty where the expression is not understood
     */
    static Collection<Repeated> repetitions(String regex, Set<Integer> alphabet, boolean any) {
        PatternTree tree = new PatternTree(regex);
        try {
            Node root = tree.alternatives();
            if (tree.at < regex.length()) {
                return List.of();
            }
            tree.sampleLeaves(any ? tree.completed(alphabet) : alphabet);
            tree.visit(root, "");
            return tree.repetitions;
        } catch (NotUnderstoodException | PatternSyntaxException | StackOverflowError | IndexOutOfBoundsException e) {
            return tree.repetitions;
        }
    }

    private Node alternatives() {
        List<Node> branches = new ArrayList<>();
        branches.add(sequence());
        while (at < regex.length() && regex.charAt(at) == '|') {
            at++;
            branches.add(sequence());
        }
        return branches.size() == 1 ? branches.get(0) : new Alternatives(branches);
    }

    private Node sequence() {
        List<Node> nodes = new ArrayList<>();
        while (at < regex.length() && regex.charAt(at) != '|' && regex.charAt(at) != ')') {
            nodes.add(quantified(atom()));
        }
        return new Sequence(nodes);
    }

    private Node atom() {
        int start = at;
        char c = regex.charAt(at++);
        switch (c) {
            case '(' -> {
                return group();
            }
            case '[' -> {
                int depth = 1;
                while (depth > 0) {
                    char inside = regex.charAt(at++);
                    if (inside == '\\') {
                        at++;
                    } else if (inside == '[') {
                        depth++;
                    } else if (inside == ']') {
                        depth--;
                    }
                }
                return leaf(regex.substring(start, at));
            }
            case '^', '$' -> {
                return new Text("");
            }
            case '.' -> {
                return leaf(".");
            }
            case '\\' -> {
                return escape(start);
            }
            default -> {
                if (Character.isHighSurrogate(c) && at < regex.length() && Character.isLowSurrogate(regex.charAt(at))) {
                    at++;
                }
                return new Text(regex.substring(start, at));
            }
        }
    }

    private Node group() {
        boolean look = false;
        if (regex.startsWith("?", at)) {
            int start = ++at;
            if (regex.startsWith("<=", at) || regex.startsWith("<!", at)) {
                at += 2;
                look = true;
            } else if (regex.startsWith("=", at) || regex.startsWith("!", at)) {
                at++;
                look = true;
            } else if (regex.startsWith("<", at)) {
                at = regex.indexOf('>', at) + 1;
            } else if (regex.startsWith(">", at)) {
                at++;
            } else {
                while (regex.charAt(at) != ':' && regex.charAt(at) != ')') {
                    at++;
                }
                if (regex.substring(start, at).contains("x")) {
                    // White space and comments within the expression.
                    throw new NotUnderstoodException();
                }
                if (regex.charAt(at++) == ')') {
                    return new Text("");
                }
            }
        }
        Node body = alternatives();
        if (regex.charAt(at++) != ')') {
            throw new NotUnderstoodException();
        }
        return look ? new Look(body) : body;
    }

    private Node escape(int start) {
        char c = regex.charAt(at++);
        if (c == 'Q') {
            int end = regex.indexOf("\\E", at);
            String literal = regex.substring(at, end < 0 ? regex.length() : end);
            at = end < 0 ? regex.length() : end + 2;
            return new Text(literal);
        }
        if ("bBAGzZ".indexOf(c) >= 0) {
            if (regex.startsWith("{", at)) {
                at = regex.indexOf('}', at) + 1;
            }
            return new Text("");
        }
        if (c >= '1' && c <= '9' || c == 'k') {
            // What a group has matched: mostly not known here.
            if (c == 'k') {
                at = regex.indexOf('>', at) + 1;
            }
            return new Text("");
        }
        switch (c) {
            case 'p', 'P', 'N' -> at = regex.charAt(at) == '{' ? regex.indexOf('}', at) + 1 : at + 1;
            case 'x' -> at = regex.charAt(at) == '{' ? regex.indexOf('}', at) + 1 : at + 2;
            case 'u' -> at += 4;
            case 'c' -> at++;
            case '0' -> {
                for (int i = 0;
                        i < 3 && at < regex.length() && regex.charAt(at) >= '0' && regex.charAt(at) < '8';
                        i++) {
                    at++;
                }
            }
            default -> {
                // A character of its own.
            }
        }
        return leaf(regex.substring(start, at));
    }

    private Leaf leaf(String text) {
        Leaf known = leaves.get(text);
        if (known == null) {
            if (leaves.size() >= MAX_LEAVES) {
                throw new NotUnderstoodException();
            }
            known = new Leaf(Pattern.compile(text));
            leaves.put(text, known);
        }
        return known;
    }

    private Node quantified(Node atom) {
        Node node = atom;
        while (at < regex.length()) {
            char c = regex.charAt(at);
            int least;
            boolean many = true;
            if (c == '*') {
                least = 0;
            } else if (c == '+') {
                least = 1;
            } else if (c == '?') {
                least = 0;
                many = false;
            } else if (c == '{') {
                int end = regex.indexOf('}', at);
                String[] bounds = regex.substring(at + 1, end).split(",", -1);
                least = bound(bounds[0]);
                many = bounds.length > 1 && (bounds[1].isEmpty() || bound(bounds[1]) > 2);
                at = end;
            } else {
                return node;
            }
            at++;
            if (at < regex.length() && (regex.charAt(at) == '?' || regex.charAt(at) == '+')) {
                at++;
            }
            node = new Repeat(node, least, many);
        }
        return node;
    }

    private static int bound(String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new NotUnderstoodException();
        }
    }

    /** Returns the alphabet with one character for each leaf that has none in it, such as those of another script. */
    private Set<Integer> completed(Set<Integer> alphabet) {
        Set<Integer> completed = new LinkedHashSet<>(alphabet);
        int looks = 0;
        for (Leaf leaf : leaves.values()) {
            boolean known = completed.stream().anyMatch(leaf::has);
            if (!known && looks++ < MAX_LOOKS) {
                IntStream.rangeClosed(0, LAST_CHARACTER)
                        .filter(c ->
                                Character.isDefined(c) && (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE))
                        .filter(leaf::has)
                        .findFirst()
                        .ifPresent(completed::add);
            }
        }
        return completed;
    }

    /** Gives every leaf one character of each kind that the expression tells apart. */
    private void sampleLeaves(Set<Integer> alphabet) {
        Set<Integer> characters = new LinkedHashSet<>(alphabet);
        Map<List<Boolean>, Integer> kinds = new LinkedHashMap<>();
        for (int c : characters) {
            List<Boolean> kind = new ArrayList<>();
            for (Leaf leaf : leaves.values()) {
                kind.add(leaf.has(c));
            }
            // The expression's literals are kinds of their own.
            kinds.putIfAbsent(kind, c);
        }
        Set<Integer> kept = new TreeSet<>(kinds.values());
        regex.codePoints()
                .filter(alphabet::contains)
                .filter(Character::isLetterOrDigit)
                .forEach(kept::add);
        for (Leaf leaf : leaves.values()) {
            for (int c : kept) {
                if (leaf.samples.size() < MAX_SAMPLES && leaf.has(c)) {
                    leaf.samples.add(Character.toString(c));
                }
            }
        }
    }

    private void visit(Node node, String prefix) {
        if (node instanceof Sequence sequence) {
            String before = prefix;
            for (Node part : sequence.nodes()) {
                visit(part, before);
                List<String> samples = samples(part);
                before = bounded(before + (samples.isEmpty() ? "" : samples.get(0)));
            }
        } else if (node instanceof Alternatives alternatives) {
            alternatives.nodes().forEach(branch -> visit(branch, prefix));
        } else if (node instanceof Look look) {
            visit(look.body(), prefix);
        } else if (node instanceof Repeat repeat) {
            if (repeat.many()) {
                for (String piece : samples(repeat.body())) {
                    if (!piece.isEmpty() && repetitions.size() < MAX_REPETITIONS) {
                        repetitions.add(new Repeated(prefix, piece));
                    }
                }
            }
            visit(repeat.body(), prefix);
        }
    }

    private static String bounded(String text) {
        return text.length() > 4 * MAX_SAMPLE_LENGTH ? "" : text;
    }

    /** Returns a few texts that a node matches, the shortest first. */
    private static List<String> samples(Node node) {
        Set<String> samples = new LinkedHashSet<>();
        if (node instanceof Text text) {
            samples.add(text.text());
        } else if (node instanceof Leaf leaf) {
            samples.addAll(leaf.samples);
        } else if (node instanceof Look) {
            samples.add("");
        } else if (node instanceof Alternatives alternatives) {
            for (Node branch : alternatives.nodes()) {
                samples.addAll(samples(branch));
            }
        } else if (node instanceof Repeat repeat) {
            List<String> bodies = samples(repeat.body());
            if (repeat.least() == 0) {
                samples.add("");
            }
            for (String body : bodies) {
                samples.add(body.repeat(Math.min(Math.max(1, repeat.least()), MAX_SAMPLE_LENGTH)));
            }
        } else if (node instanceof Sequence sequence) {
            samples.add("");
            for (Node part : sequence.nodes()) {
                Set<String> longer = new LinkedHashSet<>();
                List<String> parts = samples(part);
                // Each part's first with all of the others' first, then the rest, so that every part varies.
                for (String after : parts) {
                    for (String before : samples) {
                        if (longer.size() < MAX_SAMPLES) {
                            longer.add(before + after);
                        }
                    }
                }
                samples = longer;
            }
        }
        return samples.stream()
                .filter(sample -> sample.length() <= MAX_SAMPLE_LENGTH)
                .limit(MAX_SAMPLES)
                .toList();
    }
}
