/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Delivers what is in the {@link ExportBuffer}: makes batches, sends them, several at a time and each client instance's
 * pushes in order, and tries again as long as a batch may live. Thread-safe.
 */
public final class PushExporter {
    /**
     * Creates an exporter that does nothing until {@link #start}.
     *
     * @param settings batching and delivery
     * @param buffer where the pushes come from
     * @param connection where they go to; stays the caller's to close, after this exporter
     * @param metrics filled with what is sent and what is dropped
     * @param nanoClock the monotonic clock behind {@link Chunk#receivedNanos}, such as {@code System::nanoTime}
     */
    public PushExporter(
            ExportSettings settings,
            ExportBuffer<?> buffer,
            OtlpConnection connection,
            TelemetryMetrics metrics,
            LongSupplier nanoClock) {}

    /** Starts the sender's thread. To be called once. */
    public void start() {
        throw new UnsupportedOperationException();
    }

    /** Returns how many requests wait for their answer now. */
    public int requestsInFlight() {
        throw new UnsupportedOperationException();
    }

    /**
     * Sends what waits in the buffer at once, waits for the answers, then stops, whatever happens, when the time is up.
     * To be called after the last {@link ExportBuffer#converted}. Closes the buffer: what is still in it is counted as
     * {@link dev.clienttelemetry.metrics.PushDropReason#SHUTDOWN}. Works, without waiting, where {@link #start} was never
     * called; a second call does nothing.
     *
     * @param timeout how long this may take
     */
    public void close(Duration timeout) {
        throw new UnsupportedOperationException();
    }
}
