/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

/**
 * A view of a string that counts how often a regular expression looks at a character, and stops the match by an
 * exception at a bound. {@link java.util.regex.Pattern} has no bound of its own, and backtracking can take time
 * exponential in the length of a string that a client chose. For one match on one thread.
 */
final class CountedText implements CharSequence {
    private final String text;
    private final long bound;
    private long steps;

    /** Thrown at the bound. Without a stack trace, which would cost more than the match. */
    static final class BoundExceededException extends RuntimeException {
        BoundExceededException(long bound) {
            super("more than " + bound + " steps", null, false, false);
        }
    }

    CountedText(String text, long bound) {
        this.text = text;
        this.bound = bound;
    }

    /** Returns how many characters have been looked at, repeats counted. */
    long steps() {
        return steps;
    }

    @Override
    public char charAt(int index) {
        if (++steps > bound) {
            throw new BoundExceededException(bound);
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
