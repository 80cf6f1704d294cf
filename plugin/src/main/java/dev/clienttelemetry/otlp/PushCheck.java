/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.metrics.RefusalReason;
import java.util.Arrays;

/**
 * The structural check of a payload on the request thread: one pass over the bytes.
 *
 * <p>Accepted is what the official serializers write for any {@code MetricsData}, unknown fields included, with fields
 * in any order and repeated scalars packed or not. Refused is what the official {@code MetricsData.parseFrom} refuses,
 * and in addition what no serializer writes and backends read differently: a singular field twice, two members of a
 * oneof, a known field with another wire type, groups, more than 32 messages on a path, and tags, lengths and varints
 * whose value does not fit (some parsers cut them off, others refuse them). The contents of unknown length-delimited
 * fields are not looked into.
 *
 * <p>What comes after this check may trust every length, every wire type and every string.
 */
public final class PushCheck {
    /** The most messages on a path, {@code MetricsData} being the first. */
    private static final int MAX_DEPTH = 32;

    private final byte[] bytes;

    /**
     * Where the resource of the previous {@code ResourceMetrics} lies. The Java client repeats the same resource before
     * each metric, and comparing bytes is several times faster than walking them.
     */
    private int resourceStart;

    private int resourceEnd = -1;

    /** The position after the varint that {@link #longVarint} has read. */
    private int afterVarint;

