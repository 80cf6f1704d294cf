/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * A total since start, split by a closed set of reasons. Thread-safe; adding never blocks.
 *
 * @param <R> the reasons; the lower-case name of a constant is the value of the metric's label
 */
public final class ReasonCounter<R extends Enum<R>> {
    private final R[] reasons;
    private final LongAdder[] totals;

    /**
     * Creates a counter with every reason at zero.
     *
     * @param reasons the enum whose constants are the reasons
     */
    public ReasonCounter(Class<R> reasons) {
        this.reasons = reasons.getEnumConstants();
        this.totals = new LongAdder[this.reasons.length];
        for (int i = 0; i < totals.length; i++) {
            totals[i] = new LongAdder();
        }
    }

    /** Adds one for a reason. */
    public void increment(R reason) {
        totals[reason.ordinal()].increment();
    }

    /**
     * Adds an amount for a reason.
     *
     * @param reason why
     * @param amount what to add, at least 0
     */
    public void add(R reason, long amount) {
        totals[reason.ordinal()].add(amount);
    }

    /** Returns the total of one reason since start. */
    public long total(R reason) {
        return totals[reason.ordinal()].sum();
    }

    /** Returns the total over all reasons since start. */
    public long total() {
        long sum = 0;
        for (LongAdder total : totals) {
            sum += total.sum();
        }
        return sum;
    }

    /** Returns the reasons, in the order of their declaration. */
    R[] reasons() {
        return reasons.clone();
    }
}
