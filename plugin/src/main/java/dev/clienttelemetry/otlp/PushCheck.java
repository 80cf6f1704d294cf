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
     * Where the field {@code resource} of the previous {@code ResourceMetrics} lies if it came first there. The Java
     * client repeats the same resource before each metric, and comparing bytes is several times faster than walking
     * them.
     */
    private int resourceStart;

    private int resourceSize;

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
        new PushCheck(payload).metricsData(length);
    }

    // The messages that most of a push consists of have a method each, for the fields in the order in which serializers
    // write them; what is left of the message then goes to the general method, with the fields seen so far. Tables cost
    // twice as much as comparisons with constants that the processor predicts.

    private void metricsData(int end) throws MalformedPushException {
        byte[] b = bytes;
        int at = 0;
        while (at < end && b[at] == Tag.RESOURCE_METRICS) {
            int start = content(at + 1, end);
            at = fieldEnd(at + 1, end);
            resourceMetrics(start, at);
        }
        message(Schema.METRICS_DATA, at, end, 1, 0);
    }

    private void resourceMetrics(int start, int end) throws MalformedPushException {
        byte[] b = bytes;
        int at = start;
        int seen = 0;
        if (at < end && b[at] == Tag.RESOURCE) {
            int size = resourceSize;
            if (size > 0
                    && size <= end - at
                    && Arrays.equals(b, at, at + size, b, resourceStart, resourceStart + size)) {
                at += size;
            } else {
                int resource = content(at + 1, end);
                at = fieldEnd(at + 1, end);
                message(Schema.RESOURCE, resource, at, 3, 0);
                resourceStart = start;
                resourceSize = at - start;
            }
            seen = 1 << 1;
        }
        while (at < end && b[at] == Tag.SCOPE_METRICS) {
            int scopeMetrics = content(at + 1, end);
            at = fieldEnd(at + 1, end);
            scopeMetrics(scopeMetrics, at);
        }
        if (at < end) {
            message(Schema.RESOURCE_METRICS, at, end, 2, seen);
        }
    }

    private void scopeMetrics(int start, int end) throws MalformedPushException {
        byte[] b = bytes;
        int at = start;
        int seen = 0;
        if (at < end && b[at] == Tag.SCOPE) {
            int scope = content(at + 1, end);
            at = fieldEnd(at + 1, end);
            message(Schema.INSTRUMENTATION_SCOPE, scope, at, 4, 0);
            seen = 1 << 1;
        }
        while (at < end && b[at] == Tag.METRICS) {
            int metric = content(at + 1, end);
            at = fieldEnd(at + 1, end);
            metric(metric, at);
        }
        if (at < end) {
            message(Schema.SCOPE_METRICS, at, end, 3, seen);
        }
    }

    private void metric(int start, int end) throws MalformedPushException {
        byte[] b = bytes;
        int at = start;
        int seen = 0;
        if (at < end && b[at] == Tag.NAME) {
            at = fieldEnd(at + 1, end);
            seen = 1 << 1;
        }
        if (at < end && b[at] == Tag.DESCRIPTION) {
            at = fieldEnd(at + 1, end);
            seen |= 1 << 2;
        }
        if (at < end && b[at] == Tag.UNIT) {
            at = fieldEnd(at + 1, end);
            seen |= 1 << 3;
        }
        // Tags and lengths below 128 are ASCII too: one look instead of three.
        if (!Wire.isAscii(b, start, at)) {
            message(Schema.METRIC, start, at, 4, 0);
        }
        if (end - at >= 22
                && b[at] == Tag.GAUGE
                && b[at + 1] == end - at - 2
                && b[at + 2] == Tag.DATA_POINTS
                && b[at + 3] == end - at - 4) {
            // A gauge that ends with its only point: most metrics of Kafka's clients.
            numberDataPoint(at + 4, end);
            return;
        }
        if (at < end && (b[at] == Tag.GAUGE || b[at] == Tag.SUM)) {
            int type = b[at] == Tag.GAUGE ? Schema.GAUGE : Schema.SUM;
            int data = content(at + 1, end);
            seen |= 1 << (b[at] >>> 3);
            at = fieldEnd(at + 1, end);
            numbers(type, data, at);
        }
        if (at < end) {
            message(Schema.METRIC, at, end, 4, seen);
        }
    }

    private void numbers(int type, int start, int end) throws MalformedPushException {
        byte[] b = bytes;
        int at = start;
        while (at < end && b[at] == Tag.DATA_POINTS) {
            int point = content(at + 1, end);
            at = fieldEnd(at + 1, end);
            numberDataPoint(point, at);
        }
        // Delta and monotonic: the end of each sum of Kafka's clients.
        if (type == Schema.SUM
                && end - at == 4
                && b[at] == Tag.TEMPORALITY
                && b[at + 1] >= 0
                && b[at + 2] == Tag.MONOTONIC
                && b[at + 3] >= 0) {
            return;
        }
        if (at < end) {
            message(type, at, end, 5, 0);
        }
    }

    private void numberDataPoint(int start, int end) throws MalformedPushException {
        byte[] b = bytes;
        int at = start;
        int seen = 0;
        // Java clients leave the start time of gauges out.
        if (end - at >= 9 && b[at] == Tag.START_TIME) {
            at += 9;
            seen = 1 << 2;
        }
        if (end - at >= 18 && b[at] == Tag.TIME && (b[at + 9] == Tag.DOUBLE_VALUE || b[at + 9] == Tag.INT_VALUE)) {
            seen |= 1 << 3 | 1 << (b[at + 9] >>> 3);
            at += 18;
        }
        while (at < end && b[at] == Tag.POINT_ATTRIBUTES) {
            int attribute = content(at + 1, end);
            at = fieldEnd(at + 1, end);
            attribute(attribute, at);
        }
        if (at < end) {
            message(Schema.NUMBER_DATA_POINT, at, end, 6, seen);
        }
    }

    private void attribute(int start, int end) throws MalformedPushException {
        byte[] b = bytes;
        if (start < end && b[start] == Tag.KEY) {
            int keyEnd = fieldEnd(start + 1, end);
            if (keyEnd < end && b[keyEnd] == Tag.VALUE) {
                int value = content(keyEnd + 1, end);
                if (fieldEnd(keyEnd + 1, end) == end
                        && value < end
                        && (b[value] == Tag.STRING_VALUE && fieldEnd(value + 1, end) == end
                                || b[value] == Tag.INT_ATTRIBUTE_VALUE && value + 2 == end)
                        && Wire.isAscii(b, start, end)) {
                    return;
                }
            }
        }
        message(Schema.KEY_VALUE, start, end, 7, 0);
    }

    /** Returns where the content of a length-delimited field begins, given the position of its length. */
    private int content(int lengthAt, int end) throws MalformedPushException {
        byte[] b = bytes;
        if (lengthAt < end && b[lengthAt] >= 0) {
            return lengthAt + 1;
        }
        if (lengthAt + 1 < end && b[lengthAt + 1] >= 0) {
            return lengthAt + 2;
        }
        longLength(lengthAt, end);
        return afterVarint;
    }

    /** Returns where a length-delimited field ends, given the position of its length. */
    private int fieldEnd(int lengthAt, int end) throws MalformedPushException {
        byte[] b = bytes;
        if (lengthAt < end && b[lengthAt] >= 0) {
            return skip(b[lengthAt], lengthAt + 1, end);
        }
        if (lengthAt + 1 < end && b[lengthAt + 1] >= 0) {
            return skip(b[lengthAt + 1] << 7 | b[lengthAt] & 0x7f, lengthAt + 2, end);
        }
        int length = longLength(lengthAt, end);
        return skip(length, afterVarint, end);
    }

    private void utf8(int start, int end) throws MalformedPushException {
        int valid = Wire.validUtf8(bytes, start, end);
        if (valid < end) {
            throw refusal(RefusalReason.INVALID_UTF8, valid, "a string that is not UTF-8");
        }
    }

    /**
     * Checks the fields of any message.
     *
     * @param depth how many messages are on the path, this one included
     * @param seenBefore the numbers, as bits, of the message's fields before these
     */
    private void message(int type, int start, int end, int depth, int seenBefore) throws MalformedPushException {
        byte[] b = bytes;
        int at = start;
        int seen = seenBefore;
        while (at < end) {
            int tagAt = at;
            int tag = b[at++];
            if (tag < 0) {
                tag = longTag(tagAt, end);
                at = afterVarint;
            }
            int number = tag >>> 3;
            int field = type + (number & 15);
            if (number > 15 || Schema.wire(field) != (tag & 7)) {
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
                int content = content(at, end);
                at = fieldEnd(at, end);
                contents(field, kind, content, at, depth);
            }
        }
    }

    private void contents(int field, int kind, int start, int end, int depth) throws MalformedPushException {
        if (kind == Schema.MESSAGE) {
            if (depth == MAX_DEPTH) {
                throw refusal(RefusalReason.TOO_DEEP, start, "more than " + MAX_DEPTH + " messages on a path");
            }
            message(Schema.child(field), start, end, depth + 1, 0);
        } else if (kind == Schema.STRING) {
            utf8(start, end);
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
