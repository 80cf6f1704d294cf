/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Frames by the book, written here: the compressors of the class path make a few of their forms only. */
class BlockBoundTest {
    private static final int MAX_BYTES = 10_000;
    private static final int MOST = 64 + MAX_BYTES / 512;
    private static final byte[] ZSTD_RAW_BLOCK = {2 << 3, 0, 0, 'a', 'b'};
    private static final byte[] ZSTD_RLE_BLOCK = {2, (byte) 0xff, (byte) 0xff, 'a'};
    private static final byte[] ZSTD_END = {1, 0, 0};
    private static final byte[] LZ4_STORED_BLOCK = {2, 0, 0, (byte) 0x80, 'a', 'b'};
    private static final byte[] LZ4_BLOCK = {3, 0, 0, 0, 0x20, 'a', 'b'};

    /** As {@link BlockBound}'s two methods. */
    private interface Bound {
        boolean holds(byte[] compressed, int maxBytes) throws IOException;
    }

    /** Frame header descriptor, RFC 8878, 3.1.1.1.1. */
    private static byte[] zstd(int descriptor, byte[]... blocks) {
        int singleSegment = descriptor >> 5 & 1;
        int[] contentSizeBytes = {singleSegment, 2, 4, 8};
        int[] dictionaryIdBytes = {0, 1, 2, 4};
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, (byte) descriptor});
        frame.writeBytes(new byte[1 - singleSegment + dictionaryIdBytes[descriptor & 3]]);
        frame.writeBytes(new byte[contentSizeBytes[descriptor >> 6 & 3]]);
        for (byte[] block : blocks) {
            frame.writeBytes(block);
        }
        frame.writeBytes(new byte[(descriptor & 4) == 0 ? 0 : 4]);
        return frame.toByteArray();
    }

    private static byte[] lz4(int flags, byte[]... blocks) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes(new byte[] {4, 0x22, 0x4d, 0x18, (byte) flags, 0x40});
        frame.writeBytes(new byte[((flags & 8) == 0 ? 0 : 8) + ((flags & 1) == 0 ? 0 : 4) + 1]);
        for (byte[] block : blocks) {
            frame.writeBytes(block);
            frame.writeBytes(new byte[(flags & 0x10) == 0 ? 0 : 4]);
        }
        frame.writeBytes(new byte[(flags & 4) == 0 ? 4 : 8]);
        return frame.toByteArray();
    }

    @Test
    void everyFormOfAZstdFrameIsWalkedToItsEnd() throws IOException {
        for (int descriptor = 0; descriptor < 256; descriptor++) {
            assertWalked(BlockBound::holdsForZstd, zstd(descriptor, ZSTD_RAW_BLOCK, ZSTD_RLE_BLOCK, ZSTD_END), "zstd");
        }
    }

    @Test
    void everyFormOfAnLz4FrameIsWalkedToItsEnd() throws IOException {
        for (int flags = 0x40; flags < 0x80; flags++) {
            assertWalked(BlockBound::holdsForLz4, lz4(flags, LZ4_STORED_BLOCK, LZ4_BLOCK), "lz4");
        }
    }

    private static void assertWalked(Bound bound, byte[] frame, String codec) throws IOException {
        assertThat(bound.holds(frame, MAX_BYTES)).isTrue();
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThatThrownBy(() -> bound.holds(cut, MAX_BYTES)).isInstanceOf(IOException.class);
        }
        byte[] longer = Arrays.copyOf(frame, frame.length + 3);
        assertThatThrownBy(() -> bound.holds(longer, MAX_BYTES))
                .isInstanceOf(IOException.class)
                .hasMessage(codec + ": one frame with 3 bytes behind it");
        byte[] another = frame.clone();
        another[0]++;
        assertThatThrownBy(() -> bound.holds(another, MAX_BYTES))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("no " + codec);
    }

    @Test
    void theNumberOfBlocksIsBoundedByWhatTheyMayDecompressTo() throws IOException {
        byte[][] most = new byte[MOST][];
        Arrays.fill(most, ZSTD_RAW_BLOCK);
        most[MOST - 1] = ZSTD_END;
        assertThat(BlockBound.holdsForZstd(zstd(0, most), MAX_BYTES)).isTrue();
        assertThat(BlockBound.holdsForZstd(zstd(0, most), MAX_BYTES - 512)).isFalse();

        Arrays.fill(most, LZ4_BLOCK);
        assertThat(BlockBound.holdsForLz4(lz4(0x60, most), MAX_BYTES)).isTrue();
        assertThat(BlockBound.holdsForLz4(lz4(0x60, most), MAX_BYTES - 512)).isFalse();
    }

    @Test
    void aBlockThatClaimsMoreThanThereIsEndsTheWalk() {
        byte[] zstd = zstd(0, new byte[] {(byte) 0xf9, (byte) 0xff, (byte) 0xff, 'a'});
        byte[] lz4 = lz4(0x70, new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f, 'a'});

        assertThatThrownBy(() -> BlockBound.holdsForZstd(zstd, MAX_BYTES)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> BlockBound.holdsForLz4(lz4, MAX_BYTES)).isInstanceOf(IOException.class);
    }
}
