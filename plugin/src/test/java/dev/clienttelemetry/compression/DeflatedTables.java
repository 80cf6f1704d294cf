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
            stream.head(257, 1);
            stream.codes();
            // A distance's word of 1 bit, and the end of the block.
            stream.put(0, 2);
        }
        return stream.end();
    }

    /** Returns a stream of one such block, whose head tells of so many words, up to 30 without any behind the least. */
    static byte[] block(int literals, int distances) {
        DeflatedTables stream = new DeflatedTables();
        stream.head(literals, distances);
        stream.codes();
        if (literals > 257) {
            stream.zeros(literals - 257);
        }
        stream.put(0, 1);
        if (distances > 1) {
            stream.zeros(distances - 1);
        }
        stream.put(0, 1);
        return stream.end();
    }

    private byte[] end() {
        put(3, 10);
        put(0, (Byte.SIZE - count) % Byte.SIZE);
        return bytes.toByteArray();
    }

    private void head(int literals, int distances) {
        put(0, 1);
        put(2, 2);
        put(literals - 257, 5);
        put(distances - 1, 5);
    }

    /** Up to the length of the word that ends the block. */
    private void codes() {
        // 18 lengths in the code for lengths: 1 bit for "18" and for "1".
        put(14, 4);
        put(1 << 6, 9);
        put(0, 42);
        put(1, 3);
        zeros(138);
        zeros(118);
        put(0, 1);
    }

    /** From 11 to 138 symbols without a word. */
    private void zeros(int times) {
        put(1 | times - 11 << 1, 8);
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
