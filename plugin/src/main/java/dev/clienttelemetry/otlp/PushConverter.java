/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.PointDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Labels, coalesces and converts checked pushes. For one thread; {@link #series()} may be read from any.
 *
 * <p>A push is read in one pass ({@link PushReader}) into positions ({@link PushOutline}), its delta sums are replaced by
 * cumulative ones ({@link SumConverter}), and the result is written at once ({@link PushWriter}).
 */
public final class PushConverter {
    private static final long NANOS_PER_MS = 1_000_000;
    private static final long SWEEP_INTERVAL_MS = 60_000;
    private static final PointDropReason[] DROP_REASONS = PointDropReason.values();

    private final ConversionSettings settings;
    private final TelemetryMetrics metrics;
    private final KeyedHash hash = KeyedHash.withRandomKey();
    private final PushReader reader;
    private final SumConverter sums;
    private final CanonicalForm canonicalForm = new CanonicalForm();
    private final PushOutline outline = new PushOutline();
    private final Map<ClientInstance, InstanceState> states = new HashMap<>();
    private boolean anyPush;
    /** The latest reception of a push, and the time from the first to it. */
    private long latestNanos;

    private long nowNanos;
    private long lastSweepMs;
    private volatile int series;

    /** What is kept of an instance from push to push. */
    private static final class InstanceState {
        final SeriesTable table = new SeriesTable();
        LabelBlock labels;
        boolean endedAtLastSweep;
    }

    /**
     * Creates a converter without state.
     *
     * @param settings what the configuration says
     * @param metrics filled with what is dropped and why
     */
    public PushConverter(ConversionSettings settings, TelemetryMetrics metrics) {
        this.settings = settings;
        this.metrics = metrics;
        this.reader = new PushReader(settings, hash, outline);
        this.sums = new SumConverter(settings, metrics, outline);
    }

    /**
     * Converts one push. Pushes of an instance must come in the order in which they were received.
     *
     * @param instance whose state the push belongs to. Of one that expired or was evicted no state is kept. One that
     *     {@linkplain ClientInstance#terminated() terminated} keeps it until {@link #forget}, which the caller owes after the
     *     terminating push: that ends the instance on the request thread while pushes of before still wait here, and
     *     these are one sequence
     * @param client the client as the host knew it when it pushed
     * @param payload a payload that {@link PushCheck} accepted. It is given up by the caller: it may be changed, and may
     *     be the body of what is returned
     * @param receivedNanos when it was received, by a monotonic clock: the converter reads none itself, which would be a
     *     thirtieth of a small push. Pushes of different instances may come in any order
     * @return the push to send, with no points where nothing of it is left
     */
    public ConvertedPush convert(ClientInstance instance, Client client, byte[] payload, long receivedNanos) {
        long nowMs = nowMs(receivedNanos);
        InstanceState state = states.get(instance);
        if (state == null) {
            state = new InstanceState();
            states.put(instance, state);
        }
        if (state.labels == null || !state.labels.isOf(client)) {
            state.labels = new LabelBlock(settings, instance, client, hash);
        }

        byte[] canonical = read(payload, state.labels);
        int seriesElsewhere = series - state.table.size();
        sums.convert(state.table, seriesElsewhere, nowMs);
        ConvertedPush push = new PushWriter(outline, canonical, state.labels.bytes()).write();
        outline.release();
        setSeries(seriesElsewhere + state.table.size());
        if (instance.ended() && !instance.terminated()) {
            forget(instance);
        }
        sweep(nowMs);
        return push;
    }

    /** Drops the state of an instance that ended. */
    public void forget(ClientInstance instance) {
        InstanceState state = states.remove(instance);
        if (state != null) {
            setSeries(series - state.table.size());
        }
    }

    /** Returns the number of series with state. */
    public int series() {
        return series;
    }

    /** Returns the milliseconds since the first push; never less than before. */
    private long nowMs(long receivedNanos) {
        if (!anyPush) {
            anyPush = true;
            latestNanos = receivedNanos;
        }
        long later = receivedNanos - latestNanos;
        if (later > 0) {
            latestNanos = receivedNanos;
            nowNanos += later;
        }
        return nowNanos / NANOS_PER_MS;
    }

    /** Reads a push and returns the bytes that were read: the payload, in canonical form if it was not yet. */
    private byte[] read(byte[] payload, LabelBlock labels) {
        byte[] canonical = payload;
        int forged = 0;
        try {
            reader.read(payload, labels);
        } catch (PushReader.NotCanonicalException unusual) {
            canonical = canonicalForm.rewrite(payload);
            forged = canonicalForm.forgedAttributes();
            try {
                reader.read(canonical, labels);
            } catch (PushReader.NotCanonicalException impossible) {
                throw new IllegalStateException("A push in canonical form was not read as such", impossible);
            }
        }
        if (forged > 0) {
            metrics.forgedAttributes().add(forged);
        }
        if (reader.passedThrough() > 0) {
            metrics.pointsPassedThrough().add(reader.passedThrough());
        }
        if (reader.dropped() > 0) {
            for (PointDropReason reason : DROP_REASONS) {
                int dropped = reader.dropped(reason);
                if (dropped > 0) {
                    metrics.pointsDropped().add(reason, dropped);
                }
            }
        }
        return canonical;
    }

    /**
     * Drops the state of instances that have ended. {@link #forget} does so for each that the caller knows of; this is
     * for one that had ended before a push of it came here. An instance keeps it for one interval after its end is
     * noticed, since its terminating push may still be waiting.
     */
    private void sweep(long nowMs) {
        if (nowMs - lastSweepMs < SWEEP_INTERVAL_MS) {
            return;
        }
        lastSweepMs = nowMs;
        int remaining = 0;
        for (Iterator<Map.Entry<ClientInstance, InstanceState>> all =
                        states.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<ClientInstance, InstanceState> entry = all.next();
            InstanceState state = entry.getValue();
            if (state.endedAtLastSweep) {
                all.remove();
            } else {
                state.endedAtLastSweep = entry.getKey().ended();
                remaining += state.table.size();
            }
        }
        setSeries(remaining);
    }

    private void setSeries(int count) {
        // A write that others must see costs more than all of the rest of a small push's bookkeeping.
        if (count != series) {
            series = count;
        }
    }
}
