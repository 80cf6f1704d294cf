/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;

/** The JDK's zlib is the reference for what a sound stream is. */
class DeflateBlocksTest {
    private static final int PLENTY = 1 << 20;
    private static final int[] STRATEGIES = {Deflater.DEFAULT_STRATEGY, Deflater.FILTERED, Deflater.HUFFMAN_ONLY};
    private static final int[] FLUSHES = {Deflater.NO_FLUSH, Deflater.SYNC_FLUSH, Deflater.FULL_FLUSH};

    private final Random random = new Random(5);

    @Test
    void whatADeflaterMakesIsBoundedByItsLengthOnly() throws Exception {
        for (int kind = 0; kind < 4; kind++) {
            byte[] bytes = bytes(kind, 150_000);
            for (int level = 0; level <= 9; level++) {
                for (int strategy : STRATEGIES) {
                    for (int flush : FLUSHES) {
                        byte[] stream = deflate(bytes, level, strategy, flush, 700);
                        assertThat(DeflateBlocks.areBounded(stream, 0, bytes.length))
                                .as("data %d, level %d, strategy %d, flush %d", kind, level, strategy, flush)
                                .isTrue();
                        assertThat(DeflateBlocks.areBounded(stream, 0, bytes.length - 1))
                                .as("data %d, level %d, strategy %d, flush %d", kind, level, strategy, flush)
                                .isFalse();
                    }
                }
            }
        }
    }

    @Test
    void whatIsSoundForTheJdkIsSoundHereAndTheOtherWayRound() throws Exception {
        int sound = 0;
        int unsound = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = bytes(i % 4, 20 + random.nextInt(400));
            byte[] stream = deflate(bytes, random.nextInt(10), STRATEGIES[i % 3], FLUSHES[i / 3 % 3], 50);
            for (int flips = random.nextInt(3); flips >= 0; flips--) {
                // Most of them where the codes are.
                int bit = random.nextInt(random.nextBoolean() ? stream.length * 8 : Math.min(stream.length * 8, 300));
                stream[bit / 8] ^= (byte) (1 << bit % 8);
            }
            String fault = inflate(stream);
            if (walks(stream)) {
                // What a distance leads to is not kept here.
                assertThat(fault).isIn(null, "invalid distance too far back");
                sound++;
            } else {
                assertThat(fault).isNotNull();
                unsound++;
            }
        }
        assertThat(sound).isGreaterThan(1_000);
        assertThat(unsound).isGreaterThan(1_000);
    }

    @Test
    void everyCutIsUnsound() throws Exception {
        byte[] stream = deflate(bytes(1, 3_000), 9, Deflater.DEFAULT_STRATEGY, Deflater.SYNC_FLUSH, 1_000);
        assertThat(walks(stream)).isTrue();
        for (int length = 0; length < stream.length; length++) {
            assertThat(walks(Arrays.copyOf(stream, length)))
                    .as("%d bytes", length)
                    .isFalse();
        }
    }

    @Test
    void theNumberOfBlocksWithCodesOfTheirOwnIsBounded() throws Exception {
        int most = BlockBound.blocks(PLENTY);
        assertThat(DeflateBlocks.areBounded(DeflatedTables.blocks(most), 0, PLENTY))
                .isTrue();
        assertThat(DeflateBlocks.areBounded(DeflatedTables.blocks(most + 1), 0, PLENTY))
                .isFalse();
        assertThat(inflate(DeflatedTables.blocks(most + 1))).isNull();
    }

    @Test
    void moreWordsThanThereAreSymbolsAreUnsound() throws Exception {
        for (int literals : new int[] {257, 286, 287, 288}) {
            for (int distances : new int[] {1, 30, 31, 32}) {
                byte[] stream = DeflatedTables.block(literals, distances);
                assertThat(walks(stream))
                        .as("%d and %d", literals, distances)
                        .isEqualTo(literals <= 286 && distances <= 30)
                        .isEqualTo(inflate(stream) == null);
            }
        }
    }

    /** Whether the walk comes to the stream's end. */
    private static boolean walks(byte[] stream) throws IOException {
        try {
            return DeflateBlocks.areBounded(stream, 0, PLENTY);
        } catch (IOException e) {
            assertThat(e).hasMessage("gzip: no sound deflate stream");
            return false;
        }
    }

    /** Returns what is wrong with a stream, or null. */
    private static String inflate(byte[] stream) {
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(stream);
            byte[] out = new byte[PLENTY];
            while (!inflater.finished()) {
                if (inflater.inflate(out) == 0 && !inflater.finished()) {
                    return "cut";
                }
            }
            return null;
        } catch (DataFormatException e) {
            return String.valueOf(e.getMessage());
        } finally {
            inflater.end();
        }
    }

    private static byte[] deflate(byte[] bytes, int level, int strategy, int flush, int flushEvery) {
        Deflater deflater = new Deflater(level, true);
        deflater.setStrategy(strategy);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[bytes.length + 1_000];
        for (int at = 0; at < bytes.length; at += flushEvery) {
            deflater.setInput(bytes, at, Math.min(flushEvery, bytes.length - at));
            do {
                out.write(part, 0, deflater.deflate(part, 0, part.length, flush));
            } while (!deflater.needsInput());
        }
        deflater.finish();
        while (!deflater.finished()) {
            out.write(part, 0, deflater.deflate(part));
        }
        deflater.end();
        return out.toByteArray();
    }

    /** Noise, text with words that come again, few letters that are unlike frequent, one byte. */
    private byte[] bytes(int kind, int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte)
                    switch (kind) {
                        case 0 -> random.nextInt(256);
                        case 1 -> i > 40 && random.nextInt(9) > 0 ? bytes[i - 37] : 'a' + random.nextInt(26);
                        case 2 -> Integer.numberOfTrailingZeros(random.nextInt()) + random.nextInt(2);
                        default -> 'x';
                    };
        }
        return bytes;
    }
}
