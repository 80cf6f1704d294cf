/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * A few threads for what must not run on an event loop, and a bound on what waits for them. Thread-safe; taking work in
 * never blocks.
 */
public final class Workers implements AutoCloseable {
    /** What a waiting request costs besides its payload, roughly. */
    private static final int REQUEST_BYTES = 1024;

    private static final long CLOSE_SECONDS = 5;

    private final ExecutorService threads;
    private final long maxBytes;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final LongAdder refused = new LongAdder();

    /**
     * Starts without any threads; they come with the first work.
     *
     * @param count how many threads
     * @param maxBytes the most bytes of payload that may wait or be worked on
     */
    Workers(int count, long maxBytes) {
        AtomicInteger number = new AtomicInteger();
        this.threads = Executors.newFixedThreadPool(count, task -> {
            Thread thread = new Thread(task, "client-telemetry-gateway-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        this.maxBytes = maxBytes;
    }

    /**
     * Takes work in.
     *
     * @param payloadBytes how much memory the request's payload holds
     * @param work run on one of the threads
     * @return what the work gives, or empty where there is no room or the gateway is closed
     */
    public <T> Optional<CompletionStage<T>> take(int payloadBytes, Supplier<T> work) {
        long bytes = (long) payloadBytes + REQUEST_BYTES;
        if (waitingBytes.addAndGet(bytes) > maxBytes + REQUEST_BYTES) {
            waitingBytes.addAndGet(-bytes);
            refused.increment();
            return Optional.empty();
        }
        CompletableFuture<T> done = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                T result = null;
                Throwable failure = null;
                try {
                    result = work.get();
                } catch (Throwable e) {
                    failure = e;
                }
                // Before the answer: whoever gets it may send the next request at once, and finds its room free.
                waitingBytes.addAndGet(-bytes);
                if (failure == null) {
                    done.complete(result);
                } else {
                    done.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException closed) {
            waitingBytes.addAndGet(-bytes);
            refused.increment();
            return Optional.empty();
        }
        return Optional.of(done);
    }

    /** Returns the bytes that wait or are worked on. */
    public long waitingBytes() {
        return waitingBytes.get();
    }

    /** Returns how much work was refused for want of room. */
    public long refused() {
        return refused.sum();
    }

    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
