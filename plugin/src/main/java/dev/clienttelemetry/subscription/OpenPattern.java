/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Finds expressions whose match a client can make very slow by the value it sends, by trying: values that repeat pieces
 * of the expression's own text and end in something that does not fit. What is found is certain; what is not found may be
 * open all the same.
 */
final class OpenPattern {
    /** Steps that one match may take: more than the square of {@link #LENGTH}, far less than its cube. */
    private static final long STEPS = 1_000_000;
    /** Repetitions to about this many characters. A client id may have 32,767, and then a square is a second. */
    private static final int LENGTH = 400;

    private static final int DEEP_LENGTH = 32_000;
    private static final int MAX_PIECES = 60;
    private static final int MAX_DEEP_PIECES = 20;
    private static final int MAX_PIECE_LENGTH = 40;

    private OpenPattern() {}

    /** Returns the value's piece that makes the match slow or exhausts the stack, null where none was found. */
    static String slowPiece(MatchSelector selector) {
        if (selector.attribute() == ClientAttribute.CLIENT_INSTANCE_ID
                || selector.attribute() == ClientAttribute.CLIENT_SOURCE_ADDRESS
                || selector.attribute() == ClientAttribute.CLIENT_SOURCE_PORT) {
            // The client cannot choose these at will, and they are short.
            return null;
        }
        if (!hasRepetition(selector.regex())) {
            return null;
        }
        for (String piece : pieces(selector.regex())) {
            String repeated = piece.repeat(Math.max(2, LENGTH / piece.length()));
            if (selector.test(repeated + "\u0001", STEPS) == MatchSelector.Outcome.BOUND_EXCEEDED
                    || selector.test(repeated, STEPS) == MatchSelector.Outcome.BOUND_EXCEEDED) {
                return piece;
            }
        }
        if (selector.regex().indexOf('(') >= 0) {
            for (String piece :
                    pieces(selector.regex()).stream().limit(MAX_DEEP_PIECES).toList()) {
                String deep = piece.repeat(DEEP_LENGTH / piece.length());
                // Far more steps than a match of this length needs that does not go astray.
                if (selector.test(deep, 20L * DEEP_LENGTH) == MatchSelector.Outcome.BOUND_EXCEEDED) {
                    return piece;
                }
            }
        }
        return null;
    }

    private static boolean hasRepetition(String regex) {
        return regex.chars().anyMatch(c -> c == '*' || c == '+' || c == '{');
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
