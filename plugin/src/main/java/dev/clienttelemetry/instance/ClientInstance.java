/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * One client instance (KIP-714): the identity under which a client pushes from its start to its end. Thread-safe.
 * Identity is the object's own: an instance that comes back after it ended is another object.
 */
public final class ClientInstance {
    /** What is assumed where no interval is known: the default of {@code interval.ms}. */
    private static final long DEFAULT_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final Client FORGOTTEN = new Client(null, null, null, null, null, null, null, null);

    private static final long MIN_RETENTION_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final AtomicLongFieldUpdater<ClientInstance> LAST_PUSH =
            AtomicLongFieldUpdater.newUpdater(ClientInstance.class, "lastPush");
    private static final AtomicLongFieldUpdater<ClientInstance> PUSHES =
            AtomicLongFieldUpdater.newUpdater(ClientInstance.class, "pushes");

    private final long idMostSignificantBits;
    private final long idLeastSignificantBits;
    private volatile Client client;

    /**
     * When the latest push came, in nanoseconds since the registry began, or the bitwise complement of that once the
     * instance has ended. One word for both, so that an instance which just pushed cannot be ended for being idle.
     */
    private volatile long lastPush;

    private volatile boolean terminated;
    private volatile long pushes;
    private volatile long toldIntervalNanos;
    private volatile long latestGap;
    private volatile long previousGap;

    ClientInstance(long idMostSignificantBits, long idLeastSignificantBits, Client client, long now) {
        this.idMostSignificantBits = idMostSignificantBits;
        this.idLeastSignificantBits = idLeastSignificantBits;
        this.client = client;
        this.lastPush = now;
    }

    /** Returns the upper half of the client instance id. */
    public long idMostSignificantBits() {
        return idMostSignificantBits;
    }

    /** Returns the lower half of the client instance id. */
    public long idLeastSignificantBits() {
        return idLeastSignificantBits;
    }

    /** Returns the client as the host saw it with the latest push; nothing is known of it once the instance was evicted. */
    public Client client() {
        return client;
    }

    /** Returns whether the instance has expired, was evicted or has sent its terminating push. */
    public boolean ended() {
        return lastPush < 0;
    }

    /**
     * Returns whether it has sent its terminating push. It has {@linkplain #ended() ended} then, but that push and others
     * before it may still wait for their conversion.
     */
    public boolean terminated() {
        return terminated;
    }

    /** Returns when the latest push came, in nanoseconds since the registry was created. */
    long lastPushNanos() {
        long last = lastPush;
        return last < 0 ? ~last : last;
    }

    /** Returns how often it pushed. */
    public long pushes() {
        return pushes;
    }

    /**
     * Returns the push interval in nanoseconds: what the host told with the latest push; where it does not tell, the
     * longer of the last two distances between pushes (a client's first push after a subscription comes anywhere
     * between half the interval and one and a half); five minutes before the second push.
     */
    long pushIntervalNanos() {
        long told = toldIntervalNanos;
        if (told > 0) {
            return told;
        }
        long observed = Math.max(latestGap, previousGap);
        return observed > 0 ? observed : DEFAULT_INTERVAL_NANOS;
    }

    /** Returns how long after its latest push it is remembered, in nanoseconds: MAX(60 s, 3 x push interval). */
    long retentionNanos() {
        return Math.max(MIN_RETENTION_NANOS, 3 * pushIntervalNanos());
    }

    /**
     * Records a push.
     *
     * @return false where the instance has ended, in which case nothing is recorded
     */
    boolean seen(Client client, int pushIntervalMs, long now) {
        long last = lastPush;
        // Request threads read the clock before they come here: the latest of them counts, whatever their order.
        while (!(last < 0) && !LAST_PUSH.compareAndSet(this, last, Math.max(last, now))) {
            last = lastPush;
        }
        if (last < 0) {
            return false;
        }
        if (this.client != client) {
            this.client = client;
        }
        long told = TimeUnit.MILLISECONDS.toNanos(pushIntervalMs);
        if (toldIntervalNanos != told) {
            toldIntervalNanos = told;
        }
        if (PUSHES.getAndIncrement(this) > 0 && told == 0) {
            previousGap = latestGap;
            latestGap = now - last;
        }
        return true;
    }

    /**
     * Ends an instance that did not push since it was looked at.
     *
     * @param lastPush when it had pushed last at that time
     * @return whether this call ended it
     */
    boolean endUnlessSeenSince(long lastPush) {
        return LAST_PUSH.compareAndSet(this, lastPush, ~lastPush);
    }

    /** Notes that its terminating push has come; to be called before {@link #end}. */
    void terminate() {
        terminated = true;
    }

    /** To be called once the instance has ended: many may wait for the worker to take note of it. */
    void forgetClient() {
        client = FORGOTTEN;
    }

    /**
     * Ends the instance.
     *
     * @return whether this call ended it
     */
    boolean end() {
        long last = lastPush;
        while (!(last < 0)) {
            if (LAST_PUSH.compareAndSet(this, last, ~last)) {
                return true;
            }
            last = lastPush;
        }
        return false;
    }
}
