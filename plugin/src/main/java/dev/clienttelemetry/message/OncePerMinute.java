/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.message;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Limits the log lines about something that may happen with every request: the first one at once, then one a minute at
 * most, with a count. Thread-safe, never blocks.
 */
public final class OncePerMinute {
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoClock;
    private final AtomicLong untold = new AtomicLong();
    private final AtomicLong quietUntil;

    /**
     * Creates a limit for what has not happened yet.
     *
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public OncePerMinute(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.quietUntil = new AtomicLong(nanoClock.getAsLong());
    }

    /**
     * Counts that it happened.
     *
     * @return how often it did since it was last to be logged, this time included, or 0 where it is not to be logged
     */
    public long happened() {
        untold.incrementAndGet();
        long now = nanoClock.getAsLong();
        long until = quietUntil.get();
        return now - until >= 0 && quietUntil.compareAndSet(until, now + QUIET_NANOS) ? untold.getAndSet(0) : 0;
    }
}
