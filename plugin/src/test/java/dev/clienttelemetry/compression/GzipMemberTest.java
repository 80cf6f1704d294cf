/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GzipMemberTest {
    private static final int HEAD_BYTES = 10;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 100_000})
    void theBoundIsWhatItMayDecompressTo(int size) throws IOException {
        byte[] bytes = bytes(size);
        byte[] member = member(bytes);

        assertThat(GzipMember.decompress(member, size)).isEqualTo(bytes);
        assertThat(GzipMember.decompress(member, size + 1)).isEqualTo(bytes);
        if (size > 0) {
            assertThat(GzipMember.decompress(member, size - 1)).isNull();
        }
    }

    @Test
    void everyOptionalPartOfTheHeadIsPassedOver() throws IOException {
        byte[] bytes = bytes(1_000);
        for (int flags = 0; flags < 32; flags++) {
            byte[] member = withHead(member(bytes), flags);

            assertThat(GzipMember.decompress(member, 1_000))
                    .as("flags " + flags)
                    .isEqualTo(bytes);
            assertThat(new GZIPInputStream(new ByteArrayInputStream(member)).readAllBytes())
                    .as("the JDK's, flags " + flags)
                    .isEqualTo(bytes);
        }
        byte[] reserved = member(bytes);
        reserved[3] = 0x20;
        assertThatThrownBy(() -> GzipMember.decompress(reserved, 1_000)).isInstanceOf(IOException.class);
    }

    @Test
    void everyCutAndEveryFlippedBitOfTheTrailerIsRefused() throws IOException {
        byte[] member = withHead(member(bytes(300)), 31);
        for (int length = 0; length < member.length; length++) {
            byte[] cut = Arrays.copyOf(member, length);
            assertThatThrownBy(() -> GzipMember.decompress(cut, 300))
                    .as("%d bytes", length)
                    .isInstanceOf(IOException.class);
        }
        for (int bit = 0; bit < 64; bit++) {
            byte[] flipped = member.clone();
            flipped[member.length - 8 + bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> GzipMember.decompress(flipped, 300)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void nothingMayStandBehindTheMember() throws IOException {
        byte[] member = member(bytes(300));
        byte[] two = Arrays.copyOf(member, 2 * member.length);
        System.arraycopy(member, 0, two, member.length, member.length);

        assertThatThrownBy(() -> GzipMember.decompress(two, 1_000))
                .isInstanceOf(IOException.class)
                .hasMessage("gzip: one member with " + member.length + " bytes behind it");
    }

    @Test
    void moreBlocksWithCodesOfTheirOwnThanTheBoundAllowsAreNotDecompressed() throws IOException {
        int most = BlockBound.blocks(1_000_000);
        byte[] empty = member(new byte[0]);
        for (int more = 0; more < 2; more++) {
            byte[] stream = DeflatedTables.blocks(most + more);
            ByteArrayOutputStream member = new ByteArrayOutputStream();
            member.write(empty, 0, HEAD_BYTES);
            member.writeBytes(stream);
            member.write(empty, empty.length - 8, 8);

            assertThat(GzipMember.decompress(member.toByteArray(), 1_000_000))
                    .isEqualTo(more == 0 ? new byte[0] : null);
        }
    }

    private static byte[] withHead(byte[] member, int flags) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(member, 0, HEAD_BYTES);
        if ((flags & 4) != 0) {
            out.writeBytes(new byte[] {3, 0, 1, 2, 3});
        }
        for (int text : new int[] {8, 16}) {
            if ((flags & text) != 0) {
                out.writeBytes(new byte[] {'a', 'b', 0});
            }
        }
        byte[] head = out.toByteArray();
        head[3] = (byte) flags;
        out.reset();
        out.writeBytes(head);
        if ((flags & 2) != 0) {
            CRC32 checksum = new CRC32();
            checksum.update(head);
            out.write((int) checksum.getValue());
            out.write((int) checksum.getValue() >> 8);
        }
        out.write(member, HEAD_BYTES, member.length - HEAD_BYTES);
        return out.toByteArray();
    }

    private static byte[] member(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        Random random = new Random(size);
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) random.nextInt(8);
        }
        return bytes;
    }
}
