/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.concurrent.atomic.LongAdder;

/** A total since start that only grows. Thread-safe; adding never blocks and allocates nothing in the steady state. */
public final class Counter {
    private final LongAdder total = new LongAdder();

    /** Adds one. */
    public void increment() {
        total.increment();
    }

    /**
     * Adds an amount.
     *
     * @param amount what to add, at least 0
     */
    public void add(long amount) {
        total.add(amount);
    }

    /** Returns the total since start. */
    public long total() {
        return total.sum();
    }
}
