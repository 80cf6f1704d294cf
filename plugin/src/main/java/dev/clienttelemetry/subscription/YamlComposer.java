/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Composes a YAML text into nodes with their places. Built on the parser's events, not on snakeyaml-engine's composer:
 * that one recurses as deep as the text is nested, and stops at the first duplicate key.
 */
final class YamlComposer {
    /** The deepest nesting; a subscriptions file needs five levels. */
    static final int MAX_DEPTH = 16;
    /** The most aliases ({@code *anchor}) in one text. */
    static final int MAX_ALIASES = 50;

    private final String file;
    private final SourceErrors errors;
    private final Map<String, YamlNode> anchors = new HashMap<>();
    private final Deque<Open> open = new ArrayDeque<>();
    private YamlNode root;
    private int documents;
    private int aliases;

    /** A collection whose end has not come yet. */
    private static final class Open {
        private final boolean mapping;
        private final List<YamlNode> items = new ArrayList<>();
        private final List<YamlNode.Entry> entries = new ArrayList<>();
        private final String anchor;
        private final int line;
        private final int column;
        private YamlNode key;

        private Open(boolean mapping, String anchor, int line, int column) {
            this.mapping = mapping;
            this.anchor = anchor;
            this.line = line;
            this.column = column;
        }
    }

    private static final class GivenUpException extends RuntimeException {
        GivenUpException() {
            super(null, null, false, false);
        }
    }

    private YamlComposer(String file, SourceErrors errors) {
        this.file = file;
        this.errors = errors;
    }

    /**
     * Composes a text.
     *
     * @param file the file's path, for errors
     * @param text the text, already bounded in length
     * @param errors gets what is wrong with the YAML itself
     * @return the root node, null where the text has none or is not YAML to its end
     */
    static YamlNode compose(String file, String text, SourceErrors errors) {
        return new YamlComposer(file, errors).compose(text);
    }

    private YamlNode compose(String text) {
        int control = firstControl(text);
        if (control >= 0) {
            // The reader tells it without its place.
            String before = text.substring(0, control);
            error(
                    (int) before.chars().filter(c -> c == '\n').count() + 1,
                    before.codePointCount(before.lastIndexOf('\n') + 1, control) + 1,
                    String.format("the control character U+%04X", text.codePointAt(control)),
                    "none; between double quotes an escape such as \\x1b stands for one");
            return null;
        }
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setUseMarks(true)
                .setCodePointLimit(Math.max(1, text.length() + 1))
                .build();
        try {
            for (Event event : new Parse(settings).parseString(text)) {
                take(event);
            }
            return root;
        } catch (GivenUpException e) {
            return null;
        } catch (MarkedYamlEngineException e) {
            Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
            String problem = e.getProblem() == null ? e.getMessage() : e.getProblem();
            error(
                    mark.map(m -> m.getLine() + 1).orElse(0),
                    mark.map(m -> m.getColumn() + 1).orElse(0),
                    "no YAML: " + Quoted.text(problem),
                    expected(e));
            return null;
        } catch (YamlEngineException e) {
            error(0, 0, "no YAML: " + Quoted.text(e.getMessage()), "YAML");
            return null;
        }
    }