    private PushCheck(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Checks that bytes are sound OTLP MetricsData. Thread-safe.
     *
     * @param payload holds the payload from its start
     * @param length the payload's length in bytes
     * @throws MalformedPushException where they are not
     */
    public static void check(byte[] payload, int length) throws MalformedPushException {
        new PushCheck(payload).message(Schema.METRICS_DATA, 0, length, 1);
    }

    private void message(int type, int start, int end, int depth) throws MalformedPushException {
        byte[] b = bytes;
        int at = start;
        int seen = 0;
        while (at < end) {
            int tagAt = at;
            int tag = b[at++];
            if (tag < 0) {
                tag = longTag(tagAt, end);
                at = afterVarint;
            }
            int number = tag >>> 3;
            int field = type + (number & 15);
            if (number - 1 > 14 || number == 0 || Schema.wire(field) != (tag & 7)) {
                at = unknownOrUnpacked(type, tag, tagAt, at, end);
                continue;
            }
            if ((seen & Schema.excludes(field)) != 0) {
                throw duplicate(seen, number, tagAt);
            }
            seen |= 1 << number;
            int kind = Schema.kind(field);
            if (kind == Schema.FIXED64) {
                at = skip(8, at, end);
            } else if (kind <= Schema.BOOL) {
                at = skipVarint(at, end);
            } else {
                int length;
                if (at < end && b[at] >= 0) {
                    length = b[at++];
                } else {
                    length = longLength(at, end);
                    at = afterVarint;
                }
                int fieldEnd = skip(length, at, end);
                contents(field, kind, at, fieldEnd, depth);
                at = fieldEnd;
            }
        }
    }

    private void contents(int field, int kind, int start, int end, int depth) throws MalformedPushException {
        if (kind == Schema.MESSAGE) {
            if (depth == MAX_DEPTH) {
                throw refusal(RefusalReason.TOO_DEEP, start, "more than " + MAX_DEPTH + " messages on a path");
            }
            if (field != Schema.RESOURCE_METRICS + 1) {
                message(Schema.child(field), start, end, depth + 1);
            } else if (resourceEnd < 0 || !Arrays.equals(bytes, start, end, bytes, resourceStart, resourceEnd)) {
                message(Schema.RESOURCE, start, end, depth + 1);
                resourceStart = start;
                resourceEnd = end;
            }
        } else if (kind == Schema.STRING) {
            int valid = Wire.validUtf8(bytes, start, end);
            if (valid < end) {
                throw refusal(RefusalReason.INVALID_UTF8, valid, "a string that is not UTF-8");
            }
        } else if (kind == Schema.REPEATED_FIXED64) {
            if ((end - start & 7) != 0) {
                throw truncated(end);
            }
        } else if (kind == Schema.REPEATED_VARINT) {
            int at = start;
            while (at < end) {
                at = skipVarint(at, end);
            }
        }
    }

    /** Checks a field that is unknown, or an element of a repeated scalar that is not packed; or finds it not sound. */
    private int unknownOrUnpacked(int type, int tag, int tagAt, int at, int end) throws MalformedPushException {
        int number = tag >>> 3;
        int wire = tag & 7;
        if (number == 0) {
            throw refusal(RefusalReason.INVALID_TAG, tagAt, "field number 0");
        }
        if (wire > Schema.WIRE_FIXED32) {
            throw refusal(RefusalReason.INVALID_TAG, tagAt, "wire type " + wire + ", which does not exist");
        }
        if (wire == Schema.WIRE_GROUP_START || wire == Schema.WIRE_GROUP_END) {
            throw refusal(RefusalReason.GROUP, tagAt, "a group, which no OTLP message has");
        }
        int kind = number < 16 ? Schema.kind(type + number) : Schema.UNKNOWN;
        boolean unpacked = (kind == Schema.REPEATED_FIXED64 && wire == Schema.WIRE_FIXED64)
                || (kind == Schema.REPEATED_VARINT && wire == Schema.WIRE_VARINT);
        if (kind != Schema.UNKNOWN && !unpacked) {
            throw refusal(
                    RefusalReason.WRONG_WIRE_TYPE,
                    tagAt,
                    "field " + number + " with wire type " + wire + " instead of " + Schema.wire(type + number));
        }
        switch (wire) {
            case Schema.WIRE_VARINT:
                return skipVarint(at, end);
            case Schema.WIRE_FIXED64:
                return skip(8, at, end);
            case Schema.WIRE_FIXED32:
                return skip(4, at, end);
            default:
                int length = longLength(at, end);
                return skip(length, afterVarint, end);
        }
    }

    private static int skip(int length, int at, int end) throws MalformedPushException {
        if (length > end - at) {
            throw truncated(at);
        }
        return at + length;
    }

    private int skipVarint(int at, int end) throws MalformedPushException {
        if (at < end && bytes[at] >= 0) {
            return at + 1;
        }
        longVarint(at, end);
        return afterVarint;
    }

    private int longTag(int at, int end) throws MalformedPushException {
        long tag = longVarint(at, end);
        if (tag >>> 32 != 0) {
            throw refusal(RefusalReason.INVALID_TAG, at, "a field number above 536870911");
        }
        return (int) tag;
    }

    private int longLength(int at, int end) throws MalformedPushException {
        long length = longVarint(at, end);
        if (length >>> 31 != 0) {
            throw truncated(at);
        }
        return (int) length;
    }

    /** Reads a varint of 1 to 10 bytes and leaves the position after it in {@link #afterVarint}. */
    private long longVarint(int start, int end) throws MalformedPushException {
        long value = 0;
        int at = start;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at >= end) {
                throw truncated(start);
            }
            byte b = bytes[at++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                if (shift == 63 && b > 1) {
                    break;
                }
                afterVarint = at;
                return value;
            }
        }
        throw refusal(RefusalReason.INVALID_VARINT, start, "a varint of more than 64 bits");
    }

    private static MalformedPushException duplicate(int seen, int number, int at) {
        return (seen >>> number & 1) != 0
                ? refusal(RefusalReason.REPEATED_SINGULAR, at, "field " + number + " a second time in its message")
                : refusal(RefusalReason.ONEOF_CONFLICT, at, "field " + number + " after another member of its oneof");
    }

    private static MalformedPushException truncated(int at) {
        return refusal(RefusalReason.TRUNCATED, at, "a field that is longer than what is left of its message");
    }

    /** Makes the exception; its text holds numbers of ours only, nothing that the client wrote. */
    private static MalformedPushException refusal(RefusalReason reason, int at, String found) {
        return new MalformedPushException(reason, "Not sound OTLP at byte " + at + ": " + found);
    }
}
