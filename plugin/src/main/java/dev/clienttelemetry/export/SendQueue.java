/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.instance.ClientInstance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The converted chunks that wait, those of failed batches included, but not those that are under way. Keeps two orders: of
 * all by age, for eviction, and of each client instance's, for sending. An instance that has chunks in a batch is busy:
 * its later ones wait until that batch is done. Not thread-safe.
 */
final class SendQueue {
    /** Bounds the time that a batch takes to make, where pushes are tiny. */
    private static final int MAX_CHUNKS_PER_BATCH = 4096;

    /** As many instances as are remembered by default. */
    private static final int MAX_ALONE = 16384;

    /** A chunk with its place in both orders. */
    static final class Entry {
        final Lane lane;
        private Chunk chunk;
        private final long number;
        private Entry older;
        private Entry newer;
        /** The failed batch that it waits in, or null. */
        private Batch batch;
        /** Evicted out of {@link #batch}. */
        private boolean gone;
        /** No longer among the pushes that are held. */
        private boolean finished;
        /** Whether it was in a request: its export has begun. */
        private boolean attempted;
        /** When the first of these requests began. */
        private long firstAttemptNanos;
        /** Why the last one that failed did; null where none has. */
        private String errorType;

        private Entry(Chunk chunk, Lane lane, long number) {
            this.chunk = chunk;
            this.lane = lane;
            this.number = number;
        }

        Chunk chunk() {
            return chunk;
        }

        /** Lets go of what there was to send: a failed batch may keep an evicted entry for minutes. */
        void forgetBytes() {
            chunk = chunk.withoutBytes();
        }

        /** Has its export begin unless it has. Returns whether it does now. */
        boolean begin(long nanos) {
            if (attempted) {
                return false;
            }
            attempted = true;
            firstAttemptNanos = nanos;
            return true;
        }

        /** Has it end, and returns whether it does now: what became of a push is counted once. */
        boolean finish() {
            boolean now = !finished;
            finished = true;
            return now;
        }

        void failed(String type) {
            errorType = type;
        }

        boolean attempted() {
            return attempted;
        }

        long firstAttemptNanos() {
            return firstAttemptNanos;
        }

        /** Returns {@code error.type} of an export that ends without success now. */
        String errorType() {
            return errorType == null ? Answer.CANCELLED : errorType;
        }

        /** Returns whether nothing of the export that it was part of is left once it is evicted. */
        boolean wasLast() {
            return batch == null || batch.waiting == 0;
        }
    }

    /** One client instance's chunks. */
    static final class Lane {
        private final ClientInstance instance;
        private final ArrayDeque<Entry> waiting = new ArrayDeque<>();
        private long waitingBytes;
        private boolean busy;
        /** The set that it is in, or null. */
        private TreeSet<Lane> readyIn;

        private Lane(ClientInstance instance) {
            this.instance = instance;
        }

        private long oldestNumber() {
            return waiting.getFirst().number;
        }
    }

    private final Map<ClientInstance, Lane> lanes = new HashMap<>();
    /** Lanes whose next chunks may go into a batch with others, the oldest first. */
    private final TreeSet<Lane> ready = new TreeSet<>(Comparator.comparingLong(Lane::oldestNumber));
    /** Lanes whose chunks go alone, the oldest first. */
    private final TreeSet<Lane> readyAlone = new TreeSet<>(Comparator.comparingLong(Lane::oldestNumber));
    /** Until when an instance's chunks go alone; in the order of that time. */
    private final Map<ClientInstance, Long> aloneUntilNanos = new LinkedHashMap<>();

    private Entry oldest;
    private Entry newest;
    private long readyBytes;
    private int size;
    private long bytes;
    private long lastNumber;

    /** Appends a chunk, or throws without having done so; where {@link #size} grew, it is in, whatever is thrown. */
    void add(Chunk chunk, long nowNanos) {
        Lane lane = lanes.computeIfAbsent(chunk.instance(), Lane::new);
        Entry entry = new Entry(chunk, lane, ++lastNumber);
        unready(lane);
        try {
            lane.waiting.addLast(entry);
            lane.waitingBytes += chunk.size();
            linkBefore(entry, null);
        } finally {
            makeReady(lane, nowNanos);
        }
    }

    /** Returns how many chunks wait. */
    int size() {
        return size;
    }

