/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import java.io.ByteArrayOutputStream;

/** Makes deflate streams of blocks that bring codes of their own and yield nothing, in the fewest bits. */
final class DeflatedTables {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int present;
    private int count;

    private DeflatedTables() {}

    /** Returns a stream of so many such blocks and an empty one with the fixed codes. */
    static byte[] blocks(int count) {
        DeflatedTables stream = new DeflatedTables();
        for (int i = 0; i < count; i++) {
            stream.block();
        }
        stream.put(3, 10);
        stream.put(0, (Byte.SIZE - stream.count) % Byte.SIZE);
        return stream.bytes.toByteArray();
    }

    private void block() {
        put(0, 1);
        put(2, 2);
        // 257 words of literals, 1 of distances, 18 lengths in the code for lengths: 1 bit for "18" and for "1".
        put(0, 5);
        put(0, 5);
        put(14, 4);
        put(1 << 6, 9);
        put(0, 42);
        put(1, 3);
        // 138 and 118 times zero, then 1 for the end of the block and 1 for a distance; the end of the block.
        put(1 | 127 << 1, 8);
        put(1 | 107 << 1, 8);
        put(0, 3);
    }

    /** Bits from the lowest of each byte on. */
    private void put(int value, int bits) {
        for (int i = 0; i < bits; i++) {
            present |= (value >> i & 1) << count;
            if (++count == Byte.SIZE) {
                bytes.write(present);
                present = 0;
                count = 0;
            }
        }
    }
}
