/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Arrays;

/**
 * The one form that pushes are read in: fields in the order of their numbers, tags, lengths and varints as short as they
 * can be, default values absent where absence means the same, no attribute under a reserved key. All released clients
 * write this form, but it is not the only legal one. Whatever comes in another form is rewritten before it is read, so
 * that two things which mean the same are the same bytes, and so that everything behind this class has one case only.
 *
 * <p>The content of fields keeps its meaning to the bit, unknown fields are kept. Nothing becomes longer: a
 * negative int32, of which parsers take the low 32 bits, is in five bytes and not in the ten of official serializers. For
 * bytes that {@link PushCheck} accepted; for one thread.
 */
final class CanonicalForm {
    /** From here on sorting by bytes is quicker than by comparison. */
    private static final int MANY_FIELDS = 64;

    private byte[] out = new byte[0];
    private int size;
    /** Stack of the fields of the messages that are being rewritten: number, then position. */
    private long[] fields = new long[64];

    private int fieldCount;
    private int forgedAttributes;

    /** Rewrites a whole push. */
    byte[] rewrite(byte[] push) {
        forgedAttributes = 0;
        size = 0;
        fieldCount = 0;
        // Enough, since nothing becomes longer.
        out = new byte[push.length];
        message(Schema.METRICS_DATA, push, 0, push.length);
        byte[] rewritten = Arrays.copyOf(out, size);
        // Only odd pushes come here: nothing of their size is kept.
        out = new byte[0];
        if (fields.length > 1024) {
            fields = new long[64];
        }
        return rewritten;
    }

    /** Returns how many attributes under reserved keys the last rewrite has left out. */
    int forgedAttributes() {
        return forgedAttributes;
    }

    /**
     * Returns whether a range of fields is in canonical form as far as order, lengths and defaults go.
     *
     * @param after the number of the field before the range
     */
    static boolean has(int type, byte[] bytes, int start, int end, int after) {
        int at = start;
        int previous = after;
        while (at < end) {
            int afterTag = Wire.afterVarint(bytes, at);
            int tag = (int) Wire.varint(bytes, at);
            int number = tag >>> 3;
            if (!Wire.isShortest(bytes, at, afterTag) || number < previous) {
                return false;
            }
            previous = number;
            int wire = tag & 7;
            int next = Wire.afterValue(bytes, afterTag, wire);
            int kind = number < 16 ? Schema.kind(type + number) : Schema.UNKNOWN;
            boolean implicit = kind != Schema.UNKNOWN && Schema.implicit(type, number);
            if (wire == Schema.WIRE_VARINT) {
                long value = Wire.varint(bytes, afterTag);
                if (!Wire.isShortest(bytes, afterTag, next)
                        || value != meaning(kind, value)
                        || value == 0 && implicit) {
                    return false;
                }
            } else if (wire == Schema.WIRE_LENGTH) {
                int content = Wire.afterVarint(bytes, afterTag);
                if (!Wire.isShortest(bytes, afterTag, content) || content == next && implicit) {
                    return false;
                }
                if (kind == Schema.MESSAGE && !has(Schema.child(type + number), bytes, content, next, 0)) {
                    return false;
                }
            } else if (implicit && wire == Schema.WIRE_FIXED64 && Wire.fixed64(bytes, afterTag) == 0) {
                return false;
            }
            at = next;
        }
        return true;
    }

    /** Returns the varint of fewest bytes of which parsers make the same. */
    private static long meaning(int kind, long value) {
        return switch (kind) {
            case Schema.INT32 -> value & 0xffff_ffffL;
            case Schema.BOOL -> value == 0 ? 0 : 1;
            default -> value;
        };
    }

    private void message(int type, byte[] bytes, int start, int end) {
        int first = fieldCount;
        int numbers = 0;
        for (int at = start; at < end; ) {
            int afterTag = Wire.afterVarint(bytes, at);
            long tag = Wire.varint(bytes, at);
            if (fieldCount == fields.length) {
                fields = Arrays.copyOf(fields, fieldCount * 2);
            }
            fields[fieldCount++] = tag >>> 3 << 32 | at;
            numbers |= (int) (tag >>> 3);
            at = Wire.afterValue(bytes, afterTag, (int) tag & 7);
        }
        sort(first, fieldCount, numbers);
        for (int i = first; i < fieldCount; i++) {
            field(type, bytes, (int) fields[i]);
        }
        fieldCount = first;
    }

