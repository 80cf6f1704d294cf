/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The bounded memory between the request threads, the worker and the sender. Thread-safe.
 *
 * @param <U> the pushes that wait for conversion
 */
public final class ExportBuffer<U extends Unconverted> {
    private final BlockingQueue<U> unconverted = new LinkedBlockingQueue<>();

    /**
     * Creates an empty buffer.
     *
     * @param maxBytes memory that payloads may hold in all stages together; 1/8 of it is reserved for unconverted ones
     * @param metrics filled with what is dropped
     */
    public ExportBuffer(long maxBytes, TelemetryMetrics metrics) {}

    /**
     * Takes a push in. Called on request threads: never blocks. What finds no room is counted and dropped.
     *
     * @return whether there was room
     */
    public boolean offer(U push) {
        return unconverted.offer(push);
    }

    /**
     * Waits for a push to convert; its bytes stay counted until {@link #converted}.
     *
     * @return the oldest unconverted push, or null when the time is up
     */
    public U take(long timeout, TimeUnit unit) throws InterruptedException {
        return unconverted.poll(timeout, unit);
    }

    /**
     * Replaces a taken push by what became of it.
     *
     * @param push what {@link #take} gave
     * @param chunk what to send, or null where nothing is left of it
     */
    public void converted(U push, Chunk chunk) {}

    /** Returns the bytes held now, in all stages together; never more than {@link #maxBytes}. */
    public long bytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the bound. */
    public long maxBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns how many pushes are held now, in all stages together. */
    public int pushes() {
        throw new UnsupportedOperationException();
    }
}
