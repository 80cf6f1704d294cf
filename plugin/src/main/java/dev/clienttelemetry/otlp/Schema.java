/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Arrays;

/**
 * The part of OTLP's schema that a push can hold, as tables for the hot path: what a field number means in a message.
 * Follows opentelemetry-proto 1.11 (metrics/v1, common/v1, resource/v1); a test compares every entry with the official
 * descriptors, so that a newer version of the schema cannot go unnoticed.
 *
 * <p>A message type is an int that is a multiple of 16; adding a field number gives the index of that field's
 * entries. No OTLP message of a push has a field number above 15, so that every known tag is one byte.
 */
final class Schema {
    static final int METRICS_DATA = 0;
    static final int RESOURCE_METRICS = 1 << 4;
    static final int SCOPE_METRICS = 2 << 4;
    static final int METRIC = 3 << 4;
    static final int GAUGE = 4 << 4;
    static final int SUM = 5 << 4;
    static final int HISTOGRAM = 6 << 4;
    static final int EXPONENTIAL_HISTOGRAM = 7 << 4;
    static final int SUMMARY = 8 << 4;
    static final int NUMBER_DATA_POINT = 9 << 4;
    static final int HISTOGRAM_DATA_POINT = 10 << 4;
    static final int EXPONENTIAL_HISTOGRAM_DATA_POINT = 11 << 4;
    static final int BUCKETS = 12 << 4;
    static final int SUMMARY_DATA_POINT = 13 << 4;
    static final int VALUE_AT_QUANTILE = 14 << 4;
    static final int EXEMPLAR = 15 << 4;
    static final int RESOURCE = 16 << 4;
    static final int ENTITY_REF = 17 << 4;
    static final int INSTRUMENTATION_SCOPE = 18 << 4;
    static final int KEY_VALUE = 19 << 4;
    static final int ANY_VALUE = 20 << 4;
    static final int ARRAY_VALUE = 21 << 4;
    static final int KEY_VALUE_LIST = 22 << 4;

    private static final int TYPES = 23;

    /** Kinds of fields. {@link #UNKNOWN} is 0, so that a table's untouched entries mean it. */
    static final byte UNKNOWN = 0;

    static final byte FIXED64 = 1;
    /** Varints are the kinds from here to {@link #BOOL}: they differ in which bits of the value count. */
    static final byte INT64 = 2;
    /** Also uint32, sint32 and enums. */
    static final byte INT32 = 3;

    static final byte BOOL = 4;
    static final byte STRING = 5;
    static final byte BYTES = 6;
    static final byte MESSAGE = 7;
    /** A repeated scalar of eight bytes, packed or not. */
    static final byte REPEATED_FIXED64 = 8;
    /** A repeated scalar that is a varint, packed or not. */
    static final byte REPEATED_VARINT = 9;

    /** Wire types, the low three bits of a tag. */
    static final int WIRE_VARINT = 0;

    static final int WIRE_FIXED64 = 1;
    static final int WIRE_LENGTH = 2;
    static final int WIRE_GROUP_START = 3;
    static final int WIRE_GROUP_END = 4;
    static final int WIRE_FIXED32 = 5;

    /** The kind of each field. */
    private static final byte[] KIND = new byte[TYPES << 4];
    /** The wire type that a field's kind is written with; -1 for unknown fields. Packed for repeated scalars. */
    private static final byte[] WIRE = new byte[TYPES << 4];
    /** The type of the message in a field of kind {@link #MESSAGE}. */
    private static final short[] CHILD = new short[TYPES << 4];
    /**
     * The field numbers, as bits, of which none may have come before the field: itself where it is singular, and all
     * members of its oneof.
     */
    private static final short[] EXCLUDES = new short[TYPES << 4];
    /** The field numbers, as bits, whose default value is written as absence. */
    private static final short[] IMPLICIT = new short[TYPES];

