/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

/** The tags that this package reads or writes by name: field number and wire type, one byte each. */
final class Tag {
    // MetricsData
    static final byte RESOURCE_METRICS = 1 << 3 | Schema.WIRE_LENGTH;
    // ResourceMetrics
    static final byte RESOURCE = 1 << 3 | Schema.WIRE_LENGTH;
    static final byte SCOPE_METRICS = 2 << 3 | Schema.WIRE_LENGTH;
    // Resource
    static final byte RESOURCE_ATTRIBUTES = 1 << 3 | Schema.WIRE_LENGTH;
    // ScopeMetrics
    static final byte SCOPE = 1 << 3 | Schema.WIRE_LENGTH;
    static final byte METRICS = 2 << 3 | Schema.WIRE_LENGTH;
    // InstrumentationScope
    static final byte SCOPE_NAME = 1 << 3 | Schema.WIRE_LENGTH;
    static final byte SCOPE_VERSION = 2 << 3 | Schema.WIRE_LENGTH;
    static final byte SCOPE_ATTRIBUTES = 3 << 3 | Schema.WIRE_LENGTH;
    // Metric
    static final byte NAME = 1 << 3 | Schema.WIRE_LENGTH;
    static final byte DESCRIPTION = 2 << 3 | Schema.WIRE_LENGTH;
    static final byte UNIT = 3 << 3 | Schema.WIRE_LENGTH;
    static final byte GAUGE = 5 << 3 | Schema.WIRE_LENGTH;
    static final byte SUM = 7 << 3 | Schema.WIRE_LENGTH;
    static final byte HISTOGRAM = 9 << 3 | Schema.WIRE_LENGTH;
    static final byte EXPONENTIAL_HISTOGRAM = 10 << 3 | Schema.WIRE_LENGTH;
    static final byte SUMMARY = 11 << 3 | Schema.WIRE_LENGTH;
    // Gauge, Sum, Histogram, ExponentialHistogram, Summary
    static final byte DATA_POINTS = 1 << 3 | Schema.WIRE_LENGTH;
    // Sum
    static final byte TEMPORALITY = 2 << 3 | Schema.WIRE_VARINT;
    static final byte MONOTONIC = 3 << 3 | Schema.WIRE_VARINT;
    // NumberDataPoint; all data points have start time and time under these numbers
    static final byte START_TIME = 2 << 3 | Schema.WIRE_FIXED64;
    static final byte TIME = 3 << 3 | Schema.WIRE_FIXED64;
    static final byte DOUBLE_VALUE = 4 << 3 | Schema.WIRE_FIXED64;
    static final byte EXEMPLARS = 5 << 3 | Schema.WIRE_LENGTH;
    static final byte INT_VALUE = 6 << 3 | Schema.WIRE_FIXED64;
    static final byte POINT_ATTRIBUTES = 7 << 3 | Schema.WIRE_LENGTH;
    static final byte FLAGS = 8 << 3 | Schema.WIRE_VARINT;
    // KeyValue
    static final byte KEY = 1 << 3 | Schema.WIRE_LENGTH;
    static final byte VALUE = 2 << 3 | Schema.WIRE_LENGTH;
    // AnyValue, the members that Kafka's clients use and those as simple
    static final byte STRING_VALUE = 1 << 3 | Schema.WIRE_LENGTH;
    static final byte BOOL_VALUE = 2 << 3 | Schema.WIRE_VARINT;
    static final byte INT_ATTRIBUTE_VALUE = 3 << 3 | Schema.WIRE_VARINT;
    static final byte DOUBLE_ATTRIBUTE_VALUE = 4 << 3 | Schema.WIRE_FIXED64;
    static final byte BYTES_VALUE = 7 << 3 | Schema.WIRE_LENGTH;

    private Tag() {}
}
