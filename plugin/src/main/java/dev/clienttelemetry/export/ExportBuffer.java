/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bounded memory between the request threads, the worker and the sender. Thread-safe.
 *
 * <p>Every push counts with its bytes and {@value #OVERHEAD_BYTES} more for the objects around them, in every stage: before
 * and during its conversion, while it waits to be sent, and until the backend has answered. Converted pushes hold at most
 * 7/8 of the bound. A push that finds no room evicts the oldest converted ones that are not under way; with cumulative
 * conversion that loses points in time but no increments.
 *
 * @param <U> the pushes that wait for conversion
 */
public final class ExportBuffer<U extends Unconverted> {
    /** Without this, pushes of a few bytes would fill the heap long before the bound. */
    static final int OVERHEAD_BYTES = 256;

    private final long maxBytes;
    private final long convertedMaxBytes;
    private final TelemetryMetrics metrics;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger pushes = new AtomicInteger();
    private final AtomicLong pointsInFlight = new AtomicLong();
    private final Queue<U> unconverted;
    private volatile boolean closed;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final SendQueue queue = new SendQueue();
    private long convertedBytes;
    private long wakeAtReadyBytes = Long.MAX_VALUE;
    private boolean woken;
    private long nowNanos;

    /**
     * Creates an empty buffer.
     *
     * @param maxBytes memory that payloads may hold in all stages together; 1/8 of it is reserved for unconverted ones
     * @param metrics filled with what is dropped
     */
    public ExportBuffer(long maxBytes, TelemetryMetrics metrics) {
        this(maxBytes, metrics, new ConcurrentLinkedQueue<>());
    }

    ExportBuffer(long maxBytes, TelemetryMetrics metrics, Queue<U> unconverted) {
        this.unconverted = unconverted;
        this.maxBytes = maxBytes;
        this.convertedMaxBytes = maxBytes - maxBytes / 8;
        this.metrics = metrics;
    }

    /** Returns what a push of so many bytes counts for. */
    static long cost(int size) {
        return (long) size + OVERHEAD_BYTES;
    }

    /**
     * Takes a push in. Called on request threads: takes no lock while there is room, and never blocks for longer than it
     * takes to drop the oldest. What finds no room, or comes after {@link PushExporter#close}, is counted and dropped. A
     * push for which this throws is neither held nor counted.
     *
     * @return whether it was taken in
     */
    public boolean offer(U push) {
        if (closed) {
            dropped(PushDropReason.SHUTDOWN);
            return false;
        }
        long cost = cost(push.size());
        if (!reserve(cost) && !makeRoom(cost)) {
            dropped(cost > maxBytes ? PushDropReason.BUFFER_FULL : PushDropReason.CONVERSION_BACKLOG);
            return false;
        }
        pushes.incrementAndGet();
        boolean added = false;
        try {
            unconverted.add(push);
            added = true;
        } finally {
            if (!added) {
                bytes.addAndGet(-cost);
                pushes.decrementAndGet();
            }
        }
        if (closed && unconverted.remove(push)) {
            drop(cost, PushDropReason.SHUTDOWN);
            return false;
        }
        return true;
    }

    /**
     * Takes a push to convert; its bytes stay counted until {@link #converted} or {@link #failed}. Nobody is woken when one
     * is offered: that would cost the request thread more than all the rest.
     *
     * @return the oldest unconverted push, or null where there is none
     */
    public U take() {
        return unconverted.poll();
    }

    /**
     * Replaces a taken push by what became of it.
     *
     * @param push what {@link #take} gave
     * @param chunk what to send, or null where nothing is left of it
     */
    public void converted(U push, Chunk chunk) {
        long before = cost(push.size());
        if (chunk == null || chunk.size() == 0) {
            bytes.addAndGet(-before);
            try {
                metrics.pushesEmpty().increment();
            } finally {
                pushes.decrementAndGet();
            }
            return;
        }
        long after = cost(chunk.size());
        long held = before;
        PushDropReason lost = PushDropReason.INTERNAL_ERROR;
        try {
            lock.lock();
            try {
                if (closed) {
                    lost = PushDropReason.SHUTDOWN;
                } else if (!makeRoom(before, after)) {
                    lost = PushDropReason.BUFFER_FULL;
                } else {
                    held = after;
                    int size = queue.size();
                    try {
                        queue.add(chunk, nowNanos);
                    } finally {
                        if (queue.size() > size) {
                            convertedBytes += after;
                            lost = null;
                        }
                    }
                    if (queue.readyBytes() >= wakeAtReadyBytes || queue.hasReadyAlone()) {
                        changed.signalAll();
                    }
                }
            } finally {
                lock.unlock();
            }
        } finally {
            // Out of memory, for one: the push is lost, its room is not.
            if (lost != null) {
                drop(held, lost);
            }
        }
    }

    /** Makes room for what a push was converted to, and has it count for that. */
    private boolean makeRoom(long before, long after) {
        boolean possible = convertedBytes - queue.bytes() + after <= convertedMaxBytes;
        while (possible && (convertedBytes + after > convertedMaxBytes || !reserve(after - before))) {
            possible = evictOldest(PushDropReason.BUFFER_FULL);
        }
        return possible;
    }

    /** Drops a taken push that could not be converted. */
    public void failed(U push) {
        drop(cost(push.size()), PushDropReason.INTERNAL_ERROR);
    }

    /** Returns the bytes held now, in all stages together; never more than {@link #maxBytes}. */
    public long bytes() {
        return bytes.get();
    }

    /** Returns the bound. */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Returns how many pushes are held now, in all stages together: taken in, and not yet counted as delivered, dropped or
     * empty.
     */
    public int pushes() {
        return pushes.get();
    }

    /** Returns how many data points were in a request and are neither delivered nor given up. */
    long pointsInFlight() {
        return pointsInFlight.get();
    }

    /**
     * Returns how long the oldest push has been waiting, to be converted or to be sent, in nanoseconds; 0 where none waits.
     */
    long oldestAgeNanos(long nanos) {
        U oldestUnconverted = unconverted.peek();
        long age = oldestUnconverted == null ? 0 : nanos - oldestUnconverted.receivedNanos();
        lock.lock();
        try {
            Chunk oldest = queue.oldest();
            return oldest == null ? age : Math.max(age, nanos - oldest.receivedNanos());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fills a batch where there is one that is worth sending. Whatever is thrown, what is taken is in the batch.
     *
     * @return whether there is one
     */
    boolean takeBatch(Batch into, ExportSettings settings, boolean now, long nanos) {
        lock.lock();
        try {
            nowNanos = nanos;
            boolean due = queue.hasReady()
                    && (now
                            || queue.readyBytes() >= settings.batchMaxBytes()
                            || nanos - queue.oldestReadyReceivedNanos()
                                    >= TimeUnit.MILLISECONDS.toNanos(settings.batchLingerMs()));
            if (queue.hasReadyAlone() && (!due || queue.aloneIsOlder())) {
                queue.takeAlone(into);
            } else if (due) {
                queue.takeBatch(into, settings.batchMaxBytes());
            }
            return !into.entries.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until there is something to do for the sender.
     *
     * @param readyBytes how much must be ready to be sent for that
     * @param timeoutNanos the longest time
     */
    void await(long readyBytes, long timeoutNanos) throws InterruptedException {
        lock.lock();
        try {
            wakeAtReadyBytes = readyBytes;
            long left = timeoutNanos;
            while (!woken
                    && left > 0
                    && queue.readyBytes() < readyBytes
                    && (readyBytes == Long.MAX_VALUE || !queue.hasReadyAlone())) {
                left = changed.awaitNanos(left);
            }
            woken = false;
            wakeAtReadyBytes = Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    /** Ends {@link #await}, or the next one. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns in how many nanoseconds the oldest chunk that may be sent has waited for company long enough. */
    long untilDue(long lingerNanos, long nanos) {
        lock.lock();
        try {
            if (queue.hasReadyAlone()) {
                return 0;
            }
            return queue.hasReady()
                    ? Math.max(0, queue.oldestReadyReceivedNanos() + lingerNanos - nanos)
                    : Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many converted chunks wait, those of failed batches included. */
    int waiting() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** Drops what was received too long ago and is not under way. */
    void dropOlderThan(long maxAgeNanos, long nanos) {
        lock.lock();
        try {
            nowNanos = nanos;
            Chunk oldest = queue.oldest();
            while (oldest != null && nanos - oldest.receivedNanos() >= maxAgeNanos) {
                evictOldest(PushDropReason.TOO_OLD);
                oldest = queue.oldest();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has an attempt of a taken batch begin. */
    void begin(Batch batch, long nanos) {
        lock.lock();
        try {
            nowNanos = nanos;
            pointsInFlight.addAndGet(batch.begin(nanos));
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a batch for another attempt. */
    void keep(Batch batch) {
        lock.lock();
        try {
            queue.keep(batch);
        } finally {
            lock.unlock();
        }
    }

    /** Takes a kept batch for another attempt; false where nothing is left of it. */
    boolean takeKept(Batch batch, long nanos) {
        lock.lock();
        try {
            queue.take(batch, nanos);
            return !batch.entries.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a batch, each of whose pushes is counted as what became of it. Where it throws, it may be called again and goes on
     * where it was.
     *
     * @param reason why it was dropped; null where the backend has it
     */
    void done(Batch batch, PushDropReason reason, long nanos) {
        if (reason != null) {
            for (SendQueue.Entry entry : batch.entries) {
                if (entry.attempted()) {
                    // Not while the lock is held, which those have who read what is shown.
                    metrics.attemptFailed(entry.errorType());
                }
            }
        }
        lock.lock();
        try {
            nowNanos = nanos;
            boolean attempted = false;
            for (SendQueue.Entry entry : batch.entries) {
                if (entry.finish()) {
                    convertedBytes -= cost(entry.chunk().size());
                    ended(entry, reason);
                    attempted |= entry.attempted();
                }
            }
            queue.done(batch, nanos);
            if (reason != null && attempted) {
                exportEndedInFailure(batch.entries.get(0), batch.firstAttemptNanos(), nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private void ended(SendQueue.Entry entry, PushDropReason reason) {
        bytes.addAndGet(-cost(entry.chunk().size()));
        if (entry.attempted()) {
            pointsInFlight.addAndGet(-entry.chunk().points());
        }
        try {
            if (reason == null) {
                metrics.pushesDelivered().increment();
                return;
            }
            dropped(reason);
            if (entry.attempted()) {
                metrics.pointsFailed().add(entry.errorType(), entry.chunk().points());
            }
        } finally {
            pushes.decrementAndGet();
        }
    }

    /** Puts the chunks of a batch of one client instance back; they go alone for a while. */
    void giveBackAlone(Batch batch, long aloneNanos, long nanos) {
        lock.lock();
        try {
            queue.goAlone(batch.entries.get(0).chunk().instance(), nanos + aloneNanos, nanos);
            queue.giveBack(batch, nanos);
        } finally {
            lock.unlock();
        }
    }

    /** Has a client instance's chunks go alone for a while. */
    void goAlone(ClientInstance instance, long aloneNanos, long nanos) {
        lock.lock();
        try {
            queue.goAlone(instance, nanos + aloneNanos, nanos);
        } finally {
            lock.unlock();
        }
    }

    /** Takes nothing any more and drops all that is not under way. */
    void close() {
        closed = true;
        lock.lock();
        try {
            while (evictOldest(PushDropReason.SHUTDOWN)) {
                // Until nothing waits.
            }
        } finally {
            lock.unlock();
        }
        for (U push = unconverted.poll(); push != null; push = unconverted.poll()) {
            drop(cost(push.size()), PushDropReason.SHUTDOWN);
        }
    }

    private boolean makeRoom(long cost) {
        lock.lock();
        try {
            while (!reserve(cost)) {
                // Evicting is in vain where it cannot be enough.
                if (bytes.get() - queue.bytes() + cost > maxBytes || !evictOldest(PushDropReason.BUFFER_FULL)) {
                    return false;
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean evictOldest(PushDropReason reason) {
        SendQueue.Entry oldest = queue.oldestEntry();
        if (oldest == null) {
            return false;
        }
        int before = queue.size();
        try {
            queue.removeOldest(nowNanos);
        } finally {
            if (queue.size() < before && oldest.finish()) {
                convertedBytes -= cost(oldest.chunk().size());
                ended(oldest, reason);
                if (oldest.wasLast()) {
                    exportEndedInFailure(oldest, oldest.firstAttemptNanos(), nowNanos);
                }
                oldest.forgetBytes();
            }
        }
        return true;
    }

    private void exportEndedInFailure(SendQueue.Entry entry, long firstAttemptNanos, long nanos) {
        if (entry.attempted()) {
            metrics.deliveryTimes().failed(entry.errorType(), Math.max(0, nanos - firstAttemptNanos));
        }
    }

    private boolean reserve(long cost) {
        while (true) {
            long held = bytes.get();
            if (held + cost > maxBytes) {
                return false;
            }
            if (bytes.compareAndSet(held, held + cost)) {
                return true;
            }
        }
    }

    /** Ends a push that was held. Counted before it is held no more, so that the counts are whole where nothing is held. */
    private void drop(long cost, PushDropReason reason) {
        bytes.addAndGet(-cost);
        try {
            dropped(reason);
        } finally {
            pushes.decrementAndGet();
        }
    }

    private void dropped(PushDropReason reason) {
        metrics.pushesDropped().increment(reason);
    }
}
