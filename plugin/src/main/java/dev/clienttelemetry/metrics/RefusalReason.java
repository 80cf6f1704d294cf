/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/**
 * Why a push was answered with INVALID_RECORD: its bytes are not sound OTLP. The client stops pushing for good, so
 * nothing but the bytes themselves may lead here.
 */
public enum RefusalReason {
    /** A length or a field runs past the end of its message. */
    TRUNCATED,
    /** A tag with field number 0, one above 536870911, or a reserved wire type. */
    INVALID_TAG,
    /** A varint of more than 64 bits. */
    INVALID_VARINT,
    /** A known field with another wire type than the schema's. */
    WRONG_WIRE_TYPE,
    /** A string that is not UTF-8. */
    INVALID_UTF8,
    /** A singular field twice in one message. */
    REPEATED_SINGULAR,
    /** Two members of a oneof in one message. */
    ONEOF_CONFLICT,
    /** A group, which no OTLP message has. */
    GROUP,
    /** More than 32 messages on a path. */
    TOO_DEEP,
    /** A compressed payload (Kafka 3.7 hands these over) that does not decompress. */
    UNDECOMPRESSABLE
}
