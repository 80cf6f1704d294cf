/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads what a stream decompresses to, up to a bound: few bytes may become a thousand times as many. */
public final class BoundedStream {
    private static final int FIRST_GUESS = 16 * 1024;

    private BoundedStream() {}

    /**
     * Reads a stream to its end, holding never more than the bound.
     *
     * @param decompressing the stream; stays the caller's to close
     * @param compressedBytes how many bytes it decompresses, for a guess at what they become
     * @param maxBytes the bound
     * @return what it yields, or null as soon as that is more than the bound
     * @throws IOException where the stream throws it
     */
    public static byte[] read(InputStream decompressing, int compressedBytes, int maxBytes) throws IOException {
        byte[] bytes = new byte[firstGuess(compressedBytes, maxBytes)];
        int length = 0;
        while (true) {
            if (length == bytes.length) {
                if (length == maxBytes) {
                    return decompressing.read() < 0 ? bytes : null;
                }
                bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, bytes.length * 2L));
            }
            int read = decompressing.read(bytes, length, bytes.length - length);
            if (read < 0) {
                return Arrays.copyOf(bytes, length);
            }
            length += read;
        }
    }

    /** Returns how many bytes to make room for at first: what payloads of clients become, and no more than the bound. */
    static int firstGuess(int compressedBytes, int maxBytes) {
        return (int) Math.min(maxBytes, Math.max(FIRST_GUESS, compressedBytes * 4L));
    }
}
