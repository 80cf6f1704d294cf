/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

/** Text from outside as it may appear in a message or a log line: bounded, and control characters escaped. */
public final class Quoted {
    private static final int MAX_LENGTH = 120;

    private Quoted() {}

    /**
     * Returns a text fit for one line of a message.
     *
     * @param value any text, null too
     */
    public static String text(String value) {
        if (value == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder(Math.min(value.length(), MAX_LENGTH) + 16);
        for (int i = 0; i < value.length(); i++) {
            if (out.length() >= MAX_LENGTH) {
                return out.append("...").toString();
            }
            char c = value.charAt(i);
            switch (c) {
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.toString();
    }
}
