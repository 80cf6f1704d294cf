/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * What goes into one request, through all its attempts. The chunks of one client instance stand together, in order. Owned
 * by the {@link SendQueue} while it waits, by the sender while it is under way.
 */
final class Batch implements Payload {
    final ArrayList<SendQueue.Entry> entries;
    private int size;
    private long points;
    private long oldestReceivedNanos;

    /** While it is kept for its next attempt: how many of its chunks were not evicted. */
    int waiting;
    /** Attempts that failed through no fault of the content. */
    int attempts;
    /** When it is to be sent again. */
    long dueNanos;
    /** Whether an attempt got no answer in time. */
    boolean timedOut;
    /** When the current attempt began. */
    long startNanos;
    /** How many batches had been accepted when the current attempt began. */
    long acceptedAtStart;
    /** How many batches had been accepted when the last attempt began that got no answer in time. */
    long acceptedAtTimeout;
    /** Whether the current attempt is the second one, after a connection that had gone stale. */
    boolean freshConnection;

    /** Creates an empty batch, for {@link SendQueue} to fill. */
    Batch() {
        this.entries = new ArrayList<>();
    }

    private Batch(List<SendQueue.Entry> entries) {
        this.entries = new ArrayList<>(entries);
        measure();
    }

    /** To be called after entries came or went. */
    void measure() {
        size = 0;
        points = 0;
        oldestReceivedNanos = entries.isEmpty() ? 0 : entries.get(0).chunk().receivedNanos();
        for (SendQueue.Entry entry : entries) {
            if (entry.chunk().receivedNanos() - oldestReceivedNanos < 0) {
                oldestReceivedNanos = entry.chunk().receivedNanos();
            }
            size += entry.chunk().size();
            points += entry.chunk().points();
        }
    }

    @Override
    public int size() {
        return size;
    }

    long points() {
        return points;
    }

    /** Returns when the oldest chunk was received; of no meaning where there is none. */
    long oldestReceivedNanos() {
        return oldestReceivedNanos;
    }

    /**
     * Has an attempt begin, and with the first one the export of its chunks: of given-back ones and those of halves it began
     * earlier.
     *
     * @return the data points whose export begins
     */
    long begin(long nanos) {
        startNanos = nanos;
        long beginning = 0;
        for (SendQueue.Entry entry : entries) {
            if (entry.begin(nanos)) {
                beginning += entry.chunk().points();
            }
        }
        return beginning;
    }

    /** Takes note of why an attempt failed. */
    void failed(String errorType) {
        for (SendQueue.Entry entry : entries) {
            entry.failed(errorType);
        }
    }

    /** Returns when the export of its chunks began; only to be called once it has. */
    long firstAttemptNanos() {
        long first = entries.get(0).firstAttemptNanos();
        for (SendQueue.Entry entry : entries) {
            if (entry.firstAttemptNanos() - first < 0) {
                first = entry.firstAttemptNanos();
            }
        }
        return first;
    }

    /** Returns how many client instances have chunks in it. */
    int instances() {
        int instances = 0;
        SendQueue.Lane last = null;
        for (SendQueue.Entry entry : entries) {
            if (entry.lane != last) {
                instances++;
                last = entry.lane;
            }
        }
        return instances;
    }

    /** Divides it into the first half of its client instances and the others. */
    List<Batch> halves() {
        int half = instances() / 2;
        int end = 0;
        int instances = 0;
        SendQueue.Lane last = null;
        for (; end < entries.size(); end++) {
            SendQueue.Lane lane = entries.get(end).lane;
            if (lane != last) {
                if (instances == half) {
                    break;
                }
                instances++;
                last = lane;
            }
        }
        return List.of(new Batch(entries.subList(0, end)), new Batch(entries.subList(end, entries.size())));
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        for (SendQueue.Entry entry : entries) {
            entry.chunk().writeTo(out);
        }
    }
}
