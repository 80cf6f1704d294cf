/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

/** {@code otel.exporter.otlp.metrics.temporality.preference}. */
public enum Temporality {
    /** Delta sums become cumulative. */
    CUMULATIVE,
    /** Monotonic delta sums pass unchanged. */
    DELTA,
    /** Monotonic delta sums pass unchanged. */
    LOWMEMORY
}
