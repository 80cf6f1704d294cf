/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Arrays;

/**
 * The series of one client instance with their cumulative state. A series is one row of eight longs in an array that is
 * filled from its start, found over an index of its identity; 64 bytes and an index entry instead of an object of about
 * twice that, and gone at once with its instance. Rows lie in the order in which the client sends its metrics, so that
 * the row after the last one found is nearly always the next.
 *
 * <p>The fields of a row are for {@link SumConverter}; times are unix nanoseconds, unsigned as in OTLP.
 */
final class SeriesTable {
    static final int ROW = 8;

    /** Identity, 128 bits. */
    static final int HASH_HIGH = 0;

    static final int HASH_LOW = 1;
    /** The start time of the sequence. */
    static final int SEQUENCE_START = 2;
    /** The end of the last interval that was added. */
    static final int LAST_TIME = 3;
    /** The time of the last point sent, 0 where none was. */
    static final int LAST_SENT = 4;
    /** The sum as last sent. */
    static final int SUM = 5;
    /** The sum of the deltas that were added while points were held back. */
    static final int HELD = 6;
    /** Bits, see the constants below. */
    static final int FLAGS = 7;

    /** {@link #SUM} and {@link #HELD} hold a double's bits, not an int. */
    static final long IS_DOUBLE = 1;
    /** Points are held back. */
    static final long IS_HOLDING = 2;
    /** The sequence's first point, and the zero before it, are still to be sent. */
    static final long ZERO_PENDING = 4;
    /** Since when points are held back: 40 bits of milliseconds of the converter's clock. */
    static final int HELD_SINCE_SHIFT = 3;

    static final long HELD_SINCE_MASK = (1L << 40) - 1;
    /** When a point of the series last came: 21 bits of minutes of the converter's clock. */
    static final int SEEN_SHIFT = 43;

    static final long SEEN_MASK = (1L << 21) - 1;

    private static final int FIRST_CAPACITY = 4;

    /** The rows. */
    long[] rows = {};

    /** Row numbers plus 1, 0 where a slot is free; its length is a power of two. */
    private int[] index = new int[FIRST_CAPACITY];

    private int size;
    /** The position in {@link #rows} after the row found last. */
    private int expected;

    int size() {
        return size;
    }

    /** Returns the bytes of memory that the table takes: this object of 32, two arrays with headers of 16 each. */
    long bytes() {
        return 32 + 16 + 8L * rows.length + 16 + 4L * index.length;
    }

    /** Returns the position of a series' row in {@link #rows}, -1 where the series is new. */
    int find(long hashHigh, long hashLow) {
        int at = expected;
        if (at < size * ROW && rows[at + HASH_HIGH] == hashHigh && rows[at + HASH_LOW] == hashLow) {
            expected = at + ROW;
            return at;
        }
        int mask = index.length - 1;
        for (int slot = (int) hashLow & mask; index[slot] != 0; slot = slot + 1 & mask) {
            at = (index[slot] - 1) * ROW;
            if (rows[at + HASH_HIGH] == hashHigh && rows[at + HASH_LOW] == hashLow) {
                expected = at + ROW;
                return at;
            }
        }
        return -1;
    }

    /** Adds a row for a series that is new; all but its identity is zero. Returns its position in {@link #rows}. */
    int add(long hashHigh, long hashLow) {
        int at = size * ROW;
        if (at == rows.length) {
            // By a fifth only: the memory bound per series holds for every size, not on average.
            int capacity = Math.max(size + FIRST_CAPACITY, size + size / 5);
            rows = Arrays.copyOf(rows, capacity * ROW);
        }
        size++;
        rows[at + HASH_HIGH] = hashHigh;
        rows[at + HASH_LOW] = hashLow;
        // Three quarters full at most.
        if (size * 4 > index.length * 3) {
            index = new int[index.length * 2];
            for (int row = 0; row < size; row++) {
                insert(row);
            }
        } else {
            insert(size - 1);
        }
        expected = at + ROW;
        return at;
    }

    /** Removes the series of which no point came for longer than some minutes of the converter's clock. */
    void removeUnseen(long now, long minutes) {
        int kept = 0;
        for (int row = 0; row < size; row++) {
            if (isSeen(row, now, minutes)) {
                kept++;
            }
        }
        if (kept == size) {
            return;
        }
        // What is given back counts for the bound on all series, so its memory goes too.
        long[] keptRows = new long[(kept + Math.max(FIRST_CAPACITY, kept / 5)) * ROW];
        int slots = FIRST_CAPACITY;
        while (kept * 4 > slots * 3) {
            slots *= 2;
        }
        int[] keptIndex = new int[slots];
        int next = 0;
        for (int row = 0; row < size; row++) {
            if (isSeen(row, now, minutes)) {
                System.arraycopy(rows, row * ROW, keptRows, next * ROW, ROW);
                next++;
            }
        }
        rows = keptRows;
        index = keptIndex;
        size = kept;
        expected = 0;
        for (int row = 0; row < size; row++) {
            insert(row);
        }
    }

    private boolean isSeen(int row, long now, long minutes) {
        long seen = rows[row * ROW + FLAGS] >>> SEEN_SHIFT;
        return (now - seen & SEEN_MASK) <= minutes;
    }

    private void insert(int row) {
        int mask = index.length - 1;
        int slot = (int) rows[row * ROW + HASH_LOW] & mask;
        while (index[slot] != 0) {
            slot = slot + 1 & mask;
        }
        index[slot] = row + 1;
    }
}
