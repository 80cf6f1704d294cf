/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.message;

import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * A kind of failure that should not happen and may happen with every push: logged with its cause the first time, then at
 * most once a minute with a count. Thread-safe, never throws and never blocks.
 */
public final class RepeatedFailure {
    private final Logger log;
    private final String message;
    private final OncePerMinute limit;

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
        this.limit = new OncePerMinute(nanoClock);
    }

    /**
     * Logs the failure, or counts it until it may be logged again.
     *
     * @param cause the failure
     */
    public void happened(Throwable cause) {
        try {
            long times = limit.happened();
            if (times > 0) {
                log.error("{} (times since it was last logged: {})", message, times, cause);
            }
        } catch (Throwable logging) {
            // Out of memory, or a logging system that throws. What failed is counted in the metrics in any case.
        }
    }
}
