/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

/**
 * Finds what a push has shown already, by its 128-bit identity: a resource, a scope or a metric, numbered in the order of
 * their appearance. Linear probing over keys that no client can choose, see {@link KeyedHash}.
 */
final class IdentityIndex {
    private static final int SMALL = 64;
    private static final int LARGE = 1 << 14;
    /** An entry: the identity's two words, its number, and the push that has shown it. */
    private static final int ENTRY = 4;

    private static final int LOW = 1;
    private static final int NUMBER = 2;
    private static final int PUSH = 3;

    /** Counts pushes: entries of earlier ones are free, so that nothing need be cleared. */
    private long push = 1;

    private long[] entries = new long[SMALL * ENTRY];
    private int size;
    /** Where the identity that was looked for last is, or would be. */
    private int found;

    /** Returns the number under an identity, -1 where it is new. */
    int find(long high, long low) {
        long[] e = entries;
        int mask = e.length - 1;
        int at = (int) low * ENTRY & mask;
        while (e[at + PUSH] == push) {
            if (e[at] == high && e[at + LOW] == low) {
                found = at;
                return (int) e[at + NUMBER];
            }
            at = at + ENTRY & mask;
        }
        found = at;
        return -1;
    }

    /** Adds the identity that was looked for last and is new. */
    void add(long high, long low, int number) {
        size++;
        if (size * 2 * ENTRY > entries.length) {
            grow();
            find(high, low);
        }
        put(found, high, low, number);
    }

    /** Gives the identity that was looked for last and is there another number. */
    void replace(int number) {
        entries[found + NUMBER] = number;
    }

    /** Forgets everything; memory that an outsized push has taken goes too. */
    void clear() {
        if (entries.length > LARGE * ENTRY) {
            entries = new long[SMALL * ENTRY];
        }
        size = 0;
        push++;
    }

    private void put(int at, long high, long low, long number) {
        entries[at] = high;
        entries[at + LOW] = low;
        entries[at + NUMBER] = number;
        entries[at + PUSH] = push;
    }

    private void grow() {
        long[] before = entries;
        entries = new long[before.length * 2];
        for (int at = 0; at < before.length; at += ENTRY) {
            if (before[at + PUSH] == push) {
                find(before[at], before[at + LOW]);
                put(found, before[at], before[at + LOW], before[at + NUMBER]);
            }
        }
    }
}
