/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import dev.clienttelemetry.message.RepeatedFailure;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads for what must not run on an event loop, and a bound on what waits for them. Thread-safe; taking work in
 * never blocks.
 */
public final class Workers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);

    /** What a waiting request costs besides its payload, roughly. */
    private static final int REQUEST_BYTES = 1024;

    private static final long CLOSE_SECONDS = 5;

    /**
     * How long a client waits for its answer at most: Kroxylicious holds back the connection's other requests meanwhile,
     * and closes the connection after 20 s.
     */
    static final long ANSWER_WITHIN_MS = 5_000;

    private final ExecutorService threads;
    private final long maxBytes;
    private final int maxRequests;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicInteger waitingRequests = new AtomicInteger();
    private final LongAdder refused = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final RepeatedFailure failure = new RepeatedFailure(
            LOG, "A telemetry request failed; its client is told to come again later", System::nanoTime);
    private final ScheduledExecutorService timer;

    /**
     * One connection's place before the workers. It has one request there at a time, also when that one was answered
     * since it took too long: so one connection cannot fill the queue, and the plugin gets its pushes in order.
     */
    public static final class Lane {
        private final AtomicBoolean taken = new AtomicBoolean();
    }

    /**
     * Starts without any threads; they come with the first work.
     *
     * @param count how many threads
     * @param maxRequests the most requests that may wait or be worked on
     * @param maxBytes the most bytes of payload that may wait or be worked on
     * @param timer ends the wait for an answer that takes too long; stays the caller's
     */
    Workers(int count, int maxRequests, long maxBytes, ScheduledExecutorService timer) {
        this.timer = timer;
        AtomicInteger number = new AtomicInteger();
        this.threads = Executors.newFixedThreadPool(count, task -> {
            Thread thread = new Thread(task, "client-telemetry-gateway-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
    }

    /**
     * Takes work in.
     *
     * @param lane the connection's
     * @param payloadBytes how much memory the request's payload holds
     * @param work run on one of the threads, unless it still waits for one when its time is up
     * @param instead gives the answer where the work failed, or gave none within {@value #ANSWER_WITHIN_MS} ms
     * @return what the work gives, or what stands for it; empty where there is no room, the lane is taken or the gateway is
     *     closed
     */
    public <T> Optional<CompletionStage<T>> take(Lane lane, int payloadBytes, Supplier<T> work, Supplier<T> instead) {
        if (!lane.taken.compareAndSet(false, true)) {
            refused.increment();
            return Optional.empty();
        }
        long bytes = (long) payloadBytes + REQUEST_BYTES;
        int requests = waitingRequests.incrementAndGet();
        if (waitingBytes.addAndGet(bytes) > maxBytes + REQUEST_BYTES || requests > maxRequests) {
            leave(lane, bytes);
            refused.increment();
            return Optional.empty();
        }
        CompletableFuture<T> done = new CompletableFuture<>();
        ScheduledFuture<?> deadline = null;
        try {
            deadline = timer.schedule(() -> tooLate(done, instead), ANSWER_WITHIN_MS, TimeUnit.MILLISECONDS);
            ScheduledFuture<?> scheduled = deadline;
            threads.execute(() -> work(lane, bytes, work, instead, done, scheduled));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            // Closed, or the process has as many threads as it may have.
            if (deadline != null) {
                deadline.cancel(false);
            }
            leave(lane, bytes);
            refused.increment();
            return Optional.empty();
        }
        return Optional.of(done);
    }

    private <T> void tooLate(CompletableFuture<T> done, Supplier<T> instead) {
        if (done.complete(instead.get())) {
            late.increment();
        }
    }

    private <T> void work(
            Lane lane,
            long bytes,
            Supplier<T> work,
            Supplier<T> instead,
            CompletableFuture<T> done,
            ScheduledFuture<?> deadline) {
        if (done.isDone()) {
            leave(lane, bytes);
            return;
        }
        T answer;
        try {
            answer = work.get();
        } catch (Throwable e) {
            // Out of memory, or a bug. The host would close the connection, and a producer's records with it.
            failure.happened(e);
            answer = instead.get();
        }
        // Before the answer: whoever gets it may send the next request at once, and finds its room free.
        leave(lane, bytes);
        deadline.cancel(false);
        done.complete(answer);
    }

    private void leave(Lane lane, long bytes) {
        waitingBytes.addAndGet(-bytes);
        waitingRequests.decrementAndGet();
        lane.taken.set(false);
    }

    /** Returns the bytes that wait or are worked on. */
    public long waitingBytes() {
        return waitingBytes.get();
    }

    /** Returns how many requests wait or are worked on. */
    public int waitingRequests() {
        return waitingRequests.get();
    }

    /** Returns how much work was refused for want of room. */
    public long refused() {
        return refused.sum();
    }

    /** Returns how many answers were given for the work since it took too long. */
    public long late() {
        return late.sum();
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
