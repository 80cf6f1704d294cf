/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.function.BiConsumer;

/** A total since start, split by {@code error.type} of OpenTelemetry's semantic conventions. Thread-safe. */
public final class ErrorTypeCounter {
    private final Counter all = new Counter();
    private final ByErrorType<Counter> byType;

    /**
     * Creates a counter at zero.
     *
     * @param onNewErrorType told of each error type when it first occurs
     */
    ErrorTypeCounter(BiConsumer<String, Counter> onNewErrorType) {
        this.byType = new ByErrorType<>(Counter::new, onNewErrorType);
    }

    /**
     * Adds an amount. Of the first 32 error types each is counted for itself, further ones together as {@code _OTHER}.
     *
     * @param errorType why
     * @param amount what to add, at least 0
     */
    public void add(String errorType, long amount) {
        byType.of(errorType).add(amount);
        all.add(amount);
    }

    /** Returns the total of one error type since start. */
    public long total(String errorType) {
        return byType.ifKnown(errorType).map(Counter::total).orElse(0L);
    }

    /** Returns the total over all error types since start. */
    public long total() {
        return all.total();
    }

    /** Has an error type shown, at zero where nothing was added for it yet. */
    void occurs(String errorType) {
        byType.of(errorType);
    }
}
