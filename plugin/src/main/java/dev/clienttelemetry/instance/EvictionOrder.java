/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The live instances at one moment, the least recently seen first, taken one by one. Thread-safe.
 *
 * <p>The order stays right while time goes on: an instance that pushed after the moment, or came after it, was seen
 * later than every one here that did not push since; so the first here that did not push since is the least recently
 * seen of all. Making an order costs a sort, taking from it a step, so that evicting is cheap however the clients come.
 */
final class EvictionOrder {
    static final EvictionOrder EMPTY = new EvictionOrder(new Entry[0], 0);

    private final Entry[] entries;
    private final long madeAt;
    private final AtomicInteger next = new AtomicInteger();

    private record Entry(ClientInstance instance, long lastPush) {}

    private EvictionOrder(Entry[] entries, long madeAt) {
        this.entries = entries;
        this.madeAt = madeAt;
    }

    static EvictionOrder of(Collection<ClientInstance> live, long now) {
        List<Entry> entries = new ArrayList<>(live.size());
        for (ClientInstance instance : live) {
            // A push may move an instance's time while this goes on: it is read once.
            entries.add(new Entry(instance, instance.lastPushNanos()));
        }
        entries.sort(Comparator.comparingLong(Entry::lastPush));
        return new EvictionOrder(entries.toArray(new Entry[0]), now);
    }

    long madeAt() {
        return madeAt;
    }

    boolean isEmpty() {
        return entries.length == 0;
    }

    /**
     * Ends the least recently seen instance.
     *
     * @return that instance, or null where none is left in this order
     */
    ClientInstance endNext() {
        while (true) {
            // Read before, so that the counter cannot overflow however often an exhausted order is asked.
            int index = next.get();
            if (index >= entries.length) {
                return null;
            }
            if (next.compareAndSet(index, index + 1)) {
                Entry entry = entries[index];
                if (entry.instance.endUnlessSeenSince(entry.lastPush)) {
                    return entry.instance;
                }
            }
        }
    }
}
