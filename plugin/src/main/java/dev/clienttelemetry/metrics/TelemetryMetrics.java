/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/**
 * All instruments of one plugin instance. Each stage gets this object through its constructor and fills its part;
 * nothing reads it but the expositions. Thread-safe.
 */
public final class TelemetryMetrics {
    private final Counter pushes = new Counter();
    private final Counter pushBytes = new Counter();
    private final Counter exportCalls = new Counter();
    private final Counter exportNanos = new Counter();
    private final ReasonCounter<RefusalReason> refusals = new ReasonCounter<>(RefusalReason.class);
    private final ReasonCounter<PushDropReason> pushesDropped = new ReasonCounter<>(PushDropReason.class);
    private final ReasonCounter<PointDropReason> pointsDropped = new ReasonCounter<>(PointDropReason.class);
    private final ReasonCounter<SequenceRestart> sequenceRestarts = new ReasonCounter<>(SequenceRestart.class);
    private final Counter forgedAttributes = new Counter();
    private final Counter zeroPointsLeftOut = new Counter();
    private final Counter pointsPassedThrough = new Counter();
    private final Counter requests = new Counter();
    private final Counter requestBytes = new Counter();
    private final Counter pointsSent = new Counter();
    private final Counter pointsRejected = new Counter();

    /** Pushes that were checked and accepted. */
    public Counter pushes() {
        return pushes;
    }

    /** Bytes of accepted pushes, decompressed. */
    public Counter pushBytes() {
        return pushBytes;
    }

    /** Calls of {@code exportMetrics}; KIP-714's ClientMetricsPluginExportCount. */
    public Counter exportCalls() {
        return exportCalls;
    }

    /** Nanoseconds spent in {@code exportMetrics}; KIP-714's ClientMetricsPluginExportTimeMs. */
    public Counter exportNanos() {
        return exportNanos;
    }

    /** Exceptions raised from {@code exportMetrics}; KIP-714's ClientMetricsPluginErrorCount. */
    public ReasonCounter<RefusalReason> refusals() {
        return refusals;
    }

    /** Accepted pushes that did not reach the backend. */
    public ReasonCounter<PushDropReason> pushesDropped() {
        return pushesDropped;
    }

    /** Data points of accepted pushes that were left out. */
    public ReasonCounter<PointDropReason> pointsDropped() {
        return pointsDropped;
    }

    /** Series that began a new sequence. */
    public ReasonCounter<SequenceRestart> sequenceRestarts() {
        return sequenceRestarts;
    }

    /** Attributes of clients dropped since they carry the key of a label. */
    public Counter forgedAttributes() {
        return forgedAttributes;
    }

    /** Zero points not written since there is no time for them before the sequence's first point. */
    public Counter zeroPointsLeftOut() {
        return zeroPointsLeftOut;
    }

    /** Points of histograms and summaries, passed on unchanged. */
    public Counter pointsPassedThrough() {
        return pointsPassedThrough;
    }

    /** OTLP requests sent, retries included. */
    public Counter requests() {
        return requests;
    }

    /** Bytes of the bodies of OTLP requests before compression, retries included. */
    public Counter requestBytes() {
        return requestBytes;
    }

    /** Data points that the backend accepted. */
    public Counter pointsSent() {
        return pointsSent;
    }

    /** Data points that the backend rejected in a partial success. */
    public Counter pointsRejected() {
        return pointsRejected;
    }
}
