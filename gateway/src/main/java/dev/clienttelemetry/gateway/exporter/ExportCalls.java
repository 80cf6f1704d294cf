/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of a plugin's {@code exportMetrics}, whose plugin does not count them itself. Thread-safe. */
public final class ExportCalls {
    private final LongAdder calls = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder errors = new LongAdder();

    ExportCalls() {}

    void record(long durationNanos) {
        calls.increment();
        nanos.add(durationNanos);
    }

    void failed() {
        errors.increment();
    }

    /** Returns how many calls there were: KIP-714's ClientMetricsPluginExportCount. */
    public long calls() {
        return calls.sum();
    }

    /** Returns how long they took together, in nanoseconds: KIP-714's ClientMetricsPluginExportTimeMs. */
    public long nanos() {
        return nanos.sum();
    }

    /** Returns how many raised an exception: KIP-714's ClientMetricsPluginErrorCount. */
    public long errors() {
        return errors.sum();
    }
}
