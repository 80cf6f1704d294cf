/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/**
 * Somewhere that the metrics show. Is told of each series once, first of those that exist already; calls come one at a
 * time, on whichever thread brings the series about.
 */
public interface Exposition {
    /** A series can be read from now on. */
    void appeared(Series series);

    /** A series, the same object as it {@linkplain #appeared appeared}, is no longer to be read. */
    void vanished(Series series);
}