    private static int firstControl(String text) {
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            if (!StreamReader.isPrintable(text.codePointAt(i))) {
                return i;
            }
        }
        return -1;
    }

    private static String expected(MarkedYamlEngineException e) {
        if (e.getContext() != null && e.getContext().contains("alias")) {
            return "a name after '*', or \"*\" in quotes where all metrics are meant";
        }
        return e.getProblem() != null && e.getProblem().contains("unknown escape character")
                ? "single quotes, which leave a backslash as it is, or two backslashes for one"
                : "YAML";
    }

    private void take(Event event) {
        int line = event.getStartMark().map(m -> m.getLine() + 1).orElse(0);
        int column = event.getStartMark().map(m -> m.getColumn() + 1).orElse(0);
        switch (event.getEventId()) {
            case DocumentStart -> {
                if (++documents > 1) {
                    throw givenUp(line, column, "a second document", "one document in a file; use several files");
                }
            }
            case Scalar -> {
                ScalarEvent scalar = (ScalarEvent) event;
                refuseTag(scalar.getTag(), line, column);
                refuseLoneSurrogate(scalar.getValue(), line, column);
                YamlNode node = new YamlNode.Scalar(
                        scalar.getValue(), scalar.getScalarStyle() == ScalarStyle.PLAIN, line, column);
                anchor(scalar, node);
                add(node, line, column);
            }
            case SequenceStart, MappingStart -> {
                if (open.size() >= MAX_DEPTH) {
                    throw givenUp(line, column, "more than " + MAX_DEPTH + " levels", "a list of subscriptions");
                }
                CollectionStartEvent start = (CollectionStartEvent) event;
                refuseTag(start.getTag(), line, column);
                String anchor = start.getAnchor().map(a -> a.getValue()).orElse(null);
                open.push(new Open(event.getEventId() == Event.ID.MappingStart, anchor, line, column));
            }
            case SequenceEnd, MappingEnd -> {
                Open ended = open.pop();
                YamlNode node = ended.mapping
                        ? new YamlNode.Mapping(List.copyOf(ended.entries), ended.line, ended.column)
                        : new YamlNode.Sequence(List.copyOf(ended.items), ended.line, ended.column);
                if (ended.anchor != null) {
                    anchors.put(ended.anchor, node);
                }
                add(node, ended.line, ended.column);
            }
            case Alias -> {
                String name = ((AliasEvent) event).getAlias().getValue();
                if (++aliases > MAX_ALIASES) {
                    throw givenUp(line, column, "more than " + MAX_ALIASES + " aliases", "fewer; write them out");
                }
                YamlNode node = anchors.get(name);
                if (node == null) {
                    throw givenUp(
                            line,
                            column,
                            "the alias '*" + Quoted.text(name) + "'",
                            "an anchor '&" + Quoted.text(name) + "' that ends before it; a text that starts with '*'"
                                    + " needs quotes");
                }
                add(node, line, column);
            }
            default -> {
                // Stream and document borders carry nothing.
            }
        }
    }

    private void anchor(NodeEvent event, YamlNode node) {
        event.getAnchor().ifPresent(anchor -> anchors.put(anchor.getValue(), node));
    }

    private void refuseTag(Optional<String> tag, int line, int column) {
        // "!" alone marks a quoted scalar as a string.
        if (tag.isPresent() && !tag.get().equals("!")) {
            error(line, column, "the tag '" + Quoted.text(tag.get()) + "'", "no tag");
        }
    }

    /** Only an escape can write one. Kafka would put '?' in its place, and this text and the cluster's differ for ever. */
    private void refuseLoneSurrogate(String text, int line, int column) {
        if (Quoted.loneSurrogate(text) >= 0) {
            error(line, column, SourceError.halfOfACharacter(text), SourceError.WHOLE_CHARACTERS);
        }
    }

    private void add(YamlNode node, int line, int column) {
        Open parent = open.peek();
        if (parent == null) {
            root = node;
        } else if (!parent.mapping) {
            parent.items.add(node);
        } else if (parent.key == null) {
            parent.key = node;
        } else {
            if (parent.key instanceof YamlNode.Scalar key) {
                parent.entries.add(new YamlNode.Entry(key, node));
            } else {
                error(parent.key.line(), parent.key.column(), parent.key.describe() + " as a key", "a text as a key");
            }
            parent.key = null;
        }
    }

    private GivenUpException givenUp(int line, int column, String found, String expected) {
        error(line, column, found, expected);
        return new GivenUpException();
    }

    private void error(int line, int column, String found, String expected) {
        errors.add(new SourceError(file, line, column, found, expected));
    }
}
