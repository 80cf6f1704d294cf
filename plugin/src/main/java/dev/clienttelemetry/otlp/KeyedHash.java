/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.security.SecureRandom;

/**
 * SipHash-1-3 with 128 bits of result, under a key of this process. Identities of resources, metrics and series are such
 * hashes instead of content: 16 bytes each, however long a client makes its names, and since nobody outside knows the
 * key, no client can choose names that collide. The variant with one round per word and three at the end is the one that
 * hash tables of Rust, Ruby and Python use against the same attack.
 *
 * <p>A message is a sequence of words and of byte ranges; a range is padded with zeros to whole words, with its length in
 * the last word's top byte. For one thread: the result is left in {@link #high} and {@link #low}.
 */
final class KeyedHash {
    private final long key0;
    private final long key1;

    /** The last result. */
    long high;

    long low;

    KeyedHash(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    static KeyedHash withRandomKey() {
        SecureRandom random = new SecureRandom();
        return new KeyedHash(random.nextLong(), random.nextLong());
    }

    /** Hashes a word and a range under the process' key. */
    void hash(long word, byte[] bytes, int start, int end) {
        hash(key0, key1, word, 0, bytes, start, end, 0, 0);
    }

    /**
     * Hashes words and ranges under a key that is a result itself: so identities are chained from labels to resource to
     * scope to metric to point. The second range may be empty.
     */
    void hash(long k0, long k1, long word1, long word2, byte[] bytes, int start1, int end1, int start2, int end2) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL ^ 0xee;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;
        long m = word1;
        int start = start1;
        int end = end1;
        int at = start1;
        int rangesLeft = 3;
        while (true) {
            v3 ^= m;
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
            v0 ^= m;
            if (rangesLeft == 3) {
                m = word2;
                rangesLeft = 2;
            } else if (end - at >= 8) {
                m = Wire.fixed64(bytes, at);
                at += 8;
            } else if (rangesLeft == 2) {
                m = (long) (end - start) << 56 | Wire.tail(bytes, at, end);
                start = start2;
                at = start2;
                end = end2;
                rangesLeft = start2 == end2 ? 0 : 1;
            } else if (rangesLeft == 1) {
                m = (long) (end - start) << 56 | Wire.tail(bytes, at, end);
                at = end;
                rangesLeft = 0;
            } else {
                break;
            }
        }
        v2 ^= 0xee;
        for (int i = 0; i < 6; i++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
            if (i == 2) {
                low = v0 ^ v1 ^ v2 ^ v3;
                v1 ^= 0xdd;
            }
        }
        high = v0 ^ v1 ^ v2 ^ v3;
    }

    /**
     * Returns a quick 64-bit hash of a word and of the end of a range, where names of one client differ. Only good for
     * finding what is then compared byte by byte.
     */
    long quick(long word, byte[] bytes, int start, int end) {
        if (end - start >= 32) {
            long first = fold(Wire.fixed64(bytes, end - 32) ^ key0, Wire.fixed64(bytes, end - 24) ^ key1);
            long second = fold(Wire.fixed64(bytes, end - 16) ^ key1, Wire.fixed64(bytes, end - 8) ^ key0);
            return fold(first ^ word, second ^ end - start ^ key1);
        }
        long h = fold(key0 ^ word, key1);
        int at = start;
        for (; end - at >= 8; at += 8) {
            h = fold(h ^ Wire.fixed64(bytes, at), key1);
        }
        return fold(h ^ Wire.tail(bytes, at, end), key0 ^ end - start);
    }

    private static long fold(long a, long b) {
        return Math.multiplyHigh(a, b) ^ a * b;
    }
}
