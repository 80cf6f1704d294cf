/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.clienttelemetry.compression.BlockBound;
import dev.clienttelemetry.compression.BoundedStream;
import dev.clienttelemetry.compression.GzipMember;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.xerial.snappy.Snappy;

/**
 * Takes the compression off a push, up to a limit: what a client sends may grow a thousandfold, and may be made of parts
 * that cost much and yield nothing. Takes one gzip member, one frame of zstd or lz4, which is what clients send.
 *
 * <p>Uses the compression libraries that kafka-clients brings rather than its own classes over them. Those have moved
 * between Kafka's releases, and Kafka's snappy stream allocates whatever size a chunk claims to have.
 */
final class DecompressedMetrics {
    private static final int FIRST_BYTES = 16 * 1024;
    /** zstd windows above 8 MiB are refused; RFC 8878 asks decoders for no more, and levels up to 19 use no more. */
    private static final int ZSTD_MAX_WINDOW_LOG = 23;

    /** The head of xerial's snappy stream, 8 bytes of magic and two ints of versions. */
    private static final byte[] SNAPPY_MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};

    private static final int SNAPPY_HEAD_BYTES = 16;

    private DecompressedMetrics() {}

    /** The payload grows beyond the limit, or has more blocks than a payload within it takes. */
    static final class TooLargeException extends Exception {
        private static final long serialVersionUID = 1L;

        TooLargeException() {
            super(null, null, false, false);
        }
    }

    /**
     * Decompresses a payload.
     *
     * @param pushed the payload as pushed
     * @param compression what it is compressed with
     * @param maxBytes the most bytes it may have, decompressed
     * @throws TooLargeException as soon as the limit is passed; also for more blocks than a payload within it takes
     * @throws IOException for bytes that are not of that compression
     */
    static byte[] of(byte[] pushed, PushCompression compression, int maxBytes) throws TooLargeException, IOException {
        try {
            return switch (compression) {
                case NONE -> pushed;
                case GZIP -> bounded(GzipMember.decompress(pushed, maxBytes));
                case LZ4 -> {
                    bounded(BlockBound.holdsForLz4(pushed, maxBytes));
                    InputStream in = new LZ4FrameInputStream(new ByteArrayInputStream(pushed), true);
                    yield read(in, pushed.length, maxBytes);
                }
                case ZSTD -> {
                    bounded(BlockBound.holdsForZstd(pushed, maxBytes));
                    yield read(zstd(pushed), pushed.length, maxBytes);
                }
                case SNAPPY -> snappy(pushed, maxBytes);
            };
        } catch (RuntimeException | LinkageError e) {
            // The libraries throw unchecked exceptions too, and a native one may be missing for this platform.
            throw new IOException(compression + ": " + e.getMessage(), e);
        }
    }

    private static byte[] bounded(byte[] orTooLarge) throws TooLargeException {
        bounded(orTooLarge != null);
        return orTooLarge;
    }

    private static void bounded(boolean bounded) throws TooLargeException {
        if (!bounded) {
            throw new TooLargeException();
        }
    }

    private static InputStream zstd(byte[] pushed) throws IOException {
        ZstdInputStreamNoFinalizer in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(pushed));
        in.setLongMax(ZSTD_MAX_WINDOW_LOG);
        return in;
    }

    private static byte[] read(InputStream decompressing, int pushedBytes, int maxBytes)
            throws TooLargeException, IOException {
        try (InputStream in = decompressing) {
            return bounded(BoundedStream.read(in, pushedBytes, maxBytes));
        }
    }

    /** Reads either form that Kafka's clients send: xerial's stream of chunks, or one raw block. */
    private static byte[] snappy(byte[] pushed, int maxBytes) throws TooLargeException, IOException {
        if (!startsWithSnappyMagic(pushed, 0)) {
            byte[] bytes = new byte[within(maxBytes, Snappy.uncompressedLength(pushed))];
            Snappy.uncompress(pushed, 0, pushed.length, bytes, 0);
            return bytes;
        }
        byte[] bytes = new byte[(int) Math.min(Math.max(FIRST_BYTES, 4L * pushed.length), maxBytes)];
        int length = 0;
        ByteBuffer in = ByteBuffer.wrap(pushed);
        int left = 1 + BlockBound.blocks(maxBytes); // with the head
        try {
            while (in.hasRemaining()) {
                bounded(left-- > 0);
                // Streams may be joined, so a head may stand in place of a chunk.
                if (startsWithSnappyMagic(pushed, in.position())) {
                    in.position(Math.min(in.position() + SNAPPY_HEAD_BYTES, in.limit()));
                    continue;
                }
                int chunkBytes = in.getInt();
                if (chunkBytes < 0 || chunkBytes > in.remaining()) {
                    throw new IOException(
                            "a snappy chunk of " + chunkBytes + " bytes where " + in.remaining() + " are left");
                }
                int grown = Snappy.uncompressedLength(pushed, in.position(), chunkBytes);
                int total = within(maxBytes, (long) length + within(maxBytes, grown));
                if (total > bytes.length) {
                    bytes = Arrays.copyOf(bytes, (int) Math.min(Math.max(2L * bytes.length, total), maxBytes));
                }
                Snappy.uncompress(pushed, in.position(), chunkBytes, bytes, length);
                in.position(in.position() + chunkBytes);
                length = total;
            }
        } catch (BufferUnderflowException e) {
            throw new IOException("a snappy stream that ends within a chunk's length", e);
        }
        return Arrays.copyOf(bytes, length);
    }

    private static boolean startsWithSnappyMagic(byte[] bytes, int offset) {
        return bytes.length - offset >= SNAPPY_MAGIC.length
                && Arrays.equals(bytes, offset, offset + SNAPPY_MAGIC.length, SNAPPY_MAGIC, 0, SNAPPY_MAGIC.length);
    }

    private static int within(int maxBytes, long bytes) throws TooLargeException, IOException {
        if (bytes < 0) {
            throw new IOException("a snappy block of " + bytes + " bytes");
        }
        if (bytes > maxBytes) {
            throw new TooLargeException();
        }
        return (int) bytes;
    }
}
