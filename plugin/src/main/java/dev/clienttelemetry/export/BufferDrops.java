/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Tells that pushes are dropped for want of room, once when it begins and once when none was for a minute. Looks at the
 * counters now and then, so that dropping itself, on request threads, logs nothing. For one thread.
 */
final class BufferDrops {
    private static final long CALM_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final PushDropReason reason;
    private final String cause;
    private final TelemetryMetrics metrics;
    private final Logger log;
    private long seen;
    private boolean dropping;
    private long before;
    private long beganNanos;
    private long lastNanos;

    BufferDrops(PushDropReason reason, String cause, TelemetryMetrics metrics, Logger log) {
        this.reason = reason;
        this.cause = cause;
        this.metrics = metrics;
        this.log = log;
        this.seen = metrics.pushesDropped().total(reason);
    }

    void tick(long nanos) {
        long total = metrics.pushesDropped().total(reason);
        if (total != seen) {
            if (!dropping) {
                dropping = true;
                before = seen;
                beganNanos = nanos;
                log.warn("Pushes are being dropped, {} until now: {}", total - before, cause);
            }
            seen = total;
            lastNanos = nanos;
        } else if (dropping && nanos - lastNanos >= CALM_NANOS) {
            dropping = false;
            log.warn(
                    "No push has been dropped for a minute; {} were within {} s before: {}",
                    seen - before,
                    TimeUnit.NANOSECONDS.toSeconds(lastNanos - beganNanos),
                    cause);
        }
    }
}
