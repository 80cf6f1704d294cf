/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds expressions whose match a client can make very slow by the value it sends, by trying: values that come to a
 * repetition of the expression, stay in it for long and end in something that does not fit. What is found is certain, for
 * this JVM's {@link Pattern}; what is not found may be open all the same.
 */
final class OpenPattern {
    /** Steps that one match may take: more than the square of {@link #LENGTH}, far less than its cube. */
    private static final long STEPS = 1_000_000;
    /** Steps of all matches for one selector, a few tenths of a second. */
    private static final long ALL_STEPS = 20_000_000;
    /** Repetitions to about this many characters. A client id may have 32,767, and then a square is a second. */
    private static final int LENGTH = 400;

    /** What is exponential shows early, and some expressions take no longer text. */
    private static final int SHORT_LENGTH = 40;

    private static final int DEEP_LENGTH = 32_000;
    /** A match of this length that does not go astray needs far fewer. */
    private static final long DEEP_STEPS = 20L * DEEP_LENGTH;

    private static final int MAX_PIECES = 60;
    private static final int MAX_DEEP_PIECES = 20;
    private static final int MAX_PIECE_LENGTH = 40;

    private static final List<String> ANY_ENDS = List.of("\u0001", "", "\n");
    /** The broker takes software names and versions only of letters, digits, dots and hyphens, no dot or hyphen last. */
    private static final List<String> SOFTWARE_ENDS = List.of("", "-Z", ".0");

    /** As a broker makes them, and of one kind of character each, which a client can make. */
    static final List<String> INSTANCE_IDS = List.of(
            "6Vob0uS6RPqrN0FtDYlUiQ",
            "t2JxPK0cQqeYb7-d9uVn3A",
            "Zr_mH4sWT0-5fGk1aLpXvg",
            "qFEkYcVbSxOeHjNzMdTuIw",
            "aaaaaaaaaaaaaaaaaaaaaA",
            "AAAAAAAAAAAAAAAAAAAAAQ",
            "000000000000000000000A",
            "012345678901234567890g",
            "_____________________w",
            "---------------------Q");

    private static final List<String> ADDRESSES = List.of(
            "2001:db8:85a3:1319:8a2e:370:7344:17",
            "fd12:3456:789a:bcde:f012:3456:789a:bcde",
            "1111:1111:1111:1111:1111:1111:1111:1111",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "fe80:0:0:0:a00:27ff:fe4e:66a1%eth0",
            "0:0:0:0:0:0:0:1",
            "192.168.100.254",
            "172.131.114.233",
            "111.111.111.111",
            "10.0.0.7");

    private static final List<String> PORTS = List.of("54321", "65535", "11111", "9092");

    private final Pattern pattern;
    private final boolean software;
    private long stepsLeft = ALL_STEPS;

    private enum Outcome {
        ENDED,
        SLOW,
        NO_STACK
    }

    private OpenPattern(MatchSelector selector) {
        this.pattern = selector.pattern();
        this.software = selector.attribute() != ClientAttribute.CLIENT_ID;
    }

    /** Returns what a value may repeat, and after what, to make the match slow or exhaust the stack; null for none. */
    static PatternTree.Repeated slowPiece(MatchSelector selector) {
        if (!hasRepetition(selector.regex())) {
            return null;
        }
        return switch (selector.attribute()) {
            case CLIENT_ID, CLIENT_SOFTWARE_NAME, CLIENT_SOFTWARE_VERSION ->
                new OpenPattern(selector).slowPiece(selector.regex());
            // These are short, and hardly chosen by a client: ordinary ones must do to find a slow match.
            case CLIENT_INSTANCE_ID -> new OpenPattern(selector).slowValue(instanceIds(selector.regex()));
            case CLIENT_SOURCE_ADDRESS -> new OpenPattern(selector).slowValue(addresses(selector.regex()));
            case CLIENT_SOURCE_PORT -> new OpenPattern(selector).slowValue(PORTS);
        };
    }

    /** Whether the piece that is found is a whole value of the attribute, not something to repeat. */
    static boolean triesWholeValues(MatchSelector selector) {
        return switch (selector.attribute()) {
            case CLIENT_ID, CLIENT_SOFTWARE_NAME, CLIENT_SOFTWARE_VERSION -> false;
            case CLIENT_INSTANCE_ID, CLIENT_SOURCE_ADDRESS, CLIENT_SOURCE_PORT -> true;
        };
    }

    private static Set<String> instanceIds(String regex) {
        Set<String> ids = new LinkedHashSet<>(INSTANCE_IDS);
        for (PatternTree.Repeated repeated : repetitions(regex, PossibleMatch.BASE64)) {
            for (String id : INSTANCE_IDS) {
                String prefix = repeated.prefix();
                if (prefix.length() < id.length()) {
                    ids.add(prefix + id.substring(prefix.length()));
                    String repeating = prefix + repeated.piece().repeat(id.length());
                    ids.add(repeating.substring(0, id.length() - 1) + "A");
                }
            }
        }
        ids.removeIf(id -> !PossibleMatch.INSTANCE_ID.matcher(id).matches());
        return ids;
    }

