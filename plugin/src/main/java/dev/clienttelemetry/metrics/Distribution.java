/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long something took, since start: total, count and a histogram with fixed buckets. Thread-safe; recording never
 * blocks and allocates nothing in the steady state.
 */
public final class Distribution {
    private final long[] boundsNanos;
    private final LongAdder[] buckets;
    private final LongAdder totalNanos = new LongAdder();

    /**
     * Creates an empty distribution.
     *
     * @param boundsNanos the buckets' inclusive upper bounds in nanoseconds, ascending; above the last comes one more
     */
    Distribution(long... boundsNanos) {
        this.boundsNanos = boundsNanos.clone();
        this.buckets = new LongAdder[boundsNanos.length + 1];
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] = new LongAdder();
        }
    }

    /**
     * Records one duration.
     *
     * @param nanos how long it took, in nanoseconds
     */
    public void record(long nanos) {
        int bucket = 0;
        while (bucket < boundsNanos.length && nanos > boundsNanos[bucket]) {
            bucket++;
        }
        buckets[bucket].increment();
        totalNanos.add(nanos);
    }

    /** Returns how many durations were recorded. */
    public long count() {
        long count = 0;
        for (LongAdder bucket : buckets) {
            count += bucket.sum();
        }
        return count;
    }

    /** Returns the sum of all durations in nanoseconds. */
    public long totalNanos() {
        return totalNanos.sum();
    }

    /** Returns the buckets' inclusive upper bounds in nanoseconds. */
    long[] boundsNanos() {
        return boundsNanos.clone();
    }

    /** Returns the number of durations in each bucket; the last is that above all bounds. */
    long[] counts() {
        return Arrays.stream(buckets).mapToLong(LongAdder::sum).toArray();
    }
}
