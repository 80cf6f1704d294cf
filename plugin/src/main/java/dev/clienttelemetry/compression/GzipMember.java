/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses one gzip member (RFC 1952), which is what every client sends. The JDK's stream goes on to the next member,
 * by calling itself, so that 1 MiB of members with a byte or none takes seven times what a real payload does, or the
 * stack. Bounds the blocks that bring codes of their own, too: 1 MiB of them takes 62 ms. Stateless and thread-safe.
 */
public final class GzipMember {
    private static final int HEAD_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int DEFLATE = 8;

    private static final int HEAD_CHECKSUM = 0x02;
    private static final int EXTRA = 0x04;
    private static final int NAME = 0x08;
    private static final int COMMENT = 0x10;
    private static final int RESERVED = 0xe0;

    private GzipMember() {}

    /**
     * Decompresses, holding never more than the bound.
     *
     * @param compressed the member
     * @param maxBytes the bound
     * @return what it decompresses to, or null where that is more than the bound, or it has more blocks with codes of their
     *     own than bytes within the bound take
     * @throws IOException where the bytes are not one sound gzip member
     */
    public static byte[] decompress(byte[] compressed, int maxBytes) throws IOException {
        int start = contents(compressed);
        if (DeflateBlocks.couldBeTooMany(compressed.length - start, maxBytes)
                && !DeflateBlocks.areBounded(compressed, start, maxBytes)) {
            return null;
        }
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(compressed, start, compressed.length - start);
            byte[] bytes = new byte[BoundedStream.firstGuess(compressed.length, maxBytes)];
            int length = 0;
            while (true) {
                if (length == bytes.length && length < maxBytes) {
                    bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, bytes.length * 2L));
                }
                int read;
                if (length == maxBytes) {
                    read = inflater.inflate(new byte[1]);
                    if (read > 0) {
                        return null;
                    }
                } else {
                    read = inflater.inflate(bytes, length, bytes.length - length);
                    length += read;
                }
                if (inflater.finished()) {
                    checkTrailer(compressed, inflater.getRemaining(), bytes, length);
                    return Arrays.copyOf(bytes, length);
                }
                if (read == 0) {
                    throw new IOException("gzip: the end is missing");
                }
            }
        } catch (DataFormatException e) {
            throw new IOException("gzip: " + e.getMessage(), e);
        } finally {
            inflater.end();
        }
    }

    /** Returns where the compressed contents begin. */
    private static int contents(byte[] bytes) throws IOException {
        if (bytes.length < HEAD_BYTES
                || bytes[0] != 0x1f
                || bytes[1] != (byte) 0x8b
                || bytes[2] != DEFLATE
                || (bytes[3] & RESERVED) != 0) {
            throw new IOException("no gzip member");
        }
        int flags = bytes[3];
        int at = HEAD_BYTES;
        if ((flags & EXTRA) != 0) {
            if (at + 2 > bytes.length) {
                throw new IOException("gzip: the head runs past the end");
            }
            at += 2 + (bytes[at] & 0xff | (bytes[at + 1] & 0xff) << 8);
        }
        for (int text = flags & (NAME | COMMENT); text != 0; text &= text - 1) {
            while (at < bytes.length && bytes[at] != 0) {
                at++;
            }
            at++;
        }
        at += (flags & HEAD_CHECKSUM) == 0 ? 0 : 2;
        if (at > bytes.length) {
            throw new IOException("gzip: the head runs past the end");
        }
        return at;
    }

    private static void checkTrailer(byte[] compressed, int remaining, byte[] bytes, int length) throws IOException {
        if (remaining != TRAILER_BYTES) {
            throw new IOException(
                    remaining < TRAILER_BYTES
                            ? "gzip: the end is missing"
                            : "gzip: one member with " + (remaining - TRAILER_BYTES) + " bytes behind it");
        }
        ByteBuffer trailer = ByteBuffer.wrap(compressed, compressed.length - TRAILER_BYTES, TRAILER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        CRC32 checksum = new CRC32();
        checksum.update(bytes, 0, length);
        if (trailer.getInt() != (int) checksum.getValue() || trailer.getInt() != length) {
            throw new IOException("gzip: checksum or length is another");
        }
    }
}
