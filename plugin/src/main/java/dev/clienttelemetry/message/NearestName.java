/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.message;

import java.util.Collection;
import java.util.Locale;

/**
 * Finds the known name that somebody most probably meant: one that begins with what was given, at least three characters,
 * or one that differs from it by few characters inserted, left out, replaced or swapped with their neighbour, the case of
 * letters ignored. Of those that are as near, the shortest.
 */
public final class NearestName {
    /** Longer is none that somebody has typed, and takes long to compare. */
    private static final int MAX_LENGTH = 128;

    private NearestName() {}

    /** Returns the nearest of the known names, null where none is near: more than a third of the characters differ. */
    public static String of(String name, Collection<String> known) {
        String nearest = null;
        int least = Math.max(2, name.length() / 3) + 1;
        if (name.length() > MAX_LENGTH) {
            return null;
        }
        for (String candidate : known) {
            boolean beginning = name.length() >= 3 && candidate.startsWith(name);
            if (!beginning && Math.abs(candidate.length() - name.length()) > least) {
                // So different in length that it is not worth the memory.
                continue;
            }
            int distance = beginning ? 1 : distance(name, candidate);
            if (distance < least || distance == least && nearest != null && candidate.length() < nearest.length()) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** Returns the known name that this one is a slip of, at most two characters away; null where it is known or none is. */
    public static String slipOf(String name, Collection<String> known) {
        if (known.contains(name)) {
            return null;
        }
        String nearest = of(name, known);
        return nearest != null && distance(name, nearest) <= 2 ? nearest : null;
    }

    /** Returns what to expect instead of an unknown name: the nearest known one, else what is known (at most ten). */
    public static String expected(String name, Collection<String> known) {
        String nearest = of(name, known);
        if (nearest != null) {
            return "'" + Quoted.text(nearest) + "'";
        }
        String some =
                String.join(", ", known.stream().limit(10).map(Quoted::text).toList());
        return (known.size() == 1 ? "" : "one of ") + some + (known.size() > 10 ? ", ..." : "");
    }

    private static int distance(String left, String right) {
        String a = left.toLowerCase(Locale.ROOT);
        String b = right.toLowerCase(Locale.ROOT);
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + cost);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