    static {
        Arrays.fill(WIRE, (byte) -1);

        repeatedMessage(METRICS_DATA, 1, RESOURCE_METRICS);

        message(RESOURCE_METRICS, 1, RESOURCE);
        repeatedMessage(RESOURCE_METRICS, 2, SCOPE_METRICS);
        implicit(RESOURCE_METRICS, 3, STRING);

        message(SCOPE_METRICS, 1, INSTRUMENTATION_SCOPE);
        repeatedMessage(SCOPE_METRICS, 2, METRIC);
        implicit(SCOPE_METRICS, 3, STRING);

        implicit(METRIC, 1, STRING);
        implicit(METRIC, 2, STRING);
        implicit(METRIC, 3, STRING);
        message(METRIC, 5, GAUGE);
        message(METRIC, 7, SUM);
        message(METRIC, 9, HISTOGRAM);
        message(METRIC, 10, EXPONENTIAL_HISTOGRAM);
        message(METRIC, 11, SUMMARY);
        repeatedMessage(METRIC, 12, KEY_VALUE);
        oneof(METRIC, 5, 7, 9, 10, 11);

        repeatedMessage(GAUGE, 1, NUMBER_DATA_POINT);

        repeatedMessage(SUM, 1, NUMBER_DATA_POINT);
        implicit(SUM, 2, INT32);
        implicit(SUM, 3, BOOL);

        repeatedMessage(HISTOGRAM, 1, HISTOGRAM_DATA_POINT);
        implicit(HISTOGRAM, 2, INT32);

        repeatedMessage(EXPONENTIAL_HISTOGRAM, 1, EXPONENTIAL_HISTOGRAM_DATA_POINT);
        implicit(EXPONENTIAL_HISTOGRAM, 2, INT32);

        repeatedMessage(SUMMARY, 1, SUMMARY_DATA_POINT);

        implicit(NUMBER_DATA_POINT, 2, FIXED64);
        implicit(NUMBER_DATA_POINT, 3, FIXED64);
        singular(NUMBER_DATA_POINT, 4, FIXED64);
        repeatedMessage(NUMBER_DATA_POINT, 5, EXEMPLAR);
        singular(NUMBER_DATA_POINT, 6, FIXED64);
        repeatedMessage(NUMBER_DATA_POINT, 7, KEY_VALUE);
        implicit(NUMBER_DATA_POINT, 8, INT32);
        oneof(NUMBER_DATA_POINT, 4, 6);

        implicit(HISTOGRAM_DATA_POINT, 2, FIXED64);
        implicit(HISTOGRAM_DATA_POINT, 3, FIXED64);
        implicit(HISTOGRAM_DATA_POINT, 4, FIXED64);
        singular(HISTOGRAM_DATA_POINT, 5, FIXED64);
        repeatedScalar(HISTOGRAM_DATA_POINT, 6, REPEATED_FIXED64);
        repeatedScalar(HISTOGRAM_DATA_POINT, 7, REPEATED_FIXED64);
        repeatedMessage(HISTOGRAM_DATA_POINT, 8, EXEMPLAR);
        repeatedMessage(HISTOGRAM_DATA_POINT, 9, KEY_VALUE);
        implicit(HISTOGRAM_DATA_POINT, 10, INT32);
        singular(HISTOGRAM_DATA_POINT, 11, FIXED64);
        singular(HISTOGRAM_DATA_POINT, 12, FIXED64);

        repeatedMessage(EXPONENTIAL_HISTOGRAM_DATA_POINT, 1, KEY_VALUE);
        implicit(EXPONENTIAL_HISTOGRAM_DATA_POINT, 2, FIXED64);
        implicit(EXPONENTIAL_HISTOGRAM_DATA_POINT, 3, FIXED64);
        implicit(EXPONENTIAL_HISTOGRAM_DATA_POINT, 4, FIXED64);
        singular(EXPONENTIAL_HISTOGRAM_DATA_POINT, 5, FIXED64);
        implicit(EXPONENTIAL_HISTOGRAM_DATA_POINT, 6, INT32);
        implicit(EXPONENTIAL_HISTOGRAM_DATA_POINT, 7, FIXED64);
        message(EXPONENTIAL_HISTOGRAM_DATA_POINT, 8, BUCKETS);
        message(EXPONENTIAL_HISTOGRAM_DATA_POINT, 9, BUCKETS);
        implicit(EXPONENTIAL_HISTOGRAM_DATA_POINT, 10, INT32);
        repeatedMessage(EXPONENTIAL_HISTOGRAM_DATA_POINT, 11, EXEMPLAR);
        singular(EXPONENTIAL_HISTOGRAM_DATA_POINT, 12, FIXED64);
        singular(EXPONENTIAL_HISTOGRAM_DATA_POINT, 13, FIXED64);
        implicit(EXPONENTIAL_HISTOGRAM_DATA_POINT, 14, FIXED64);

        implicit(BUCKETS, 1, INT32);
        repeatedScalar(BUCKETS, 2, REPEATED_VARINT);

        implicit(SUMMARY_DATA_POINT, 2, FIXED64);
        implicit(SUMMARY_DATA_POINT, 3, FIXED64);
        implicit(SUMMARY_DATA_POINT, 4, FIXED64);
        implicit(SUMMARY_DATA_POINT, 5, FIXED64);
        repeatedMessage(SUMMARY_DATA_POINT, 6, VALUE_AT_QUANTILE);
        repeatedMessage(SUMMARY_DATA_POINT, 7, KEY_VALUE);
        implicit(SUMMARY_DATA_POINT, 8, INT32);

        implicit(VALUE_AT_QUANTILE, 1, FIXED64);
        implicit(VALUE_AT_QUANTILE, 2, FIXED64);

        implicit(EXEMPLAR, 2, FIXED64);
        singular(EXEMPLAR, 3, FIXED64);
        implicit(EXEMPLAR, 4, BYTES);
        implicit(EXEMPLAR, 5, BYTES);
        singular(EXEMPLAR, 6, FIXED64);
        repeatedMessage(EXEMPLAR, 7, KEY_VALUE);
        oneof(EXEMPLAR, 3, 6);

        repeatedMessage(RESOURCE, 1, KEY_VALUE);
        implicit(RESOURCE, 2, INT32);
        repeatedMessage(RESOURCE, 3, ENTITY_REF);

        implicit(ENTITY_REF, 1, STRING);
        implicit(ENTITY_REF, 2, STRING);
        repeatedScalar(ENTITY_REF, 3, STRING);
        repeatedScalar(ENTITY_REF, 4, STRING);

        implicit(INSTRUMENTATION_SCOPE, 1, STRING);
        implicit(INSTRUMENTATION_SCOPE, 2, STRING);
        repeatedMessage(INSTRUMENTATION_SCOPE, 3, KEY_VALUE);
        implicit(INSTRUMENTATION_SCOPE, 4, INT32);

        implicit(KEY_VALUE, 1, STRING);
        message(KEY_VALUE, 2, ANY_VALUE);
        implicit(KEY_VALUE, 3, INT32);

        singular(ANY_VALUE, 1, STRING);
        singular(ANY_VALUE, 2, BOOL);
        singular(ANY_VALUE, 3, INT64);
        singular(ANY_VALUE, 4, FIXED64);
        message(ANY_VALUE, 5, ARRAY_VALUE);
        message(ANY_VALUE, 6, KEY_VALUE_LIST);
        singular(ANY_VALUE, 7, BYTES);
        singular(ANY_VALUE, 8, INT32);
        oneof(ANY_VALUE, 1, 2, 3, 4, 5, 6, 7, 8);

        repeatedMessage(ARRAY_VALUE, 1, ANY_VALUE);

        repeatedMessage(KEY_VALUE_LIST, 1, KEY_VALUE);
    }

