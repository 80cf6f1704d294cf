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

    private long[] keys = new long[SMALL * 2];
    /** The number at a slot plus 1, 0 where the slot is free. */
    private int[] numbers = new int[SMALL];

    /** The slots that are taken: clearing costs what the push before took, not what the largest one did. */
    private int[] taken = new int[SMALL / 2];

    private int size;
    /** Where the identity that was looked for last would be. */
    private int free;

    /** Returns the number under an identity, -1 where it is new. */
    int find(long high, long low) {
        int[] n = numbers;
        long[] k = keys;
        int mask = n.length - 1;
        int slot = (int) low & mask;
        for (int number = n[slot]; number != 0; number = n[slot]) {
            if (k[slot * 2] == high && k[slot * 2 + 1] == low) {
                return number - 1;
            }
            slot = slot + 1 & mask;
        }
        free = slot;
        return -1;
    }

    /** Adds the identity that was looked for last and is new. */
    void add(long high, long low, int number) {
        if (size * 2 >= numbers.length) {
            grow();
            free = freeSlot(low);
        }
        taken[size++] = free;
        put(free, high, low, number + 1);
    }

    /** Forgets everything; memory that an outsized push has taken goes too. */
    void clear() {
        if (numbers.length > LARGE) {
            keys = new long[SMALL * 2];
            numbers = new int[SMALL];
            taken = new int[SMALL / 2];
        } else {
            for (int i = 0; i < size; i++) {
                numbers[taken[i]] = 0;
            }
        }
        size = 0;
    }

    private int freeSlot(long low) {
        int mask = numbers.length - 1;
        int slot = (int) low & mask;
        while (numbers[slot] != 0) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void put(int slot, long high, long low, int value) {
        keys[slot * 2] = high;
        keys[slot * 2 + 1] = low;
        numbers[slot] = value;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldNumbers = numbers;
        int[] oldTaken = taken;
        keys = new long[oldKeys.length * 2];
        numbers = new int[oldNumbers.length * 2];
        taken = new int[oldTaken.length * 2];
        for (int i = 0; i < size; i++) {
            int slot = oldTaken[i];
            taken[i] = freeSlot(oldKeys[slot * 2 + 1]);
            put(taken[i], oldKeys[slot * 2], oldKeys[slot * 2 + 1], oldNumbers[slot]);
        }
    }
}
