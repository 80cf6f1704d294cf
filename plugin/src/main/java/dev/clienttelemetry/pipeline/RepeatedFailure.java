/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * A kind of failure that should not happen and may happen with every push: logged with its cause the first time, then at
 * most once a minute with a count. Thread-safe, never throws and never blocks.
 */
public final class RepeatedFailure {
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final String message;
    private final LongSupplier nanoClock;
    private final AtomicLong unlogged = new AtomicLong();
    private final AtomicLong quietUntil;

    /**
     * Creates a failure that has not happened.
     *
     * @param log where it is logged, at ERROR
     * @param message what failed and what becomes of it
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public RepeatedFailure(Logger log, String message, LongSupplier nanoClock) {
        this.log = log;
        this.message = message;
        this.nanoClock = nanoClock;
        this.quietUntil = new AtomicLong(nanoClock.getAsLong());
    }

    /**
     * Logs the failure, or counts it until it may be logged again.
     *
     * @param cause the failure
     */
    public void happened(Throwable cause) {
        try {
            unlogged.incrementAndGet();
            long now = nanoClock.getAsLong();
            long until = quietUntil.get();
            if (now - until >= 0 && quietUntil.compareAndSet(until, now + QUIET_NANOS)) {
                log.error("{} (times since it was last logged: {})", message, unlogged.getAndSet(0), cause);
            }
        } catch (Throwable logging) {
            // Out of memory, or a logging system that throws. What failed is counted in the metrics in any case.
        }
    }
}
