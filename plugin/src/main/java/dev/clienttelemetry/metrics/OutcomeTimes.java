/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.function.BiConsumer;

/** How long something took that succeeds or fails, by outcome. Thread-safe. */
public final class OutcomeTimes {
    private final long[] boundsNanos;
    private final Distribution succeeded;
    private final Counter failures = new Counter();
    private final ByErrorType<Distribution> failed;

    /**
     * Creates empty ones.
     *
     * @param onNewErrorType told of each error type when it first occurs
     * @param boundsNanos as {@link Distribution} has them
     */
    OutcomeTimes(BiConsumer<String, Distribution> onNewErrorType, long... boundsNanos) {
        this.boundsNanos = boundsNanos;
        this.succeeded = new Distribution(boundsNanos);
        this.failed = new ByErrorType<>(() -> new Distribution(this.boundsNanos), onNewErrorType);
    }

    /**
     * Records a success.
     *
     * @param nanos how long it took
     */
    public void succeeded(long nanos) {
        succeeded.record(nanos);
    }

    /**
     * Records a failure. Of the first 32 error types each is counted for itself, further ones together as {@code _OTHER}.
     *
     * @param errorType {@code error.type} of OpenTelemetry's semantic conventions: an HTTP status ({@code 503}), the name
     *     of a gRPC status ({@code UNAVAILABLE}), {@code timeout}, or an exception's class name
     * @param nanos how long it took
     */
    public void failed(String errorType, long nanos) {
        failed.of(errorType).record(nanos);
        failures.increment();
    }

    /** Returns the times of what succeeded. */
    public Distribution succeeded() {
        return succeeded;
    }

    /** Returns how many failed with an error type. */
    public long failures(String errorType) {
        return failed.ifKnown(errorType).map(Distribution::count).orElse(0L);
    }

    /** Returns how many failed. */
    public long failures() {
        return failures.total();
    }

    /** Has an error type shown, at zero where nothing failed with it yet. */
    void occurs(String errorType) {
        failed.of(errorType);
    }
}
