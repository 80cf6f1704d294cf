/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.message;

/**
 * Text from outside as it may appear in a message or a log line: bounded, and escaped where a character would not show,
 * end the line or turn the direction of what follows.
 */
public final class Quoted {
    private static final int MAX_LENGTH = 120;
    private static final int MAX_LINE_LENGTH = 300;

    private Quoted() {}

    /**
     * Returns a text fit for one line of a message, cut after {@value #MAX_LENGTH} characters or a few more.
     *
     * @param value any text, null too
     */
    public static String text(String value) {
        return text(value, MAX_LENGTH);
    }

    /**
     * Returns a whole text fit for one line; only for what is bounded already.
     *
     * @param value any text, null too
     */
    public static String whole(String value) {
        return text(value, Integer.MAX_VALUE);
    }

    /**
     * Returns what another program says in one line, cut after {@value #MAX_LINE_LENGTH} characters or a few more: its line
     * breaks and tabs are spaces.
     *
     * @param said what it says; null is nothing, which is empty
     */
    public static String line(String said) {
        if (said == null) {
            return "";
        }
        String line = said.length() > 2 * MAX_LINE_LENGTH ? said.substring(0, 2 * MAX_LINE_LENGTH) : said;
        return text(line.replace('\n', ' ').replace('\r', ' ').replace('\t', ' '), MAX_LINE_LENGTH)
                .strip();
    }

    private static String text(String value, int maxLength) {
        if (value == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder(Math.min(value.length(), maxLength) + 16);
        for (int i = 0; i < value.length(); ) {
            if (out.length() >= maxLength) {
                return out.append("...").toString();
            }
            int c = value.codePointAt(i);
            int next = i + Character.charCount(c);
            switch (c) {
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (shows(c)) {
                        out.appendCodePoint(c);
                    } else {
                        for (; i < next; i++) {
                            out.append(String.format("\\u%04x", (int) value.charAt(i)));
                        }
                    }
                }
            }
            i = next;
        }
        return out.toString();
    }

    private static boolean shows(int codePoint) {
        return switch (Character.getType(codePoint)) {
            // FORMAT has the marks that turn the direction of text, and those of no width.
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** Returns the index of a surrogate without its partner, which no encoding can carry; -1 where there is none. */
    public static int loneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return i;
            }
        }
        return -1;
    }
}
