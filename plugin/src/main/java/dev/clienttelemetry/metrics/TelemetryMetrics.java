/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * All instruments of one plugin instance. Each stage gets this object through its constructor and fills its part;
 * nothing reads it but the expositions. Thread-safe.
 *
 * <p>What only exists in one place of the pipeline, or only on some hosts, is not here from the start: it is
 * {@linkplain #provide provided}, and absent until then.
 */
public final class TelemetryMetrics {
    private final Counter pushes = new Counter();
    private final Counter pushBytes = new Counter();
    private final Counter pushesDelivered = new Counter();
    private final Counter pushesEmpty = new Counter();
    private final Distribution exportTime = new Distribution(
            micros(5),
            micros(10),
            micros(25),
            micros(50),
            micros(100),
            micros(250),
            micros(500),
            micros(1_000),
            micros(2_500),
            micros(5_000),
            micros(10_000),
            micros(25_000),
            micros(50_000),
            micros(100_000));
    private final ReasonCounter<RefusalReason> refusals = new ReasonCounter<>(RefusalReason.class);
    private final ReasonCounter<PushDropReason> pushesDropped = new ReasonCounter<>(PushDropReason.class);
    private final ReasonCounter<PointDropReason> pointsDropped = new ReasonCounter<>(PointDropReason.class);
    private final ReasonCounter<SequenceRestart> sequenceRestarts = new ReasonCounter<>(SequenceRestart.class);
    private final ReasonCounter<InstanceEnd> instancesEnded = new ReasonCounter<>(InstanceEnd.class);
    private final Counter forgedAttributes = new Counter();
    private final Counter zeroPointsLeftOut = new Counter();
    private final Counter pointsPassedThrough = new Counter();
    private final Counter requests = new Counter();
    private final Counter requestBytes = new Counter();
    private final OutcomeTimes requestTimes;
    private final OutcomeTimes deliveryTimes;
    private final Counter pointsSent = new Counter();
    private final Counter pointsRejected = new Counter();
    private final ErrorTypeCounter pointsFailed;

    private final List<Series> series = new ArrayList<>();
    private final Map<Instrument, Series> provided = new EnumMap<>(Instrument.class);
    private final List<Exposition> expositions = new ArrayList<>();

    /** Creates the instruments, counters at zero. */
    public TelemetryMetrics() {
        // The buckets that the semantic conventions advise for durations of requests, and two for a local collector.
        requestTimes = new OutcomeTimes(
                this::newRequestError,
                millis(1),
                millis(2),
                millis(5),
                millis(10),
                millis(25),
                millis(50),
                millis(75),
                millis(100),
                millis(250),
                millis(500),
                millis(750),
                millis(1_000),
                millis(2_500),
                millis(5_000),
                millis(7_500),
                millis(10_000));
        // From a first attempt that is taken at once to the last one before client.telemetry.batch.max.age.ms.
        deliveryTimes = new OutcomeTimes(
                this::newDeliveryError,
                millis(1),
                millis(5),
                millis(10),
                millis(25),
                millis(50),
                millis(100),
                millis(250),
                millis(500),
                millis(1_000),
                millis(2_500),
                millis(5_000),
                millis(10_000),
                millis(30_000),
                millis(60_000),
                millis(300_000),
                millis(900_000));
        pointsFailed = new ErrorTypeCounter(this::newPointError);
        series.add(Series.of(Instrument.PLUGIN_EXPORTS, exportTime::count));
        series.add(Series.of(Instrument.PLUGIN_EXPORT_TIME, null, exportTime));
        addByReason(Instrument.PLUGIN_ERRORS, refusals);
        addByReason(Instrument.INSTANCES_ENDED, instancesEnded);
        series.add(Series.of(Instrument.PUSHES, pushes::total));
        series.add(Series.of(Instrument.PUSH_BYTES, pushBytes::total));
        series.add(Series.of(Instrument.PUSHES_DELIVERED, pushesDelivered::total));
        addByReason(Instrument.PUSHES_DROPPED, pushesDropped);
        series.add(Series.of(Instrument.PUSHES_EMPTY, pushesEmpty::total));
        addByReason(Instrument.POINTS_DROPPED, pointsDropped);
        addByReason(Instrument.SEQUENCES_RESTARTED, sequenceRestarts);
        series.add(Series.of(Instrument.FORGED_ATTRIBUTES, forgedAttributes::total));
        series.add(Series.of(Instrument.ZERO_POINTS_LEFT_OUT, zeroPointsLeftOut::total));
        series.add(Series.of(Instrument.POINTS_PASSED_THROUGH, pointsPassedThrough::total));
        series.add(Series.of(Instrument.REQUESTS, requests::total));
        series.add(Series.of(Instrument.REQUEST_BYTES, requestBytes::total));
        series.add(Series.sum(Instrument.REQUEST_ERRORS, requestTimes::failures));
        series.add(Series.of(Instrument.REQUEST_TIME, null, requestTimes.succeeded()));
        series.add(Series.of(Instrument.DELIVERY_TIME, null, deliveryTimes.succeeded()));
        series.add(Series.of(Instrument.POINTS_SENT, pointsSent::total));
        series.add(Series.of(Instrument.POINTS_REJECTED, pointsRejected::total));
        series.add(Series.sum(Instrument.POINTS_FAILED, pointsFailed::total));
    }

    private <R extends Enum<R>> void addByReason(Instrument instrument, ReasonCounter<R> counter) {
        series.add(Series.sum(instrument, counter::total));
        for (R reason : counter.reasons()) {
            String tag = reason.name().toLowerCase(Locale.ROOT);
            series.add(Series.tagged(instrument, tag, () -> counter.total(reason)));
        }
    }

    private static long micros(long micros) {
        return micros * 1_000;
    }

    private static long millis(long millis) {
        return millis * 1_000_000;
    }

    /**
     * Pushes that the client was told are fine. Each becomes one that is {@linkplain #pushesDelivered delivered},
     * {@linkplain #pushesDropped dropped} or {@linkplain #pushesEmpty empty}; until then it is pending.
     */
    public Counter pushes() {
        return pushes;
    }

    /** Bytes of pushes, decompressed, without those that are too large. */
    public Counter pushBytes() {
        return pushBytes;
    }

    /** Pushes that the backend has, perhaps but for some of their data points. */
    public Counter pushesDelivered() {
        return pushesDelivered;
    }

    /** Pushes with nothing to send: empty ones, and those of which nothing was left. */
    public Counter pushesEmpty() {
        return pushesEmpty;
    }

    /**
     * Calls of {@code exportMetrics} and how long each took, whatever came of it; KIP-714's
     * ClientMetricsPluginExportCount and ClientMetricsPluginExportTimeMs.
     */
    public Distribution exportTime() {
        return exportTime;
    }

    /** Exceptions raised from {@code exportMetrics}; KIP-714's ClientMetricsPluginErrorCount. */
    public ReasonCounter<RefusalReason> refusals() {
        return refusals;
    }

    /** Client instances that are no longer remembered. */
    public ReasonCounter<InstanceEnd> instancesEnded() {
        return instancesEnded;
    }

    /** Pushes that the client was told are fine, and that did not reach the backend. */
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

    /** How long OTLP requests took, and why they failed; retries are requests of their own. */
    public OutcomeTimes requestTimes() {
        return requestTimes;
    }

    /**
     * How long batches took to deliver, from the beginning of their first attempt to their end, each once; those that the
     * backend did not take as a whole by the last failure's error type.
     */
    public OutcomeTimes deliveryTimes() {
        return deliveryTimes;
    }

    /** Data points that the backend accepted. */
    public Counter pointsSent() {
        return pointsSent;
    }

    /** Data points that the backend rejected in a partial success. */
    public Counter pointsRejected() {
        return pointsRejected;
    }

    /** Data points that were in at least one request and then given up, by the last failure's error type. */
    public ErrorTypeCounter pointsFailed() {
        return pointsFailed;
    }

    /**
     * Has an error type shown wherever attempts may end with it. To be called when an attempt has failed: what it has
     * shown takes the expositions' locks, and those who give batches up hold others.
     *
     * @param errorType {@code error.type} of OpenTelemetry's semantic conventions
     */
    public void attemptFailed(String errorType) {
        pointsFailed.occurs(errorType);
        deliveryTimes.occurs(errorType);
    }

    /**
     * Has an instrument shown that is read where it is needed: a gauge of the pipeline, or a number of the host. Takes
     * the place of an earlier one.
     *
     * @param instrument what is read; none that this object counts itself
     * @param reading gives the value, in nanoseconds where the instrument's unit is {@code s}, or
     *     {@link Instrument#NOT_KNOWN}; called on any thread, cheap
     */
    public synchronized void provide(Instrument instrument, LongSupplier reading) {
        withdraw(instrument);
        if (series.stream().anyMatch(counted -> counted.instrument() == instrument)) {
            throw new IllegalArgumentException(instrument + " is counted here");
        }
        Series added = Series.of(instrument, reading);
        provided.put(instrument, added);
        add(added);
    }

    /** Has an instrument that was {@linkplain #provide provided} shown no longer; without effect where it was not. */
    public synchronized void withdraw(Instrument instrument) {
        Series removed = provided.remove(instrument);
        if (removed != null) {
            series.remove(removed);
            for (Exposition exposition : expositions) {
                exposition.vanished(removed);
            }
        }
    }

    /** Has everything that can be read shown somewhere, now and as it comes and goes. */
    public synchronized void show(Exposition exposition) {
        expositions.add(exposition);
        for (Series existing : series) {
            exposition.appeared(existing);
        }
    }

    /** Tells an exposition nothing more. */
    public synchronized void hide(Exposition exposition) {
        expositions.remove(exposition);
    }

    private synchronized void newRequestError(String errorType, Distribution times) {
        add(Series.tagged(Instrument.REQUEST_ERRORS, errorType, times::count));
        add(Series.of(Instrument.REQUEST_TIME, errorType, times));
    }

    private synchronized void newDeliveryError(String errorType, Distribution times) {
        add(Series.of(Instrument.DELIVERY_TIME, errorType, times));
    }

    private synchronized void newPointError(String errorType, Counter points) {
        add(Series.tagged(Instrument.POINTS_FAILED, errorType, points::total));
    }

    private void add(Series added) {
        series.add(added);
        for (Exposition exposition : expositions) {
            exposition.appeared(added);
        }
    }
}
