/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Bounds how many blocks compressed bytes have. A block that yields nothing costs its decoder up to 3 us for 16 bytes of
 * input (zstd, with new tables for each): 1 MiB of them is 200 ms, two hundred times what a real payload takes. Walks the
 * blocks' heads only. Stateless and thread-safe.
 */
public final class BlockBound {
    /**
     * Compressors make blocks of 32 KiB and more, zstd's splitter down to 670 bytes, and one at each flush: half a KiB is
     * below all of them.
     */
    private static final int LEAST_BLOCK_BYTES = 512;

    private static final int ALWAYS_ALLOWED = 64;

    private static final int ZSTD_MAGIC = 0xfd2fb528;
    private static final int ZSTD_SINGLE_SEGMENT = 0x20;
    private static final int ZSTD_CHECKSUM = 0x04;
    private static final int ZSTD_RLE = 1;

    private static final int LZ4_MAGIC = 0x184d2204;
    private static final int LZ4_BLOCK_CHECKSUM = 0x10;
    private static final int LZ4_CONTENT_SIZE = 0x08;
    private static final int LZ4_CONTENT_CHECKSUM = 0x04;
    private static final int LZ4_DICTIONARY = 0x01;

    private final ByteBuffer bytes;
    private final String codec;
    private int left;

    private BlockBound(String codec, byte[] bytes, int maxBytes) {
        this.codec = codec;
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.left = blocks(maxBytes);
    }

    /**
     * Returns how many blocks bytes may have.
     *
     * @param maxBytes how many bytes they may decompress to
     */
    public static int blocks(int maxBytes) {
        return ALWAYS_ALLOWED + maxBytes / LEAST_BLOCK_BYTES;
    }

    /**
     * Returns whether a zstd frame (RFC 8878, 3.1.1) keeps to the bound. One that decompresses to far more than it may, as
     * a bomb does, may not.
     *
     * @param compressed the frame
     * @param maxBytes how many bytes it may decompress to
     * @throws IOException where the bytes are not one frame, which is what every client sends
     */
    public static boolean holdsForZstd(byte[] compressed, int maxBytes) throws IOException {
        try {
            return new BlockBound("zstd", compressed, maxBytes).zstd();
        } catch (BufferUnderflowException e) {
            throw new IOException("a zstd frame without its end", e);
        }
    }

    private boolean zstd() throws IOException {
        if (bytes.getInt() != ZSTD_MAGIC) {
            throw new IOException("no zstd frame");
        }
        int descriptor = bytes.get();
        boolean singleSegment = (descriptor & ZSTD_SINGLE_SEGMENT) != 0;
        int sizeFlag = descriptor >> 6 & 3;
        int dictionaryFlag = descriptor & 3;
        skip(singleSegment ? 0 : 1);
        skip(dictionaryFlag == 3 ? 4 : dictionaryFlag);
        skip(sizeFlag == 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag);
        boolean last = false;
        while (!last) {
            if (left-- == 0) {
                return false;
            }
            int head = (bytes.getShort() & 0xffff) | (bytes.get() & 0xff) << 16;
            last = (head & 1) != 0;
            skip((head >> 1 & 3) == ZSTD_RLE ? 1 : head >> 3);
        }
        skip((descriptor & ZSTD_CHECKSUM) == 0 ? 0 : Integer.BYTES);
        end();
        return true;
    }

    /**
     * Returns whether an lz4 frame keeps to the bound. One that decompresses to far more than it may, as a bomb does, may
     * not.
     *
     * @param compressed the frame
     * @param maxBytes how many bytes it may decompress to
     * @throws IOException where the bytes are not one frame, which is what every client sends
     */
    public static boolean holdsForLz4(byte[] compressed, int maxBytes) throws IOException {
        try {
            return new BlockBound("lz4", compressed, maxBytes).lz4();
        } catch (BufferUnderflowException e) {
            throw new IOException("an lz4 frame without its end", e);
        }
    }

    private boolean lz4() throws IOException {
        if (bytes.getInt() != LZ4_MAGIC) {
            throw new IOException("no lz4 frame");
        }
        int flags = bytes.get();
        skip(1);
        skip((flags & LZ4_CONTENT_SIZE) == 0 ? 0 : Long.BYTES);
        skip((flags & LZ4_DICTIONARY) == 0 ? 0 : Integer.BYTES);
        skip(1);
        int blockChecksum = (flags & LZ4_BLOCK_CHECKSUM) == 0 ? 0 : Integer.BYTES;
        for (int size = bytes.getInt(); size != 0; size = bytes.getInt()) {
            if (left-- == 0) {
                return false;
            }
            // The upper bit says that the block is stored as it is.
            skip((size & Integer.MAX_VALUE) + (long) blockChecksum);
        }
        skip((flags & LZ4_CONTENT_CHECKSUM) == 0 ? 0 : Integer.BYTES);
        end();
        return true;
    }

    private void skip(long count) {
        if (count > bytes.remaining()) {
            throw new BufferUnderflowException();
        }
        bytes.position(bytes.position() + (int) count);
    }

    private void end() throws IOException {
        if (bytes.hasRemaining()) {
            throw new IOException(codec + ": one frame with " + bytes.remaining() + " bytes behind it");
        }
    }
}
