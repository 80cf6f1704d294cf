/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Bounds how many blocks of a deflate stream (RFC 1951) bring codes of their own. Each costs its decoder half a
 * microsecond, takes 11 bytes of input and may yield anything or nothing, so that no ratio of input to output tells them.
 *
 * <p>Nothing in a block's head says where it ends, so its symbols are read up to the one that does. What they stand for is
 * counted, and not written anywhere.
 */
final class DeflateBlocks {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** 17 bits of head, 12 for the code of the lengths, 16 for 256 lengths, 3 for what is left. */
    private static final int LEAST_BYTES = 6;

    private static final int STORED = 0;
    private static final int FIXED_CODES = 1;
    private static final int OWN_CODES = 2;

    private static final int MOST_LITERALS = 286;
    private static final int MOST_DISTANCES = 30;
    private static final int END_OF_BLOCK = 256;
    private static final int FIRST_LENGTH = 257;
    private static final int[] LENGTHS = {
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258
    };
    private static final int[] LENGTH_EXTRA_BITS = {
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0
    };
    /** In which order the lengths of the code for lengths stand. */
    private static final int[] LENGTH_CODE_ORDER = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

    private static final int REPEAT_LAST = 16;
    private static final int FEW_ZEROS = 17;

    private static final Code FIXED_LITERALS = fixedLiterals();
    private static final Code FIXED_DISTANCES = fixedDistances();

    private final byte[] bytes;
    private int at;
    private long held;
    private int heldBits;

    private int blocksLeft;
    private long bytesLeft;

    private final Code lengthCode = new Code(7, LENGTH_CODE_ORDER.length);
    private final Code literals = new Code(9, MOST_LITERALS);
    private final Code distances = new Code(9, MOST_DISTANCES);
    private final byte[] lengths = new byte[MOST_LITERALS + MOST_DISTANCES];

    private DeflateBlocks(byte[] bytes, int start, int maxBytes) {
        this.bytes = bytes;
        this.at = start;
        this.blocksLeft = BlockBound.blocks(maxBytes);
        this.bytesLeft = maxBytes;
    }

    /**
     * Returns whether a stream is long enough to have more blocks with codes of their own than the bound allows. Payloads
     * that clients push rarely are, and need not be walked.
     */
    static boolean couldBeTooMany(int streamBytes, int maxBytes) {
        return streamBytes / LEAST_BYTES > BlockBound.blocks(maxBytes);
    }

    /**
     * Returns whether a stream keeps to the bound. One that decompresses to more than it may, may not.
     *
     * @param bytes has the stream; what stands behind its end is not looked at
     * @param start where the stream begins
     * @param maxBytes how many bytes it may decompress to
     * @throws IOException where the bytes are not a deflate stream
     */
    static boolean areBounded(byte[] bytes, int start, int maxBytes) throws IOException {
        return new DeflateBlocks(bytes, start, maxBytes).areBounded();
    }

    private boolean areBounded() throws IOException {
        boolean last = false;
        while (!last) {
            fill();
            last = take(1) == 1;
            switch (take(2)) {
                case STORED -> stored();
                case FIXED_CODES -> symbols(FIXED_LITERALS, FIXED_DISTANCES);
                case OWN_CODES -> {
                    if (blocksLeft-- == 0) {
                        return false;
                    }
                    readCodes();
                    symbols(literals, distances);
                }
                default -> throw malformed();
            }
            if (bytesLeft < 0) {
                return false;
            }
        }
        refuseCut();
        return true;
    }

    private void stored() throws IOException {
        take(heldBits % Byte.SIZE);
        fill();
        int length = take(16);
        if (take(16) != (~length & 0xffff)) {
            throw malformed();
        }
        at += length - heldBits / Byte.SIZE;
        held = 0;
        heldBits = 0;
        if (at > bytes.length) {
            throw malformed();
        }
        bytesLeft -= length;
    }

    private void symbols(Code literalsAndLengths, Code ofDistances) throws IOException {
        while (bytesLeft >= 0) {
            // At most 15 bits of a length, 5 more, 15 of a distance, 13 more: fewer than one filling has.
            fill();
            int symbol = symbol(literalsAndLengths);
            if (symbol < END_OF_BLOCK) {
                bytesLeft--;
            } else if (symbol == END_OF_BLOCK) {
                return;
            } else {
                int length = symbol - FIRST_LENGTH;
                if (length >= LENGTHS.length) {
                    throw malformed();
                }
                bytesLeft -= LENGTHS[length] + take(LENGTH_EXTRA_BITS[length]);
                int distance = symbol(ofDistances);
                if (distance >= MOST_DISTANCES) {
                    throw malformed();
                }
                take(Math.max(0, distance / 2 - 1));
            }
        }
    }

    private void readCodes() throws IOException {
        int literalCount = FIRST_LENGTH + take(5);
        int distanceCount = 1 + take(5);
        int lengthCount = 4 + take(4);
        if (literalCount > MOST_LITERALS || distanceCount > MOST_DISTANCES) {
            throw malformed();
        }
        Arrays.fill(lengths, (byte) 0);
        for (int i = 0; i < lengthCount; i++) {
            fill();
            lengths[LENGTH_CODE_ORDER[i]] = (byte) take(3);
        }
        lengthCode.set(lengths, 0, LENGTH_CODE_ORDER.length, false);
        readLengths(literalCount + distanceCount);
        literals.set(lengths, 0, literalCount, true);
        distances.set(lengths, literalCount, distanceCount, true);
    }