    /** Returns what the waiting chunks hold, by {@link ExportBuffer#cost}. */
    long bytes() {
        return bytes;
    }

    /** Returns how much may be sent together now. */
    long readyBytes() {
        return readyBytes;
    }

    /** Returns whether there is a chunk that goes alone and may be sent now. */
    boolean hasReadyAlone() {
        return !readyAlone.isEmpty();
    }

    /** Returns when the oldest chunk that may be sent now was received; only to be called where there is one. */
    long oldestReadyReceivedNanos() {
        return ready.first().waiting.getFirst().chunk.receivedNanos();
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Returns the oldest chunk, or null. */
    Chunk oldest() {
        return oldest == null ? null : oldest.chunk;
    }

    /** Returns the oldest chunk with its place, or null. */
    Entry oldestEntry() {
        return oldest;
    }

    /**
     * Removes the oldest chunk; the caller has it {@link Entry#forgetBytes} once it is accounted for. It is out, whatever is
     * thrown.
     */
    void removeOldest(long nowNanos) {
        Entry entry = oldest;
        if (entry.batch != null) {
            unlink(entry);
            entry.gone = true;
            entry.batch.waiting--;
            return;
        }
        Lane lane = entry.lane;
        unready(lane);
        unlink(entry);
        lane.waiting.removeFirst();
        lane.waitingBytes -= entry.chunk.size();
        makeReady(lane, nowNanos);
    }

    /** Returns whether the oldest chunk that goes alone is older than those that may go together; both must be there. */
    boolean aloneIsOlder() {
        return readyAlone.first().oldestNumber() < ready.first().oldestNumber();
    }

    /** Takes a chunk that goes alone; there must be one. Whatever is thrown, what is taken is in the batch. */
    void takeAlone(Batch into) {
        Lane lane = readyAlone.first();
        into.entries.ensureCapacity(1);
        unready(lane);
        takeFirst(lane, into);
        into.measure();
    }

    /**
     * Takes the oldest chunks that may be sent now. Whatever is thrown, what is taken is in the batch.
     *
     * @param into a batch without any
     * @param maxBytes the batch's bound; a larger chunk goes alone
     */
    void takeBatch(Batch into, long maxBytes) {
        List<Entry> taken = into.entries;
        long takenBytes = 0;
        while (!ready.isEmpty()) {
            Lane lane = ready.first();
            if (!taken.isEmpty() && !fits(lane, taken, takenBytes, maxBytes)) {
                break;
            }
            into.entries.ensureCapacity(taken.size() + 1);
            unready(lane);
            do {
                takenBytes += lane.waiting.getFirst().chunk.size();
                into.entries.ensureCapacity(taken.size() + 1);
                takeFirst(lane, into);
            } while (!lane.waiting.isEmpty() && fits(lane, taken, takenBytes, maxBytes));
        }
        into.measure();
    }

    private static boolean fits(Lane lane, List<Entry> taken, long takenBytes, long maxBytes) {
        return taken.size() < MAX_CHUNKS_PER_BATCH
                && takenBytes + lane.waiting.getFirst().chunk.size() <= maxBytes;
    }

    /** There must be room for the chunk in the batch. */
    private void takeFirst(Lane lane, Batch into) {
        lane.busy = true;
        Entry entry = lane.waiting.removeFirst();
        lane.waitingBytes -= entry.chunk.size();
        unlink(entry);
        into.entries.add(entry);
    }

    /** Keeps a batch that failed; its chunks may be evicted from now on. Does it all or nothing. */
    void keep(Batch batch) {
        Entry[] byAge = byAge(batch);
        for (Entry entry : byAge) {
            entry.batch = batch;
        }
        batch.waiting = byAge.length;
        linkByAge(byAge);
    }

    /**
     * Takes a kept batch without what was evicted; it may be empty, and has then ended. Whatever is thrown, what waited of it
     * is in the batch.
     */
    void take(Batch batch, long nowNanos) {
        int evictions = 0;
        for (int i = 0; i < batch.entries.size(); i++) {
            Entry entry = batch.entries.get(i);
            entry.batch = null;
            if (entry.gone) {
                evictions++;
            } else {
                unlink(entry);
            }
        }
        if (evictions > 0) {
            List<Entry> evicted = new ArrayList<>(evictions);
            Set<Lane> stillIn = Collections.newSetFromMap(new IdentityHashMap<>());
            for (Entry entry : batch.entries) {
                if (entry.gone) {
                    evicted.add(entry);
                } else {
                    stillIn.add(entry.lane);
                }
            }
            batch.entries.removeIf(entry -> entry.gone);
            release(evicted, stillIn, nowNanos);
            batch.measure();
        }
    }

    /** Ends a batch that was under way: its client instances' next chunks may be sent. */
    void done(Batch batch, long nowNanos) {
        release(batch.entries, Set.of(), nowNanos);
    }

    /** Puts the chunks of a batch of one client instance back, before its later ones. Does it all or nothing. */
    void giveBack(Batch batch, long nowNanos) {
        Entry[] byAge = byAge(batch);
        Lane lane = batch.entries.get(0).lane;
        int given = 0;
        boolean all = false;
        try {
            for (; given < batch.entries.size(); given++) {
                lane.waiting.addFirst(batch.entries.get(batch.entries.size() - 1 - given));
            }
            all = true;
        } finally {
            for (; !all && given > 0; given--) {
                lane.waiting.removeFirst();
            }
        }
        lane.waitingBytes += batch.size();
        linkByAge(byAge);
        lane.busy = false;
        makeReady(lane, nowNanos);
    }

    /** Has a client instance's chunks go alone for a while. */
    void goAlone(ClientInstance instance, long untilNanos, long nowNanos) {
        Iterator<Long> times = aloneUntilNanos.values().iterator();
        while (times.hasNext() && (times.next() - nowNanos <= 0 || aloneUntilNanos.size() >= MAX_ALONE)) {
            times.remove();
        }
        aloneUntilNanos.remove(instance);
        aloneUntilNanos.put(instance, untilNanos);
    }

    private void release(List<Entry> entries, Set<Lane> exceptFor, long nowNanos) {
        for (Entry entry : entries) {
            Lane lane = entry.lane;
            if (lane.busy && !exceptFor.contains(lane)) {
                lane.busy = false;
                makeReady(lane, nowNanos);
            }
        }
    }

    /** A lane's place depends on its first chunk: to be called before that changes, {@link #makeReady} after it. */
    private void unready(Lane lane) {
        if (lane.readyIn != null) {
            if (lane.readyIn == ready) {
                readyBytes -= lane.waitingBytes;
            }
            lane.readyIn.remove(lane);
            lane.readyIn = null;
        }
    }

    private void makeReady(Lane lane, long nowNanos) {
        if (lane.busy) {
            return;
        }
        if (lane.waiting.isEmpty()) {
            lanes.remove(lane.instance);
            return;
        }
        Long until = aloneUntilNanos.isEmpty() ? null : aloneUntilNanos.get(lane.instance);
        if (until != null && until - nowNanos > 0) {
            lane.readyIn = readyAlone;
        } else {
            lane.readyIn = ready;
            readyBytes += lane.waitingBytes;
        }
        lane.readyIn.add(lane);
    }

    private static Entry[] byAge(Batch batch) {
        Entry[] byAge = batch.entries.toArray(new Entry[0]);
        Arrays.sort(byAge, Comparator.comparingLong(entry -> entry.number));
        return byAge;
    }

    private void linkByAge(Entry[] byAge) {
        Entry next = oldest;
        for (Entry entry : byAge) {
            while (next != null && next.number < entry.number) {
                next = next.newer;
            }
            linkBefore(entry, next);
        }
    }

    private void linkBefore(Entry entry, Entry next) {
        Entry previous = next == null ? newest : next.older;
        entry.older = previous;
        entry.newer = next;
        if (previous == null) {
            oldest = entry;
        } else {
            previous.newer = entry;
        }
        if (next == null) {
            newest = entry;
        } else {
            next.older = entry;
        }
        size++;
        bytes += ExportBuffer.cost(entry.chunk.size());
    }

    private void unlink(Entry entry) {
        if (entry.older == null) {
            oldest = entry.newer;
        } else {
            entry.older.newer = entry.newer;
        }
        if (entry.newer == null) {
            newest = entry.older;
        } else {
            entry.newer.older = entry.older;
        }
        entry.older = null;
        entry.newer = null;
        size--;
        bytes -= ExportBuffer.cost(entry.chunk.size());
    }
}