    private static Set<String> addresses(String regex) {
        Set<String> addresses = new LinkedHashSet<>(ADDRESSES);
        for (PatternTree.Repeated repeated : repetitions(regex, PossibleMatch.ADDRESS_CHARACTERS)) {
            for (String address : ADDRESSES) {
                // All of its ends, of which one may make the prefix a whole address.
                for (int from = 0; from < address.length(); from++) {
                    addresses.add(repeated.prefix() + address.substring(from));
                }
            }
        }
        addresses.removeIf(address -> !PossibleMatch.ADDRESS.matcher(address).matches());
        return addresses;
    }

    private static Collection<PatternTree.Repeated> repetitions(String regex, String characters) {
        Set<Integer> alphabet = new LinkedHashSet<>();
        characters.chars().forEach(alphabet::add);
        return PatternTree.repetitions(regex, alphabet, false);
    }

    private PatternTree.Repeated slowValue(Collection<String> values) {
        for (String value : values) {
            if (match(value, STEPS) != Outcome.ENDED) {
                return new PatternTree.Repeated("", value);
            }
        }
        return null;
    }

    private PatternTree.Repeated slowPiece(String regex) {
        Set<PatternTree.Repeated> tries =
                new LinkedHashSet<>(PatternTree.repetitions(regex, alphabet(regex), !software));
        List<PatternTree.Repeated> repetitions = List.copyOf(tries);
        for (String piece : pieces(regex)) {
            tries.add(new PatternTree.Repeated("", piece));
        }
        // Repetitions next to each other take what the one or the other can.
        for (PatternTree.Repeated repetition : repetitions) {
            for (PatternTree.Repeated other : repetitions) {
                if (tries.size() < 3 * MAX_PIECES) {
                    tries.add(new PatternTree.Repeated(repetition.prefix(), other.piece()));
                }
            }
        }
        for (PatternTree.Repeated repeated : tries) {
            for (String end : software ? SOFTWARE_ENDS : ANY_ENDS) {
                if (match(repeated, SHORT_LENGTH, end, STEPS) != Outcome.ENDED
                        || match(repeated, LENGTH, end, STEPS) != Outcome.ENDED) {
                    return repeated;
                }
            }
        }
        if (regex.indexOf('(') >= 0) {
            for (PatternTree.Repeated repeated :
                    tries.stream().limit(MAX_DEEP_PIECES).toList()) {
                if (match(repeated, DEEP_LENGTH, software ? "-Z" : "", DEEP_STEPS) == Outcome.NO_STACK) {
                    return repeated;
                }
            }
        }
        return null;
    }

    private Outcome match(PatternTree.Repeated repeated, int length, String end, long maxSteps) {
        String piece = repeated.piece();
        String value = repeated.prefix() + piece.repeat(Math.max(2, length / piece.length())) + end;
        if (software && !PossibleMatch.SOFTWARE.matcher(value).matches()) {
            return Outcome.ENDED;
        }
        return match(value, maxSteps);
    }

    private Outcome match(String value, long maxSteps) {
        long bound = Math.min(maxSteps, stepsLeft);
        CountedText text = new CountedText(value, bound);
        try {
            pattern.matcher(text).matches();
            return Outcome.ENDED;
        } catch (CountedText.BoundExceededException e) {
            return bound == maxSteps ? Outcome.SLOW : Outcome.ENDED;
        } catch (StackOverflowError e) {
            return Outcome.NO_STACK;
        } finally {
            stepsLeft -= text.steps();
        }
    }

    private static boolean hasRepetition(String regex) {
        return regex.chars().anyMatch(c -> c == '*' || c == '+' || c == '{');
    }

    private Set<Integer> alphabet(String regex) {
        Set<Integer> alphabet = new LinkedHashSet<>();
        "a0-._ A".chars().forEach(alphabet::add);
        regex.codePoints().forEach(alphabet::add);
        for (int c = ' '; c < 127; c++) {
            alphabet.add(c);
        }
        "\t\n\u00e9\u0416\u4e2d".chars().forEach(alphabet::add);
        if (software) {
            alphabet.removeIf(c -> c > 'z' || c != '.' && c != '-' && !Character.isLetterOrDigit(c));
        }
        return alphabet;
    }

    private static Set<String> pieces(String regex) {
        Set<String> pieces = new LinkedHashSet<>();
        StringBuilder literal = new StringBuilder();
        for (int i = 0; i < regex.length(); i++) {
            char c = regex.charAt(i);
            if (Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == ' ' || c == '.') {
                literal.append(c);
            }
        }
        for (String common : new String[] {"a", "0", "-", ".", "_", " ", "A"}) {
            pieces.add(common);
        }
        for (String run : regex.split("[^A-Za-z0-9._ -]+")) {
            if (!run.isEmpty() && run.length() <= MAX_PIECE_LENGTH && pieces.size() < MAX_PIECES) {
                pieces.add(run);
            }
        }
        for (int length = 1; length <= 3; length++) {
            for (int i = 0; i + length <= literal.length() && pieces.size() < MAX_PIECES; i++) {
                pieces.add(literal.substring(i, i + length));
            }
        }
        return pieces;
    }
}
