/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.xerial.snappy.Snappy;

/**
 * Takes the compression off a push, up to a limit: what a client sends may grow a thousandfold.
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

    /** The payload grows beyond the limit. */
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
     * @throws TooLargeException as soon as the limit is passed
     * @throws IOException for bytes that are not of that compression
     */
    static byte[] of(byte[] pushed, PushCompression compression, int maxBytes) throws TooLargeException, IOException {
        try {
            return switch (compression) {
                case NONE -> pushed;
                case GZIP -> read(new GZIPInputStream(new ByteArrayInputStream(pushed)), pushed.length, maxBytes);
                case LZ4 -> lz4(pushed, maxBytes);
                case ZSTD -> read(zstd(pushed), pushed.length, maxBytes);
                case SNAPPY -> snappy(pushed, maxBytes);
            };
        } catch (RuntimeException | Error e) {
            // The libraries throw unchecked exceptions too, a native one may be missing for this platform, and gzip's
            // stream goes from one member to the next by calling itself.
            throw new IOException(compression + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads one frame, which is what every client's serializer writes. The stream allocates its blocks anew for each frame,
     * so that a push of empty ones would take minutes and yield nothing that the limit could see.
     */
    private static byte[] lz4(byte[] pushed, int maxBytes) throws TooLargeException, IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(pushed);
        byte[] bytes = read(new LZ4FrameInputStream(in, true), pushed.length, maxBytes);
        if (in.available() > 0) {
            throw new IOException("an lz4 frame with " + in.available() + " bytes behind it");
        }
        return bytes;
    }

    private static InputStream zstd(byte[] pushed) throws IOException {
        ZstdInputStreamNoFinalizer in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(pushed));
        in.setLongMax(ZSTD_MAX_WINDOW_LOG);
        return in;
    }

    private static byte[] read(InputStream decompressing, int pushedBytes, int maxBytes)
            throws TooLargeException, IOException {
        byte[] bytes = new byte[(int) Math.min(Math.max(FIRST_BYTES, 4L * pushedBytes), maxBytes)];
        int length = 0;
        try (InputStream in = decompressing) {
            while (true) {
                if (length == maxBytes) {
                    if (in.read() >= 0) {
                        throw new TooLargeException();
                    }
                    return Arrays.copyOf(bytes, length);
                }
                if (length == bytes.length) {
                    bytes = Arrays.copyOf(bytes, (int) Math.min(2L * bytes.length, maxBytes));
                }
                int read = in.read(bytes, length, bytes.length - length);
                if (read < 0) {
                    return Arrays.copyOf(bytes, length);
                }
                length += read;
            }
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
        try {
            while (in.hasRemaining()) {
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
