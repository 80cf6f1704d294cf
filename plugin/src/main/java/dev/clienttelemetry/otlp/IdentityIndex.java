/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Arrays;

/**
 * Finds what a push has shown already, by its 128-bit identity: a resource, a scope or a metric, numbered in the order of
 * their appearance. Linear probing over keys that no client can choose, see {@link KeyedHash}.
 */
final class IdentityIndex {
    private static final int SMALL = 512;
    private static final int LARGE = 1 << 14;

    private long[] keys = new long[SMALL * 2];
    /** The number at a slot plus 1, 0 where the slot is free. */
    private int[] numbers = new int[SMALL];

    private int size;

    /** Returns the number under an identity, -1 where it is new. */
    int find(long high, long low) {
        int mask = numbers.length - 1;
        for (int slot = (int) low & mask; numbers[slot] != 0; slot = slot + 1 & mask) {
            if (keys[slot * 2] == high && keys[slot * 2 + 1] == low) {
                return numbers[slot] - 1;
            }
        }
        return -1;
    }

    /** Adds an identity that is new. */
    void add(long high, long low, int number) {
        if (size * 2 >= numbers.length) {
            grow();
        }
        size++;
        insert(high, low, number + 1);
    }

    /** Forgets everything; memory that an outsized push has taken goes too. */
    void clear() {
        if (numbers.length > LARGE) {
            keys = new long[SMALL * 2];
            numbers = new int[SMALL];
        } else {
            Arrays.fill(numbers, 0);
        }
        size = 0;
    }

    private void insert(long high, long low, int value) {
        int mask = numbers.length - 1;
        int slot = (int) low & mask;
        while (numbers[slot] != 0) {
            slot = slot + 1 & mask;
        }
        keys[slot * 2] = high;
        keys[slot * 2 + 1] = low;
        numbers[slot] = value;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldNumbers = numbers;
        keys = new long[oldKeys.length * 2];
        numbers = new int[oldNumbers.length * 2];
        for (int slot = 0; slot < oldNumbers.length; slot++) {
            if (oldNumbers[slot] != 0) {
                insert(oldKeys[slot * 2], oldKeys[slot * 2 + 1], oldNumbers[slot]);
            }
        }
    }
}
