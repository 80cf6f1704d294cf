/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

import dev.clienttelemetry.metrics.InstanceEnd;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The client instances seen, bounded and in memory only. Thread-safe.
 *
 * <p>A push of a known instance costs a look-up and a compare-and-set on that instance's own memory; there is nothing
 * that all request threads write to. The order of eviction is therefore not kept with every push but read off when it
 * is needed, see {@link EvictionOrder}: normally by the worker in {@link #expire}, so that a request thread that brings
 * one instance too many finds its victim ready.
 */
public final class ClientInstances {
    /** How old an order may become, with the bound in reach, before the worker makes it anew. */
    private static final long ORDER_MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How often an order may turn out to be of instances that all pushed since, before any one of them ends. */
    private static final int MAX_ORDERS = 8;

    private final int max;
    private final LongSupplier nanoClock;
    private final long origin;
    private final TelemetryMetrics metrics;
    private final ConcurrentMap<InstanceId, ClientInstance> live = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();
    private final Queue<ClientInstance> evicted = new ConcurrentLinkedQueue<>();
    private final ReentrantLock ordering = new ReentrantLock();
    private volatile EvictionOrder order = EvictionOrder.EMPTY;

    /**
     * Creates an empty registry that counts into no one else's metrics.
     *
     * @param max the most instances remembered, at least 1; beyond it the least recently seen ends
     * @param nanoClock a monotonic clock in nanoseconds, such as {@code System::nanoTime}
     */
    public ClientInstances(int max, LongSupplier nanoClock) {
        this(max, nanoClock, new TelemetryMetrics());
    }

    /**
     * Creates an empty registry.
     *
     * @param max the most instances remembered, at least 1; beyond it the least recently seen ends
     * @param nanoClock a monotonic clock in nanoseconds, such as {@code System::nanoTime}
     * @param metrics filled with the instances that end, by reason
     */
    public ClientInstances(int max, LongSupplier nanoClock, TelemetryMetrics metrics) {
        if (max < 1) {
            throw new IllegalArgumentException("at least one instance must be remembered, not " + max);
        }
        this.max = max;
        this.nanoClock = nanoClock;
        this.origin = nanoClock.getAsLong();
        this.metrics = metrics;
    }

    /**
     * Records a push. Called on request threads: never blocks, but for another thread's making of an eviction order.
     *
     * @param idMost upper half of the client instance id
     * @param idLeast lower half of the client instance id
     * @param client the client as the host knows it
     * @param pushIntervalMs the push interval in milliseconds where the host tells it, else 0
     * @param terminating whether this is the instance's last push
     * @return the instance that pushed; {@linkplain ClientInstance#ended() ended} after a terminating push
     */
    public ClientInstance pushed(long idMost, long idLeast, Client client, int pushIntervalMs, boolean terminating) {
        InstanceId id = new InstanceId(idMost, idLeast);
        return pushed(id, live.get(id), client, pushIntervalMs, terminating);
    }

    /**
     * Records a push of an instance that {@link #live} found. Called on request threads: never blocks, but for another
     * thread's making of an eviction order.
     *
     * @param known the instance, which may have ended in the meantime
     * @param client the client as the host knows it, best the instance's own {@link ClientInstance#client} object where
     *     nothing changed
     * @param pushIntervalMs the push interval in milliseconds where the host tells it, else 0
     * @param terminating whether this is the instance's last push
     * @return the instance that pushed: another one with the same id where the known one had ended
     */
    public ClientInstance pushed(ClientInstance known, Client client, int pushIntervalMs, boolean terminating) {
        if (!terminating && known.seen(client, pushIntervalMs, now())) {
            return known;
        }
        InstanceId id = new InstanceId(known.idMostSignificantBits(), known.idLeastSignificantBits());
        return pushed(id, known, client, pushIntervalMs, terminating);
    }

    private ClientInstance pushed(
            InstanceId id, ClientInstance known, Client client, int pushIntervalMs, boolean terminating) {
        long now = now();
        ClientInstance instance = known;
        boolean isNew = false;
        while (instance == null || !instance.seen(client, pushIntervalMs, now)) {
            if (instance != null) {
                // Whoever ends an instance ends it first and takes it out of the map afterwards.
                live.remove(id, instance);
            }
            ClientInstance created = new ClientInstance(id.most(), id.least(), client, now);
            ClientInstance existing = live.putIfAbsent(id, created);
            if (existing == null) {
                size.incrementAndGet();
                isNew = true;
                instance = created;
            } else {
                instance = existing;
            }
        }
        if (terminating) {
            instance.terminate();
            if (instance.end()) {
                size.decrementAndGet();
                metrics.instancesEnded().increment(InstanceEnd.TERMINATED);
                live.remove(id, instance);
            }
        }
        if (isNew) {
            evictBeyondBound();
        }
        return instance;
    }

    /**
     * Finds an instance, so that a request thread may compare its client with the context of the request before it
     * builds another {@link Client}. Never blocks.
     *
     * @param idMost upper half of the client instance id
     * @param idLeast lower half of the client instance id
     * @return the live instance with that id, or null
     */
    public ClientInstance live(long idMost, long idLeast) {
        return live.get(new InstanceId(idMost, idLeast));
    }

    /**
     * Ends the instances whose time is up and hands out each instance that expired or was evicted since the last call,
     * once. Instances that ended with a terminating push are not handed out: whoever converts that push knows. For one
     * thread, about once a second.
     *
     * @param ended called for each, on the calling thread
     */
    public void expire(Consumer<ClientInstance> ended) {
        long now = now();
        for (ClientInstance instance : live.values()) {
            long lastPush = instance.lastPushNanos();
            if (now - lastPush > instance.retentionNanos() && instance.endUnlessSeenSince(lastPush)) {
                size.decrementAndGet();
                live.remove(idOf(instance), instance);
                metrics.instancesEnded().increment(InstanceEnd.EXPIRED);
                ended.accept(instance);
            }
        }
        evictBeyondBound();
        prepareEviction(now);
        for (ClientInstance instance = evicted.poll(); instance != null; instance = evicted.poll()) {
            ended.accept(instance);
        }
    }

    /** Returns the number of live instances. */
    public int size() {
        return size.get();
    }

    /**
     * Keeps the bound, whatever other threads do: beyond it are only the instances that threads have added and not yet
     * evicted another for, one each.
     */
    private void evictBeyondBound() {
        int current = size.get();
        while (current > max) {
            // The one instance too many is claimed first, so that two threads do not both evict for it.
            if (size.compareAndSet(current, current - 1) && !evictOne()) {
                size.incrementAndGet();
                return;
            }
            current = size.get();
        }
    }

    /** Returns false where nothing is left: instances that have ended may still be counted for a moment. */
    private boolean evictOne() {
        ClientInstance victim = null;
        for (int orders = 0; victim == null && orders < MAX_ORDERS; orders++) {
            EvictionOrder current = order;
            victim = current.endNext();
            if (victim == null) {
                replaceOrder(current, now());
            }
        }
        if (victim == null) {
            victim = endAny();
        }
        if (victim == null) {
            return false;
        }
        live.remove(idOf(victim), victim);
        metrics.instancesEnded().increment(InstanceEnd.EVICTED);
        victim.forgetClient();
        evicted.add(victim);
        return true;
    }

    private ClientInstance endAny() {
        for (ClientInstance instance : live.values()) {
            if (instance.end()) {
                return instance;
            }
        }
        return null;
    }

    /** With the bound in reach, has a fresh order at hand, so that request threads need not make one. */
    private void prepareEviction(long now) {
        EvictionOrder current = order;
        if (size.get() < max - max / 8) {
            order = EvictionOrder.EMPTY;
        } else if (current.isEmpty() || now - current.madeAt() >= ORDER_MAX_AGE_NANOS) {
            replaceOrder(current, now);
        }
    }

    /**
     * Makes a new order, unless another thread has just done so. Whoever needs one meanwhile waits for it, which takes no
     * longer than making it would: giving up instead let the number of instances grow without a bound.
     */
    private void replaceOrder(EvictionOrder exhausted, long now) {
        ordering.lock();
        try {
            if (order == exhausted) {
                order = EvictionOrder.of(live.values(), now);
            }
        } finally {
            ordering.unlock();
        }
    }

    private long now() {
        return nanoClock.getAsLong() - origin;
    }

    private static InstanceId idOf(ClientInstance instance) {
        return new InstanceId(instance.idMostSignificantBits(), instance.idLeastSignificantBits());
    }

    /** Comparable so that ids which a client chose to collide cost a tree's search, not a list's. */
    private record InstanceId(long most, long least) implements Comparable<InstanceId> {
        @Override
        public int compareTo(InstanceId other) {
            int byMost = Long.compare(most, other.most);
            return byMost != 0 ? byMost : Long.compare(least, other.least);
        }
    }
}
