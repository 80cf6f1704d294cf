/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.instance.ClientInstance;
import java.util.ArrayDeque;
import java.util.ArrayList;
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

    /** Removes the oldest chunk and returns it; the caller has it {@link Entry#forgetBytes} once it is accounted for. */
    Entry removeOldest(long nowNanos) {
        Entry entry = oldest;
        unlink(entry);
        if (entry.batch != null) {
            entry.gone = true;
            entry.batch.waiting--;
            return entry;
        }
        Lane lane = entry.lane;
        unready(lane);
        lane.waiting.removeFirst();
        lane.waitingBytes -= entry.chunk.size();
        makeReady(lane, nowNanos);
        return entry;
    }

    /** Returns whether the oldest chunk that goes alone is older than those that may go together; both must be there. */
    boolean aloneIsOlder() {
        return readyAlone.first().oldestNumber() < ready.first().oldestNumber();
    }

    /** Takes a chunk that goes alone; there must be one. */
    Batch takeAlone() {
        Lane lane = readyAlone.first();
        unready(lane);
        lane.busy = true;
        return new Batch(List.of(takeFirst(lane)));
    }

    /**
     * Takes a batch of the oldest chunks that may be sent now, or null where there is none.
     *
     * @param maxBytes the batch's bound; a larger chunk goes alone
     */
    Batch takeBatch(long maxBytes) {
        List<Entry> taken = new ArrayList<>();
        long takenBytes = 0;
        while (!ready.isEmpty()) {
            Lane lane = ready.first();
            if (!taken.isEmpty() && !fits(lane, taken, takenBytes, maxBytes)) {
                break;
            }
            unready(lane);
            lane.busy = true;
            do {
                Entry entry = takeFirst(lane);
                taken.add(entry);
                takenBytes += entry.chunk.size();
            } while (!lane.waiting.isEmpty() && fits(lane, taken, takenBytes, maxBytes));
        }
        return taken.isEmpty() ? null : new Batch(taken);
    }

    private static boolean fits(Lane lane, List<Entry> taken, long takenBytes, long maxBytes) {
        return taken.size() < MAX_CHUNKS_PER_BATCH
                && takenBytes + lane.waiting.getFirst().chunk.size() <= maxBytes;
    }

    private Entry takeFirst(Lane lane) {
        Entry entry = lane.waiting.removeFirst();
        lane.waitingBytes -= entry.chunk.size();
        unlink(entry);
        return entry;
    }

    /** Keeps a batch that failed; its chunks may be evicted from now on. */
    void keep(Batch batch) {
        for (Entry entry : batch.entries) {
            entry.batch = batch;
        }
        batch.waiting = batch.entries.size();
        linkByAge(batch.entries);
    }

    /** Takes a kept batch without what was evicted; it may be empty, and has then ended. */
    void take(Batch batch, long nowNanos) {
        List<Entry> evicted = new ArrayList<>();
        for (Iterator<Entry> entries = batch.entries.iterator(); entries.hasNext(); ) {
            Entry entry = entries.next();
            entry.batch = null;
            if (entry.gone) {
                evicted.add(entry);
                entries.remove();
            } else {
                unlink(entry);
            }
        }
        if (!evicted.isEmpty()) {
            Set<Lane> stillIn = Collections.newSetFromMap(new IdentityHashMap<>());
            batch.entries.forEach(entry -> stillIn.add(entry.lane));
            release(evicted, stillIn, nowNanos);
            batch.measure();
        }
    }

    /** Ends a batch that was under way: its client instances' next chunks may be sent. */
    void done(Batch batch, long nowNanos) {
        release(batch.entries, Set.of(), nowNanos);
    }

    /** Puts the chunks of a batch of one client instance back, before its later ones. */
    void giveBack(Batch batch, long nowNanos) {
        Lane lane = batch.entries.get(0).lane;
        for (int i = batch.entries.size() - 1; i >= 0; i--) {
            Entry entry = batch.entries.get(i);
            lane.waiting.addFirst(entry);
            lane.waitingBytes += entry.chunk.size();
        }
        linkByAge(batch.entries);
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

    private void linkByAge(List<Entry> entries) {
        List<Entry> byAge = new ArrayList<>(entries);
        byAge.sort(Comparator.comparingLong(entry -> entry.number));
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
