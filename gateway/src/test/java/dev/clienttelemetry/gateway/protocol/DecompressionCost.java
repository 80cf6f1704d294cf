/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Test;

/**
 * Measures the CPU time of a payload of text and of input that is made to cost much and yield little, for ARCHITECTURE.md.
 * Not a test of its own: {@code mvn -pl gateway -am test -Dtest=DecompressionCost
 * -Dsurefire.failIfNoSpecifiedTests=false} runs it.
 */
class DecompressionCost {
    private static final int BYTES = 1024 * 1024;
    private static final int BLOCKS = 64 + BYTES / 512;
    private static final int ROUNDS = 20;

    /**
     * A zstd block of one sequence (three bytes) whose three tables are described anew at their largest size, of two
     * symbols each, RFC 8878, 4.1.1. No literals; the states are 0, which is the first symbol in each table.
     */
    private static final byte[] ZSTD_BLOCK = zstdBlock();

    /** With eight bytes to repeat. */
    private static final byte[] ZSTD_HEAD = {
        0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0x58, 8 << 3, 0, 0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'
    };

    private static final byte[] ZSTD_END = {1, 0, 0};

    @Test
    void measure() throws Exception {
        byte[] text = new byte[BYTES];
        Random random = new Random(2);
        for (int i = 0; i < BYTES; i++) {
            text[i] = (byte) ('a' + random.nextInt(8));
        }
        for (CompressionType type : CompressionType.values()) {
            if (type != CompressionType.NONE) {
                ByteBuffer sample = CompressedSample.of(text, type);
                byte[] compressed = new byte[sample.remaining()];
                sample.get(compressed);
                measure("text", PushCompression.of(type.id), compressed, BYTES);
            }
        }
        int mostZstd = BLOCKS - 2; // with the head's and the end
        measure(
                "new tables",
                PushCompression.ZSTD,
                joined(ZSTD_HEAD, ZSTD_BLOCK, mostZstd, ZSTD_END),
                8 + 3 * mostZstd);
        measure("new tables, 1 MiB", PushCompression.ZSTD, filled(ZSTD_HEAD, ZSTD_BLOCK, ZSTD_END), -1);
        measure("new tables, 1 MiB", PushCompression.GZIP, deflateTables(Integer.MAX_VALUE), -1);
        measure("new tables and none", PushCompression.GZIP, deflateTables(BLOCKS), 0);
        byte[] member = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        measure("members, 1 MiB", PushCompression.GZIP, filled(member, member, member), -1);
        ByteArrayOutputStream lz4 = new ByteArrayOutputStream();
        new LZ4FrameOutputStream(lz4).close();
        byte[] lz4Head = Arrays.copyOf(lz4.toByteArray(), 7);
        byte[] lz4Block = {1, 0, 0, 0, 0};
        measure("empty blocks", PushCompression.LZ4, joined(lz4Head, lz4Block, BLOCKS, new byte[4]), 0);
        measure("empty blocks, 1 MiB", PushCompression.LZ4, filled(lz4Head, lz4Block, new byte[4]), -1);
        byte[] snappyHead = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1};
        byte[] snappyBlock = {0, 0, 0, 1, 0};
        measure("empty chunks", PushCompression.SNAPPY, joined(snappyHead, snappyBlock, BLOCKS, new byte[0]), 0);
        measure("empty chunks, 1 MiB", PushCompression.SNAPPY, filled(snappyHead, snappyBlock, new byte[0]), -1);
    }

    /** Prints the least CPU time of several rounds. The expected length is negative where the input is refused. */
    private static void measure(String what, PushCompression compression, byte[] input, int expected) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        int length = -1;
        for (int round = 0; round < ROUNDS; round++) {
            long start = threads.getCurrentThreadCpuTime();
            try {
                length = DecompressedMetrics.of(input, compression, BYTES).length;
            } catch (IOException | DecompressedMetrics.TooLargeException refused) {
                length = -1;
            }
            least = Math.min(least, threads.getCurrentThreadCpuTime() - start);
        }
        assertThat(length).as(compression + " " + what).isEqualTo(expected);
        System.out.printf("%-6s %-20s %,9d bytes: %7.2f ms%n", compression, what, input.length, least / 1e6);
    }

    private static byte[] filled(byte[] head, byte[] part, byte[] end) {
        return joined(head, part, (BYTES - head.length - end.length) / part.length, end);
    }

    private static byte[] joined(byte[] head, byte[] part, int count, byte[] end) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head);
        for (int i = 0; i < count; i++) {
            bytes.writeBytes(part);
        }
        bytes.writeBytes(end);
        return bytes.toByteArray();
    }

    /** Bits from the lowest of each byte on. */
    private static final class Bits {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int present;
        private int count;

        void put(int value, int bits) {
            for (int i = 0; i < bits; i++) {
                present |= (value >> i & 1) << count;
                if (++count == Byte.SIZE) {
                    end();
                }
            }
        }

        byte[] end() {
            if (count > 0) {
                bytes.write(present);
            }
            present = 0;
            count = 0;
            return bytes.toByteArray();
        }
    }

    private static byte[] zstdBlock() {
        int literalsLog = 9;
        int offsetsLog = 8;
        int matchesLog = 9;
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        // No literals, one sequence, all tables described.
        body.writeBytes(new byte[] {0, 1, (byte) 0xa8});
        for (int log : new int[] {literalsLog, offsetsLog, matchesLog}) {
            body.writeBytes(zstdTable(log));
        }
        int states = literalsLog + offsetsLog + matchesLog;
        byte[] stream = new byte[states / 8 + 1];
        stream[states / 8] = (byte) (1 << states % 8);
        body.writeBytes(stream);
        int head = 2 << 1 | body.size() << 3;
        return joined(new byte[] {(byte) head, (byte) (head >> 8), 0}, body.toByteArray(), 1, new byte[0]);
    }

    /** A table of 2^log cells, all but one of the first symbol: probabilities plus one, in the fewest bits. */
    private static byte[] zstdTable(int log) {
        int cells = 1 << log;
        Bits bits = new Bits();
        bits.put(log - 5, 4);
        // What is left is cells + 1: values below cells - 2 would take a bit less than this one.
        bits.put(cells + cells - 2, log + 1);
        bits.put(3, 2);
        return bits.end();
    }

    /** 1 MiB of empty deflate blocks in a gzip member, the first ones with tables of their own, RFC 1951, 3.2.7. */
    private static byte[] deflateTables(int count) {
        Bits bits = new Bits();
        for (int i = 0; bits.bytes.size() < BYTES - 64; i++) {
            if (i >= count) {
                // With the fixed tables: only its end.
                bits.put(2, 10);
                continue;
            }
            bits.put(0, 1);
            bits.put(2, 2);
            // 257 codes of literals, 1 of distances, 18 lengths of the codes for lengths: 1 for "18" and "1".
            bits.put(0, 5);
            bits.put(0, 5);
            bits.put(14, 4);
            bits.put(1 << 6, 9);
            bits.put(0, 42);
            bits.put(1, 3);
            // 138 and 118 times zero, then 1 for the end of the block and 1 for a distance; the end of the block.
            bits.put(1 | 127 << 1, 8);
            bits.put(1 | 107 << 1, 8);
            bits.put(0, 3);
        }
        bits.put(3, 10);
        return joined(new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}, bits.end(), 1, new byte[8]);
    }
}
