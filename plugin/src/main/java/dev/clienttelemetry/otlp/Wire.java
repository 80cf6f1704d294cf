/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Bytes as the protobuf wire format has them: little-endian words, varints, UTF-8. */
final class Wire {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private Wire() {}

    static long fixed64(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static void putFixed64(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    /** Returns the up to seven bytes of a range as the low bytes of a word. */
    static long tail(byte[] bytes, int start, int end) {
        int length = end - start;
        if (length == 0) {
            return 0;
        }
        if (end >= 8) {
            return fixed64(bytes, end - 8) >>> (64 - 8 * length);
        }
        long word = 0;
        for (int i = end - 1; i >= start; i--) {
            word = word << 8 | (bytes[i] & 0xff);
        }
        return word;
    }

    /** Returns how many bytes the shortest varint of a length or a tag takes. */
    static int varintSize(int value) {
        // 1 to 5 bytes of seven bits each; for one division less than (bits + 6) / 7.
        return (352 - (Integer.numberOfLeadingZeros(value) * 9)) >>> 6;
    }

    /** Writes the shortest varint and returns the position after it. */
    static int putVarint(byte[] bytes, int at, int value) {
        int position = at;
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            bytes[position++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[position++] = (byte) rest;
        return position;
    }

    static int putVarint64(byte[] bytes, int at, long value) {
        int position = at;
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[position++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[position++] = (byte) rest;
        return position;
    }

    /** Returns the value of a varint that the check has accepted. */
    static long varint(byte[] bytes, int at) {
        long value = 0;
        int position = at;
        for (int shift = 0; ; shift += 7) {
            byte b = bytes[position++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    /** Returns the position after a varint that the check has accepted. */
    static int afterVarint(byte[] bytes, int at) {
        int position = at;
        while (bytes[position] < 0) {
            position++;
        }
        return position + 1;
    }

    /** Returns whether a varint from start to end is as short as it can be. */
    static boolean isShortest(byte[] bytes, int start, int end) {
        return end - start == 1 || bytes[end - 1] != 0;
    }

    /** Returns the position after the field's value, of any wire type but groups, in bytes that the check has accepted. */
    static int afterValue(byte[] bytes, int at, int wireType) {
        switch (wireType) {
            case Schema.WIRE_VARINT:
                return afterVarint(bytes, at);
            case Schema.WIRE_FIXED64:
                return at + 8;
            case Schema.WIRE_FIXED32:
                return at + 4;
            default:
                return afterVarint(bytes, at) + (int) varint(bytes, at);
        }
    }

    /** Returns whether all bytes of a range are below 128. */
    static boolean isAscii(byte[] bytes, int start, int end) {
        // The last words overlap with what was looked at already: cheaper than byte by byte.
        if (end - start >= 16) {
            long high = fixed64(bytes, end - 16) | fixed64(bytes, end - 8);
            // In the form of which the compiler knows that it stays within the array.
            int last = end - 16;
            for (int at = start; at < last; at += 16) {
                high |= fixed64(bytes, at) | fixed64(bytes, at + 8);
            }
            return (high & HIGH_BITS) == 0;
        }
        int at = start;
        while (at < end && bytes[at] >= 0) {
            at++;
        }
        return at == end;
    }

    /**
     * Returns the position of the first byte in a range from which on it is not UTF-8, or the range's end. Valid is
     * what Unicode's table 3-7 says: no surrogates, no overlong forms, nothing above U+10FFFF.
     */
    static int validUtf8(byte[] bytes, int start, int end) {
        int at = isAscii(bytes, start, end) ? end : start;
        while (true) {
            while (at + 8 <= end && (fixed64(bytes, at) & HIGH_BITS) == 0) {
                at += 8;
            }
            while (at < end && bytes[at] >= 0) {
                at++;
            }
            if (at == end) {
                return end;
            }
            int length = sequenceLength(bytes, at, end);
            if (length == 0) {
                return at;
            }
            at += length;
        }
    }

    /** Returns the length of the well-formed multi-byte sequence at a position, 0 where there is none. */
    private static int sequenceLength(byte[] bytes, int at, int end) {
        int lead = bytes[at] & 0xff;
        int available = end - at;
        if (lead < 0xc2 || lead > 0xf4) {
            return 0;
        }
        if (lead < 0xe0) {
            return available >= 2 && continues(bytes[at + 1]) ? 2 : 0;
        }
        if (lead < 0xf0) {
            if (available < 3 || !continues(bytes[at + 1]) || !continues(bytes[at + 2])) {
                return 0;
            }
            int second = bytes[at + 1] & 0xff;
            boolean overlong = lead == 0xe0 && second < 0xa0;
            boolean surrogate = lead == 0xed && second >= 0xa0;
            return overlong || surrogate ? 0 : 3;
        }
        if (available < 4 || !continues(bytes[at + 1]) || !continues(bytes[at + 2]) || !continues(bytes[at + 3])) {
            return 0;
        }
        int second = bytes[at + 1] & 0xff;
        boolean overlong = lead == 0xf0 && second < 0x90;
        boolean aboveUnicode = lead == 0xf4 && second >= 0x90;
        return overlong || aboveUnicode ? 0 : 4;
    }

    private static boolean continues(byte value) {
        return (value & 0xc0) == 0x80;
    }
}
