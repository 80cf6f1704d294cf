/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import dev.clienttelemetry.message.RepeatedFailure;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects and exports once per interval, and once more at the end. OpenTelemetry's own periodic reader takes up to
 * fifteen seconds to shut down when the backend hangs, and a broker's reporter has five for everything.
 */
final class IntervalReader implements MetricReader {
    private static final Logger LOG = LoggerFactory.getLogger(IntervalReader.class);
    private static final long EXPORT_TIMEOUT_SECONDS = 30;

    private final MetricExporter exporter;
    private final Duration interval;
    private final ScheduledThreadPoolExecutor thread;
    // The interval may be a millisecond.
    private final RepeatedFailure failure =
            new RepeatedFailure(LOG, "The plugin's own metrics could not be sent this time", System::nanoTime);
    private volatile CollectionRegistration registration = CollectionRegistration.noop();

    IntervalReader(MetricExporter exporter, Duration interval) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("the interval must be more than zero, not " + interval);
        }
        this.exporter = exporter;
        this.interval = interval;
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread created = new Thread(task, "client-telemetry-own-metrics");
            created.setDaemon(true);
            return created;
        });
    }

    void start() {
        thread.scheduleWithFixedDelay(this::exportNow, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Exports the last values, and stops whatever happens when the time is up. To be called once. */
    void finish(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        thread.execute(this::exportNow);
        thread.shutdown();
        try {
            if (!thread.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
        exporter.shutdown().join(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private void exportNow() {
        try {
            Collection<MetricData> collected = registration.collectAllMetrics();
            if (!collected.isEmpty()) {
                // Whether the backend took it, the exporter's connection tells the operator.
                exporter.export(collected).join(EXPORT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
        } catch (Throwable unexpected) {
            // A periodic task that throws is not run again, out of memory or not.
            failure.happened(unexpected);
        }
    }

    @Override
    public void register(CollectionRegistration registration) {
        this.registration = registration;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType instrumentType) {
        return exporter.getAggregationTemporality(instrumentType);
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType instrumentType) {
        return exporter.getDefaultAggregation(instrumentType);
    }

    @Override
    public MemoryMode getMemoryMode() {
        // The exporter may still hold what it was given when the next collection begins.
        return MemoryMode.IMMUTABLE_DATA;
    }

    @Override
    public CompletableResultCode forceFlush() {
        return exporter.flush();
    }

    /** Called by the provider after {@link #finish}, which has done everything. */
    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}