    /**
     * Sorts the fields of a message by number. Those of the same number stay in their order, since their positions ascend.
     *
     * @param numbers all bits that their numbers have
     */
    private void sort(int first, int end, int numbers) {
        int count = end - first;
        if (count < MANY_FIELDS) {
            Arrays.sort(fields, first, end);
            return;
        }
        // By one byte of the numbers after the other. Comparing took four fifths of the time of a megabyte of shuffled
        // fields.
        long[] from = Arrays.copyOfRange(fields, first, end);
        long[] to = new long[count];
        for (int shift = 0; shift < 32 && numbers >>> shift != 0; shift += 8) {
            int[] place = new int[257];
            for (long field : from) {
                place[(int) (field >>> 32 + shift & 0xff) + 1]++;
            }
            for (int digit = 0; digit < 256; digit++) {
                place[digit + 1] += place[digit];
            }
            for (long field : from) {
                to[place[(int) (field >>> 32 + shift & 0xff)]++] = field;
            }
            long[] sorted = to;
            to = from;
            from = sorted;
        }
        System.arraycopy(from, 0, fields, first, count);
    }

    private void field(int type, byte[] bytes, int at) {
        int afterTag = Wire.afterVarint(bytes, at);
        int tag = (int) Wire.varint(bytes, at);
        int number = tag >>> 3;
        int wire = tag & 7;
        int kind = number < 16 ? Schema.kind(type + number) : Schema.UNKNOWN;
        boolean implicit = kind != Schema.UNKNOWN && Schema.implicit(type, number);
        int next = Wire.afterValue(bytes, afterTag, wire);
        if (wire == Schema.WIRE_VARINT) {
            long value = meaning(kind, Wire.varint(bytes, afterTag));
            if (value != 0 || !implicit) {
                varint(tag & 0xffff_ffffL);
                varint(value);
            }
        } else if (wire == Schema.WIRE_LENGTH) {
            int content = Wire.afterVarint(bytes, afterTag);
            if (content == next && implicit) {
                return;
            }
            if (isAttribute(type, number) && isForged(bytes, content, next)) {
                forgedAttributes++;
                return;
            }
            varint(tag & 0xffff_ffffL);
            if (kind == Schema.MESSAGE) {
                nested(Schema.child(type + number), bytes, content, next);
            } else {
                varint(next - content);
                copy(bytes, content, next);
            }
        } else if (!implicit || wire != Schema.WIRE_FIXED64 || Wire.fixed64(bytes, afterTag) != 0) {
            varint(tag & 0xffff_ffffL);
            copy(bytes, afterTag, next);
        }
    }

    /** Writes a message behind its length, which is known only afterwards. */
    private void nested(int type, byte[] bytes, int start, int end) {
        int lengthAt = size;
        int reserved = Wire.varintSize(end - start);
        size += reserved;
        message(type, bytes, start, end);
        int length = size - lengthAt - reserved;
        int lengthSize = Wire.varintSize(length);
        if (lengthSize != reserved) {
            System.arraycopy(out, lengthAt + reserved, out, lengthAt + lengthSize, length);
            size += lengthSize - reserved;
        }
        Wire.putVarint(out, lengthAt, length);
    }

    /** Returns whether a field holds attributes whose keys become labels of a backend. */
    private static boolean isAttribute(int type, int number) {
        return switch (type) {
            case Schema.RESOURCE, Schema.EXPONENTIAL_HISTOGRAM_DATA_POINT -> number == 1;
            case Schema.INSTRUMENTATION_SCOPE -> number == 3;
            case Schema.NUMBER_DATA_POINT, Schema.SUMMARY_DATA_POINT -> number == 7;
            case Schema.HISTOGRAM_DATA_POINT -> number == 9;
            default -> false;
        };
    }

    private static boolean isForged(byte[] bytes, int start, int end) {
        for (int at = start; at < end; ) {
            int afterTag = Wire.afterVarint(bytes, at);
            long tag = Wire.varint(bytes, at);
            int next = Wire.afterValue(bytes, afterTag, (int) tag & 7);
            if (tag >>> 3 == 1) {
                return ReservedKeys.contain(bytes, Wire.afterVarint(bytes, afterTag), next);
            }
            at = next;
        }
        return false;
    }

    private void varint(long value) {
        size = Wire.putVarint64(out, size, value);
    }

    private void copy(byte[] bytes, int start, int end) {
        System.arraycopy(bytes, start, out, size, end - start);
        size += end - start;
    }
}
