/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/** Why a data point of an accepted push was left out or held back. */
public enum PointDropReason {
    /** A point without a time. */
    NO_TIME,
    /** A metric without a name. */
    NO_NAME,
    /** A metric without data. */
    NO_DATA,
    /** A gauge that is NaN: no measurement. */
    NAN_GAUGE,
    /** A NaN, infinite or missing value of a sum. */
    NON_FINITE,
    /** A sum with unspecified temporality. */
    UNSPECIFIED_TEMPORALITY,
    /** The same interval again. */
    REPEAT,
    /** Held back since the client's clock is before the last point sent; its delta is in a later point while its state lasts. */
    CLOCK_BACK,
    /** A new series beyond {@code client.telemetry.series.max}. */
    SERIES_BOUND,
    /** A new series beyond {@code client.telemetry.series.max.per.instance}. */
    INSTANCE_SERIES_BOUND,
    /** A resource beyond the most resources, or the most bytes of labels, that a push may result in. */
    RESOURCE_BOUND
}
