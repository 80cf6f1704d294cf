/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/** Why a series that has state began a new sequence (a new start time) instead of adding to the old one. */
public enum SequenceRestart {
    /** The interval starts after the last one ended: a push was lost or went to another broker. */
    GAP,
    /** The interval starts before the last one ended. */
    OVERLAP,
    /** The client's clock stayed behind the last point sent for five minutes. */
    CLOCK_BACK,
    /** A negative delta of a monotonic sum. */
    NEGATIVE_DELTA,
    /** The sum left the range of int64. */
    OVERFLOW
}