    private Schema() {}

    static int kind(int field) {
        return KIND[field];
    }

    static int wire(int field) {
        return WIRE[field];
    }

    static int child(int field) {
        return CHILD[field];
    }

    static int excludes(int field) {
        return EXCLUDES[field];
    }

    /** Returns whether the field's default value is the same as its absence. */
    static boolean implicit(int type, int number) {
        return (IMPLICIT[type >> 4] >> number & 1) != 0;
    }

    private static void singular(int type, int number, byte kind) {
        repeatedScalar(type, number, kind);
        EXCLUDES[type + number] = (short) (1 << number);
    }

    private static void implicit(int type, int number, byte kind) {
        singular(type, number, kind);
        IMPLICIT[type >> 4] |= (short) (1 << number);
    }

    private static void message(int type, int number, int child) {
        singular(type, number, MESSAGE);
        CHILD[type + number] = (short) child;
    }

    private static void repeatedMessage(int type, int number, int child) {
        repeatedScalar(type, number, MESSAGE);
        CHILD[type + number] = (short) child;
    }

    private static void repeatedScalar(int type, int number, byte kind) {
        KIND[type + number] = kind;
        WIRE[type + number] = switch (kind) {
            case INT64, INT32, BOOL -> WIRE_VARINT;
            case FIXED64 -> WIRE_FIXED64;
            default -> WIRE_LENGTH;
        };
    }

    private static void oneof(int type, int... numbers) {
        short members = 0;
        for (int number : numbers) {
            members |= (short) (1 << number);
        }
        for (int number : numbers) {
            EXCLUDES[type + number] = members;
        }
    }
}
