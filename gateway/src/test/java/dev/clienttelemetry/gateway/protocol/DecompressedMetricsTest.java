/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyOutputStream;

class DecompressedMetricsTest {
    private static final int LIMIT = 1_000_000;

    @Test
    void exactlyTheLimitIsAllowedAndOneMoreIsNot() throws Exception {
        assertThat(DecompressedMetrics.of(gzip(new byte[LIMIT]), PushCompression.GZIP, LIMIT))
                .hasSize(LIMIT);
        byte[] bomb = gzip(new byte[LIMIT + 1]);
        assertThatThrownBy(() -> DecompressedMetrics.of(bomb, PushCompression.GZIP, LIMIT))
                .isInstanceOf(DecompressedMetrics.TooLargeException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = PushCompression.class,
            names = {"GZIP", "LZ4", "ZSTD"})
    void oneFrameIsReadAndAnotherBehindItRefused(PushCompression compression) throws Exception {
        byte[] bytes = random(70_000);
        byte[] frame = compress(compression, bytes, bytes.length);
        assertThat(DecompressedMetrics.of(frame, compression, LIMIT)).isEqualTo(bytes);

        byte[] empty = compress(compression, new byte[0], 1);
        byte[] two = Arrays.copyOf(frame, frame.length + empty.length);
        System.arraycopy(empty, 0, two, frame.length, empty.length);
        assertThatThrownBy(() -> DecompressedMetrics.of(two, compression, LIMIT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(empty.length + " bytes behind it");
    }

    @ParameterizedTest
    @EnumSource(
            value = PushCompression.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE"})
    void aClientThatFlushesEveryKilobyteIsRead(PushCompression compression) throws Exception {
        byte[] bytes = random(LIMIT);

        assertThat(DecompressedMetrics.of(compress(compression, bytes, 1024), compression, LIMIT))
                .isEqualTo(bytes);
    }

    @Test
    void blocksThatYieldNothingAreBounded() throws Exception {
        // As large as a push may be: 200 ms of CPU time for zstd, without a bound.
        byte[] lz4Head = Arrays.copyOf(compress(PushCompression.LZ4, new byte[0], 1), 7);
        byte[] zstdHead = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0x58};
        byte[] snappyHead = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1};
        assertTooManyBlocks(PushCompression.LZ4, lz4Head, new byte[] {1, 0, 0, 0, 0}, new byte[4]);
        assertTooManyBlocks(PushCompression.ZSTD, zstdHead, new byte[] {0, 0, 0}, new byte[] {1, 0, 0});
        assertTooManyBlocks(PushCompression.SNAPPY, snappyHead, new byte[] {0, 0, 0, 1, 0}, new byte[0]);
        assertTooManyBlocks(PushCompression.SNAPPY, snappyHead, snappyHead, new byte[0]);
    }

    private static void assertTooManyBlocks(PushCompression compression, byte[] head, byte[] block, byte[] end)
            throws Exception {
        int most = 64 + LIMIT / 512;
        assertThat(DecompressedMetrics.of(blocks(head, block, most, end), compression, LIMIT))
                .isEmpty();
        assertThatThrownBy(() -> DecompressedMetrics.of(blocks(head, block, most + 1, end), compression, LIMIT))
                .isInstanceOf(DecompressedMetrics.TooLargeException.class);
    }

    private static byte[] blocks(byte[] head, byte[] block, int count, byte[] end) {
        ByteBuffer bytes = ByteBuffer.allocate(head.length + count * block.length + end.length);
        bytes.put(head);
        // An end of zstd is a block too.
        for (int i = end.length == 3 ? 1 : 0; i < count; i++) {
            bytes.put(block);
        }
        return Arrays.copyOf(bytes.put(end).array(), bytes.position());
    }

    @Test
    void theWindowOfAZstdFrameIsBounded() throws Exception {
        // Empty, RFC 8878, 3.1.1.1.2: a window of 2 to the power of 10 and the upper five bits.
        byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 13 << 3, 1, 0, 0};
        assertThat(DecompressedMetrics.of(frame, PushCompression.ZSTD, LIMIT)).isEmpty();

        frame[5] = 14 << 3;
        assertThatThrownBy(() -> DecompressedMetrics.of(frame, PushCompression.ZSTD, LIMIT))
                .isInstanceOf(IOException.class);
    }

    @Test
    void theChunksOfASnappyStreamAreBoundedTogether() throws Exception {
        byte[] stream = compress(PushCompression.SNAPPY, new byte[LIMIT + 1], LIMIT + 1);

        assertThatThrownBy(() -> DecompressedMetrics.of(stream, PushCompression.SNAPPY, LIMIT))
                .isInstanceOf(DecompressedMetrics.TooLargeException.class);
    }

    @Test
    void aRawSnappyBlockIsReadToo() throws Exception {
        byte[] bytes = random(5_000);

        assertThat(DecompressedMetrics.of(Snappy.compress(bytes), PushCompression.SNAPPY, LIMIT))
                .isEqualTo(bytes);
    }

    @Test
    void joinedSnappyStreamsAreReadToTheEnd() throws Exception {
        byte[] first = random(70_000);
        byte[] second = random(300);
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : new byte[][] {first, second}) {
            try (SnappyOutputStream out = new SnappyOutputStream(joined)) {
                out.write(part);
            }
        }

        byte[] read = DecompressedMetrics.of(joined.toByteArray(), PushCompression.SNAPPY, LIMIT);

        assertThat(Arrays.copyOf(read, first.length)).isEqualTo(first);
        assertThat(Arrays.copyOfRange(read, first.length, read.length)).isEqualTo(second);
    }

