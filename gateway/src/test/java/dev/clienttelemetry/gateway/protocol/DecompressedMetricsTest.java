/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
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

    @Test
    void oneLz4FrameIsReadAndEmptyOnesWithoutEndAreRefused() throws Exception {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        try (LZ4FrameOutputStream out = new LZ4FrameOutputStream(frames)) {
            out.write(random(300));
        }
        assertThat(DecompressedMetrics.of(frames.toByteArray(), PushCompression.LZ4, LIMIT))
                .hasSize(300);
        for (int frame = 0; frame < 1_000; frame++) {
            new LZ4FrameOutputStream(frames).close();
        }
        assertThatThrownBy(() -> DecompressedMetrics.of(frames.toByteArray(), PushCompression.LZ4, LIMIT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("behind it");
    }

    @Test
    void emptyGzipMembersWithoutEndAreRefused() throws Exception {
        byte[] member = gzip(new byte[0]);
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        for (int i = 0; i < 50_000; i++) {
            members.write(member);
        }
        assertThatThrownBy(() -> DecompressedMetrics.of(members.toByteArray(), PushCompression.GZIP, LIMIT))
                .isInstanceOf(IOException.class);
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

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
