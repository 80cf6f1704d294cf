/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.export.Chunk;
import dev.clienttelemetry.export.ExportBuffer;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.message.RepeatedFailure;
import dev.clienttelemetry.otlp.ConvertedPush;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that converts pushes: it owns the cumulative state, so there is no lock around it. It also drops the
 * state of the client instances that ended. Whatever a push does to it, the next one is converted.
 */
final class ConversionWorker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ConversionWorker.class);
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /**
     * How long the worker sleeps where no push waits. A request thread that woke it would pay four times for that what it
     * pays for the copy of a large push; and what comes within so short a time finds room, at the cost of the oldest
     * converted pushes where the buffer is full.
     */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ExportBuffer<ReceivedPush> buffer;
    private final ClientInstances instances;
    private final Conversion conversion;
    private final FirstPush firstPush;
    private final LongSupplier nanoClock;
    private final RepeatedFailure conversionFailure;
    private final RepeatedFailure tickFailure;
    private final Queue<ClientInstance> endedWithoutConversion = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean finishing;
    private long nextTickNanos;

    ConversionWorker(
            ExportBuffer<ReceivedPush> buffer,
            ClientInstances instances,
            Conversion conversion,
            FirstPush firstPush,
            LongSupplier nanoClock) {
        this.buffer = buffer;
        this.instances = instances;
        this.conversion = conversion;
        this.firstPush = firstPush;
        this.nanoClock = nanoClock;
        this.conversionFailure = new RepeatedFailure(
                LOG, "A push could not be converted and is dropped; the series of its client start anew", nanoClock);
        this.tickFailure =
                new RepeatedFailure(LOG, "The state of ended client instances could not be dropped", nanoClock);
        this.thread = new Thread(this, "client-telemetry-worker");
        thread.setDaemon(true);
    }

    void start() {
        nextTickNanos = nanoClock.getAsLong() + TICK_NANOS;
        thread.start();
    }

    /** Has the state of an instance dropped whose terminating push never reaches the worker. Never blocks. */
    void endedWithoutConversion(ClientInstance instance) {
        endedWithoutConversion.add(instance);
    }

    /**
     * Converts what is in the buffer, then stops; stops anyway when the time is up. To be called when nothing is offered to
     * the buffer any more.
     *
     * @return whether everything was converted
     */
    boolean finish(Duration timeout) {
        finishing = true;
        try {
            thread.join(Math.max(1, timeout.toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        boolean finished = !thread.isAlive();
        thread.interrupt();
        return finished;
    }

    @Override
    public void run() {
        while (!Thread.interrupted()) {
            try {
                // In this order: what was offered before finish() is found after it.
                boolean last = finishing;
                ReceivedPush push = buffer.take();
                if (push != null) {
                    convert(push);
                } else if (last) {
                    return;
                } else {
                    LockSupport.parkNanos(this, IDLE_NANOS);
                }
                if (nanoClock.getAsLong() - nextTickNanos >= 0) {
                    tick();
                }
            } catch (Throwable unexpected) {
                conversionFailure.happened(unexpected);
            }
        }
    }

    private void convert(ReceivedPush push) {
        Chunk chunk = null;
        boolean converted = false;
        try {
            firstPush.received(push);
            ConvertedPush left =
                    conversion.convert(push.instance(), push.client(), push.payload(), push.receivedNanos());
            if (left.points() > 0) {
                chunk = new Chunk(
                        push.instance(),
                        left.head(),
                        left.body(),
                        left.bodyStart(),
                        left.points(),
                        push.receivedNanos());
            }
            converted = true;
        } catch (Throwable unexpected) {
            conversionFailure.happened(unexpected);
            // The state may be half-way between two pushes: a wrong total would be worse than a new start.
            conversion.forget(push.instance());
        } finally {
            if (converted) {
                buffer.converted(push, chunk);
            } else {
                buffer.failed(push);
            }
        }
        if (push.terminating()) {
            conversion.forget(push.instance());
        }
    }

    private void tick() {
        nextTickNanos = nanoClock.getAsLong() + TICK_NANOS;
        try {
            for (ClientInstance ended = endedWithoutConversion.poll();
                    ended != null;
                    ended = endedWithoutConversion.poll()) {
                conversion.forget(ended);
            }
            instances.expire(conversion::forget);
            firstPush.check();
        } catch (Throwable unexpected) {
            tickFailure.happened(unexpected);
        }
    }
}