    @Test
    void aSnappyChunkThatClaimsTwoGigabytesAllocatesNothing() {
        // The length of a block is its first varint: 0x7fffffff.
        byte[] block = {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7, 0};
        byte[] stream = ByteBuffer.allocate(26)
                .put(new byte[] {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1})
                .putInt(block.length)
                .put(block)
                .array();

        assertThatThrownBy(() -> DecompressedMetrics.of(block, PushCompression.SNAPPY, LIMIT))
                .isInstanceOf(DecompressedMetrics.TooLargeException.class);
        assertThatThrownBy(() -> DecompressedMetrics.of(stream, PushCompression.SNAPPY, LIMIT))
                .isInstanceOf(DecompressedMetrics.TooLargeException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = PushCompression.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE"})
    void whatIsNoSuchCompressionIsAnIoExceptionAndNothingElse(PushCompression compression) {
        Random random = new Random(7);
        byte[][] heads = {
            {},
            {0x1f, (byte) 0x8b, 8, 0},
            {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1},
            {4, 0x22, 0x4d, 0x18},
            {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd}
        };
        int refused = 0;
        for (int i = 0; i < 2_000; i++) {
            byte[] head = heads[i % heads.length];
            byte[] bytes = Arrays.copyOf(head, head.length + random.nextInt(60));
            for (int j = head.length; j < bytes.length; j++) {
                bytes[j] = (byte) random.nextInt();
            }
            try {
                DecompressedMetrics.of(bytes, compression, LIMIT);
            } catch (IOException | DecompressedMetrics.TooLargeException expected) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(1_500);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private static byte[] compress(PushCompression compression, byte[] bytes, int flushEvery) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out =
                switch (compression) {
                    case GZIP -> new GZIPOutputStream(compressed, true);
                    case LZ4 -> new LZ4FrameOutputStream(compressed);
                    case ZSTD -> new ZstdOutputStreamNoFinalizer(compressed);
                    default -> new SnappyOutputStream(compressed);
                }) {
            for (int at = 0; at < bytes.length; at += flushEvery) {
                out.write(bytes, at, Math.min(flushEvery, bytes.length - at));
                out.flush();
            }
        }
        return compressed.toByteArray();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
