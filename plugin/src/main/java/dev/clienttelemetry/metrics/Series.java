/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.function.LongSupplier;

/**
 * One value, or one distribution, of an instrument that can be read now.
 *
 * @param instrument what is measured
 * @param tag the value of the instrument's {@linkplain Instrument#tag() tag}, null for the series without one
 * @param sum whether this is the sum of the instrument's other series, for views where, as in Kafka's own JMX, the sum
 *     stands beside its parts
 * @param value gives the value, in nanoseconds where the unit is {@code s}, or {@link Instrument#NOT_KNOWN}; null for a
 *     distribution. Called on any thread
 * @param distribution the distribution, else null
 */
public record Series(Instrument instrument, String tag, boolean sum, LongSupplier value, Distribution distribution) {

    static Series of(Instrument instrument, LongSupplier value) {
        return new Series(instrument, null, false, value, null);
    }

    static Series sum(Instrument instrument, LongSupplier value) {
        return new Series(instrument, null, true, value, null);
    }

    static Series tagged(Instrument instrument, String tag, LongSupplier value) {
        return new Series(instrument, tag, false, value, null);
    }

    static Series of(Instrument instrument, String tag, Distribution distribution) {
        return new Series(instrument, tag, false, null, distribution);
    }
}
