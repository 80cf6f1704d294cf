/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.Objects;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * One condition of a subscription: an attribute and a regular expression ({@link Pattern}'s syntax) that must match the
 * attribute's whole value. Immutable and thread-safe; two selectors are equal when attribute and expression are.
 *
 * <p>A match is bounded to {@value #MAX_STEPS} looks at a character and by the thread's stack: beyond either the value
 * does not match. Apache Kafka has no such bound.
 */
public final class MatchSelector {
    /**
     * The most characters that one match may look at, repeats counted: a few milliseconds at worst. Enough for an
     * expression whose work grows with the square of a client id of 300 characters.
     */
    public static final int MAX_STEPS = 100_000;

    private final ClientAttribute attribute;
    private final String regex;
    private final Pattern pattern;

    /** What holding a selector against a value came to. */
    public enum Outcome {
        /** The whole value matches. */
        MATCH,
        /** The value does not match. */
        NO_MATCH,
        /** The host does not know the attribute, so the selector does not match. */
        UNKNOWN_VALUE,
        /** The step bound or the stack ended the match, so the selector does not match. */
        BOUND_EXCEEDED
    }

    /**
     * Creates a selector.
     *
     * @param attribute what to look at
     * @param regex the regular expression
     * @throws PatternSyntaxException if the expression is not one
     */
    public MatchSelector(ClientAttribute attribute, String regex) {
        this.attribute = Objects.requireNonNull(attribute);
        this.regex = regex;
        this.pattern = Pattern.compile(regex);
    }

    /** Returns the attribute that the selector looks at. */
    public ClientAttribute attribute() {
        return attribute;
    }

    /** Returns the regular expression. */
    public String regex() {
        return regex;
    }

    Pattern pattern() {
        return pattern;
    }

    /**
     * Returns whether the client's attribute matches; false where it is unknown or the step bound is exceeded.
     *
     * @param client the client
     */
    public boolean matches(ClientAttributes client) {
        return test(client) == Outcome.MATCH;
    }

    /**
     * Holds the selector against a client.
     *
     * @param client the client
     * @return what it came to
     */
    public Outcome test(ClientAttributes client) {
        return test(client.value(attribute), MAX_STEPS);
    }

    Outcome test(String value, long maxSteps) {
        if (value == null) {
            return Outcome.UNKNOWN_VALUE;
        }
        try {
            return pattern.matcher(new CountedText(value, maxSteps)).matches() ? Outcome.MATCH : Outcome.NO_MATCH;
        } catch (CountedText.BoundExceededException | StackOverflowError e) {
            // Groups under a quantifier recurse per character: a long value ends the stack before the step bound.
            return Outcome.BOUND_EXCEEDED;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MatchSelector selector
                && selector.attribute == attribute
                && selector.regex.equals(regex);
    }

    @Override
    public int hashCode() {
        return Objects.hash(attribute, regex);
    }

    /** Returns the selector as an entry of Kafka's {@code match}. */
    @Override
    public String toString() {
        return attribute.key() + "=" + regex;
    }
}
