/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

/** What another program says, made fit for one line of a log: bounded, and nothing in it that steers a terminal. */
final class ForeignText {
    private static final int MAX_LENGTH = 300;

    private ForeignText() {}

    /** Returns the text in at most 300 characters and an ellipsis, with control characters escaped; empty for null. */
    static String oneLine(String text) {
        if (text == null) {
            return "";
        }
        StringBuilder line = new StringBuilder(Math.min(text.length(), MAX_LENGTH) + 16);
        int i = 0;
        while (i < text.length() && line.length() < MAX_LENGTH) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.SURROGATE,
                        Character.PRIVATE_USE,
                        Character.UNASSIGNED -> {
                    if (c == '\n' || c == '\r' || c == '\t') {
                        line.append(' ');
                    } else {
                        line.append(String.format("\\u%04x", c));
                    }
                }
                default -> line.appendCodePoint(c);
            }
        }
        if (i < text.length()) {
            line.append("...");
        }
        return line.toString().strip();
    }
}
