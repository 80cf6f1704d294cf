/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;

/** How long the OTLP requests took, from sending to the answer or its failure, by outcome. Thread-safe. */
public final class RequestTimes {
    /** What {@code error.type} is, by the semantic conventions, where there would be too many values. */
    static final String OTHER = "_OTHER";

    private static final int MAX_ERROR_TYPES = 32;

    private final Distribution succeeded = newDistribution();
    private final ConcurrentMap<String, Distribution> failed = new ConcurrentHashMap<>();
    private final Counter errors;
    private final BiConsumer<String, Distribution> onNewErrorType;

    /**
     * Creates empty ones.
     *
     * @param errors counts all that fail
     * @param onNewErrorType told of each error type when it first occurs
     */
    RequestTimes(Counter errors, BiConsumer<String, Distribution> onNewErrorType) {
        this.errors = errors;
        this.onNewErrorType = onNewErrorType;
    }

    /**
     * Records a request that the backend took, wholly or in part.
     *
     * @param nanos how long it took
     */
    public void succeeded(long nanos) {
        succeeded.record(nanos);
    }

    /**
     * Records a request that failed. Of the first 32 error types each is counted for itself, further ones together as
     * {@code _OTHER}.
     *
     * @param errorType {@code error.type} of OpenTelemetry's semantic conventions: an HTTP status ({@code 503}), the name
     *     of a gRPC status ({@code UNAVAILABLE}), {@code timeout}, or an exception's class name
     * @param nanos how long it took
     */
    public void failed(String errorType, long nanos) {
        Distribution distribution = failed.get(errorType);
        if (distribution == null) {
            distribution = firstOf(errorType);
        }
        distribution.record(nanos);
        errors.increment();
    }

    private synchronized Distribution firstOf(String errorType) {
        String bounded = failed.containsKey(errorType) || failed.size() < MAX_ERROR_TYPES ? errorType : OTHER;
        return failed.computeIfAbsent(bounded, type -> {
            Distribution created = newDistribution();
            onNewErrorType.accept(type, created);
            return created;
        });
    }

    /** Returns the times of requests that succeeded. */
    Distribution succeeded() {
        return succeeded;
    }

    private static Distribution newDistribution() {
        // The buckets that the semantic conventions advise for durations of requests, and two for a local collector.
        return new Distribution(
                millis(1),
                millis(2),
                millis(5),
                millis(10),
                millis(25),
                millis(50),
                millis(75),
                millis(100),
                millis(250),
                millis(500),
                millis(750),
                millis(1000),
                millis(2500),
                millis(5000),
                millis(7500),
                millis(10_000));
    }

    private static long millis(long millis) {
        return millis * 1_000_000;
    }
}