    private void readLengths(int count) throws IOException {
        int known = 0;
        while (known < count) {
            fill();
            int symbol = symbol(lengthCode);
            if (symbol < REPEAT_LAST) {
                lengths[known++] = (byte) symbol;
                continue;
            }
            byte repeated = 0;
            int times;
            if (symbol == REPEAT_LAST) {
                if (known == 0) {
                    throw malformed();
                }
                repeated = lengths[known - 1];
                times = 3 + take(2);
            } else {
                times = symbol == FEW_ZEROS ? 3 + take(3) : 11 + take(7);
            }
            if (times > count - known) {
                throw malformed();
            }
            Arrays.fill(lengths, known, known + times, repeated);
            known += times;
        }
    }

    private int symbol(Code code) throws IOException {
        int found = code.find((int) held);
        take(found & 15);
        return found >> 4;
    }

    /** Holds at least 56 bits, of which those behind the end are zeros. */
    private void fill() throws IOException {
        if (at <= bytes.length - Long.BYTES) {
            // The bits above those held are the same ones already, or zeros.
            held |= (long) LONGS.get(bytes, at) << heldBits;
            int more = Long.BYTES - 1 - heldBits / Byte.SIZE;
            at += more;
            heldBits += more * Byte.SIZE;
            return;
        }
        refuseCut();
        while (heldBits <= Long.SIZE - Byte.SIZE) {
            held |= (at < bytes.length ? bytes[at] & 0xffL : 0) << heldBits;
            at++;
            heldBits += Byte.SIZE;
        }
    }

    private void refuseCut() throws IOException {
        if (at - heldBits / Byte.SIZE > bytes.length) {
            throw malformed();
        }
    }

    private int take(int bits) {
        int taken = (int) held & (1 << bits) - 1;
        held >>>= bits;
        heldBits -= bits;
        return taken;
    }

    private static IOException malformed() {
        return new IOException("gzip: no sound deflate stream");
    }

    private static Code fixedLiterals() {
        byte[] lengths = new byte[288];
        Arrays.fill(lengths, 0, 144, (byte) 8);
        Arrays.fill(lengths, 144, 256, (byte) 9);
        Arrays.fill(lengths, 256, 280, (byte) 7);
        Arrays.fill(lengths, 280, 288, (byte) 8);
        return Code.of(lengths);
    }

    private static Code fixedDistances() {
        byte[] lengths = new byte[32];
        Arrays.fill(lengths, (byte) 5);
        return Code.of(lengths);
    }

    /** A canonical prefix code (RFC 1951, 3.2.2), its short words in a table, the others by their length. */
    private static final class Code {
        private static final int MOST_BITS = 15;

        private final int tableBits;
        /** By the next bits: 16 times the symbol plus its word's length, or 0 where that is longer than the table. */
        private final short[] table;
        /** The symbols in the order of their words. */
        private final short[] symbols;
        /** By length: the first word that is longer, in 15 bits. */
        private final int[] ends = new int[MOST_BITS + 1];
        /** By length: what to add to a word to have its place among the symbols. */
        private final int[] places = new int[MOST_BITS + 1];

        private final int[] counts = new int[MOST_BITS + 1];
        private final int[] next = new int[MOST_BITS + 1];

        Code(int tableBits, int mostSymbols) {
            this.tableBits = tableBits;
            this.table = new short[1 << tableBits];
            this.symbols = new short[mostSymbols];
        }

        static Code of(byte[] lengths) {
            Code code = new Code(9, lengths.length);
            try {
                code.set(lengths, 0, lengths.length, false);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return code;
        }

        /**
         * Makes this the code whose words have these lengths, 0 for a symbol without one.
         *
         * @param mayBeOne whether one word of one bit, or none, is enough; else every sequence of bits must have a meaning
         */
        void set(byte[] lengths, int from, int count, boolean mayBeOne) throws IOException {
            Arrays.fill(counts, 0);
            for (int i = 0; i < count; i++) {
                counts[lengths[from + i]]++;
            }
            int used = count - counts[0];
            int word = 0;
            int place = 0;
            for (int length = 1; length <= MOST_BITS; length++) {
                word <<= 1;
                next[length] = word;
                places[length] = place - word;
                word += counts[length];
                place += counts[length];
                if (word > 1 << length) {
                    throw malformed();
                }
                ends[length] = word << MOST_BITS - length;
            }
            boolean complete = word == 1 << MOST_BITS;
            if (!complete && !(mayBeOne && used == counts[1])) {
                throw malformed();
            }
            Arrays.fill(table, (short) 0);
            for (int symbol = 0; symbol < count; symbol++) {
                int length = lengths[from + symbol];
                if (length > 0) {
                    add(symbol, length, next[length]++);
                }
            }
        }

        private void add(int symbol, int length, int word) {
            symbols[places[length] + word] = (short) symbol;
            if (length <= tableBits) {
                // A stream has the words' first bits lowest.
                int bits = Integer.reverse(word) >>> Integer.SIZE - length;
                for (int i = bits; i < table.length; i += 1 << length) {
                    table[i] = (short) (symbol << 4 | length);
                }
            }
        }

        /** Returns 16 times the symbol whose word the bits begin with, plus that word's length. */
        int find(int bits) throws IOException {
            int found = table[bits & table.length - 1];
            return found != 0 ? found : findLong(Integer.reverse(bits) >>> Integer.SIZE - MOST_BITS);
        }

        private int findLong(int word) throws IOException {
            for (int length = tableBits + 1; length <= MOST_BITS; length++) {
                if (word < ends[length]) {
                    return symbols[places[length] + (word >> MOST_BITS - length)] << 4 | length;
                }
            }
            throw malformed();
        }
    }
}
