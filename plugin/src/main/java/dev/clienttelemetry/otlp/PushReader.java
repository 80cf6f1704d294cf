/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.metrics.PointDropReason;
import dev.clienttelemetry.otlp.PushOutline.Metrics;
import java.util.Arrays;

/**
 * Reads a push in {@linkplain CanonicalForm canonical form} into a {@link PushOutline}: drops the points that are left
 * out whatever came before, finds what is equal and can be merged, and the identity of each delta sum's series. Changes
 * no state of any series, so that a push that turns out to be in another form can be rewritten and read again.
 *
 * <p>Points of one series may come under resources, scopes or metrics that are not equal, since descriptions, schema URLs
 * and unknown fields around them are not part of its identity. To keep such points in their order, of all resources with
 * one identity only the latest in the push is merged with, and so is it with scopes and metrics: where A, B, A come by
 * turns, the third is not merged with the first but begins anew behind B.
 *
 * <p>For one thread and bytes that {@link PushCheck} accepted.
 */
final class PushReader {
    /**
     * The most resources that a push may result in. Each costs its labels; without a bound, a push of a megabyte of tiny
     * resources would become hundreds. Clients send one.
     */
    static final int MAX_RESOURCES = 1024;

    /**
     * What the labels of all resources of a push may take together, in bytes, where the push itself is not larger. A client
     * chooses the length of its client id, so counting resources alone bounds no bytes.
     */
    static final int MAX_LABEL_BYTES = 64 * 1024;

    private static final int NO_RECORDED_VALUE = 1;
    private static final int TEMPORALITY_DELTA = 1;
    private static final int TEMPORALITY_CUMULATIVE = 2;

    /** First words of hashed messages, so that no two kinds of things have the same message. */
    private static final long ATTRIBUTE_DOMAIN = 2;

    private static final long METRIC_DOMAIN = 3;

    /** Spreads small numbers over all bits: 2 to the 64th over the golden ratio. */
    private static final long ODD = 0x9e3779b97f4a7c15L;

    private final PushOutline outline;
    private final KeyedHash hash;
    private final Temporality temporalityPreference;
    private final boolean dropNanGauges;
    /** The latest resource of each identity. */
    private final IdentityIndex resourceIdentities = new IdentityIndex();
    /** The latest scope of each identity under a resource. */
    private final IdentityIndex scopeIdentities = new IdentityIndex();
    /** The first metric of each quick hash of scope, type and name; where others came, the latest of each identity. */
    private final IdentityIndex metricIdentities = new IdentityIndex();

    private final int[] dropped = new int[PointDropReason.values().length];
    private int droppedInAll;
    private int passedThrough;
    /** How many ResourceMetrics, ScopeMetrics and metrics the push has. */
    private int parts;
    /** Whether one of these has nothing in it and is left out. */
    private boolean anyEmpty;

    /** The labels' part of the identity of each resource. */
    private long labelsHigh;

    private long labelsLow;

    // The resource and the scope read last, since the Java client repeats them before each metric.
    private int resource;
    private int scope;
    private boolean beyondResources;
    private int maxResources;

    /**
     * Whether to look behind the scopes of a ResourceMetrics and the metrics of a ScopeMetrics before these are read: what
     * follows them is part of what they are merged by. Nothing does in most pushes, which are then read without a walk
     * ahead; where something does, the push is read again.
     */
    private boolean lookingAhead;

    private boolean missedSuffix;

    // The metric that is being read.
    private int metricStart;
    private int metricEnd;
    private int data;
    private int dataSuffixStart;
    private int dataEnd;
    private int nameEnd;
    private int unitStart;
    private int unitEnd;
    /** What of its kind of data is part of its identity: all but the temporality. */
    private long type;

    private int metric;
    private long metricHashHigh;
    private long metricHashLow;
    private int runStart;
    private int runCount;

    // The point that is being read; positions are -1 where a field is absent.
    private int startTimeAt;
    private long startTime;
    private long time;
    private int valueAt;
    private long value;
    private boolean isDouble;
    private boolean noRecordedValue;
    private int attributesStart;
    private int attributesEnd;

    // The sum of the hashes of the attributes read last: equal for equal sets in any order.
    private long attributesHigh;
    private long attributesLow;

    /** Thrown where a push is in another form; always the same object, since it only means: rewrite. */
    static final class NotCanonicalException extends Exception {
        private static final NotCanonicalException INSTANCE = new NotCanonicalException();

        private NotCanonicalException() {
            super("not in canonical form", null, false, false);
        }
    }

    PushReader(ConversionSettings settings, KeyedHash hash, PushOutline outline) {
        this.outline = outline;
        this.hash = hash;
        this.temporalityPreference = settings.temporality();
        this.dropNanGauges = settings.dropNanGauges();
    }

    /** Returns how many points of the push read last were dropped. */
    int dropped() {
        return droppedInAll;
    }

    /** Returns how many points of the push read last were dropped for a reason. */
    int dropped(PointDropReason reason) {
        return dropped[reason.ordinal()];
    }

    /** Returns how many points of histograms and summaries the push read last has. */
    int passedThrough() {
        return passedThrough;
    }

    /** Reads a push into the outline. */
    void read(byte[] push, LabelBlock labels) throws NotCanonicalException {
        labelsHigh = labels.hashHigh();
        labelsLow = labels.hashLow();
        int labelBytes = Math.max(push.length, MAX_LABEL_BYTES);
        maxResources = Math.min(MAX_RESOURCES, Math.max(1, labelBytes / Math.max(1, labels.bytes().length)));
        lookingAhead = false;
        missedSuffix = false;
        read(push);
        if (missedSuffix) {
            lookingAhead = true;
            read(push);
        }
    }

    private void read(byte[] b) throws NotCanonicalException {
        if (droppedInAll > 0) {
            Arrays.fill(dropped, 0);
            droppedInAll = 0;
        }
        passedThrough = 0;
        parts = 0;
        anyEmpty = false;
        resourceIdentities.clear();
        scopeIdentities.clear();
        metricIdentities.clear();
        outline.clear();
        resource = -1;
        scope = -1;
        int at = 0;
        while (at < b.length && b[at] == Tag.RESOURCE_METRICS) {
            int start = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            resourceMetrics(b, start, at);
        }
        outline.suffixStart = at;
        require(CanonicalForm.has(Schema.METRICS_DATA, b, at, b.length, 2));
        // One of these is the resource: with more of them, or with fewer of the others than came, there is something to
        // merge.
        outline.asPushed =
                parts == 1 + outline.scopes.count + outline.metrics.count() && !anyEmpty && droppedInAll == 0;
    }

    private void resourceMetrics(byte[] b, int start, int end) throws NotCanonicalException {
        parts++;
        int resourceStart = start;
        int resourceEnd = start;
        int at = start;
        if (at < end && b[at] == Tag.RESOURCE) {
            resourceStart = content(b, at + 1);
            resourceEnd = fieldEnd(b, at + 1);
            at = resourceEnd;
        }
        int scopesStart = at;
        int scopesEnd = lookingAhead ? afterAll(b, Tag.SCOPE_METRICS, at, end) : end;
        PushOutline.Resources resources = outline.resources;
        if (resource < 0
                || scopesEnd != end
                || resources.suffixStart[resource] != resources.suffixEnd[resource]
                || !Arrays.equals(
                        b, resourceStart, resourceEnd, b, resources.start[resource], resources.end[resource])) {
            require(CanonicalForm.has(Schema.RESOURCE_METRICS, b, scopesEnd, end, 3));
            resource = resource(b, resourceStart, resourceEnd, scopesEnd, end);
            scope = -1;
        }
        while (at < scopesEnd && b[at] == Tag.SCOPE_METRICS) {
            int scopeMetricsStart = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            scopeMetrics(b, scopeMetricsStart, at);
        }
        anyEmpty |= at == scopesStart;
        missedSuffix |= at < scopesEnd;
    }

    private static int afterAll(byte[] b, byte tag, int start, int end) throws NotCanonicalException {
        int at = start;
        while (at < end && b[at] == tag) {
            at = fieldEnd(b, at + 1);
        }
        return at;
    }

    /** Returns the number of the resource, that of an equal one where it may be merged with one. */
    private int resource(byte[] b, int start, int end, int suffixStart, int suffixEnd) throws NotCanonicalException {
        attributesHigh = 0;
        attributesLow = 0;
        int at = start;
        while (at < end && b[at] == Tag.RESOURCE_ATTRIBUTES) {
            int attributeStart = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            attribute(b, attributeStart, at, true);
        }
        require(CanonicalForm.has(Schema.RESOURCE, b, at, end, 2));
        // Labels alone where the client sends no resource, as librdkafka does not.
        long high = labelsHigh;
        long low = labelsLow;
        if (start != end) {
            hash.hash(high, low, attributesHigh, attributesLow, b, at, end, 0, 0);
            high = hash.high;
            low = hash.low;
        }
        PushOutline.Resources resources = outline.resources;
        int latest = resourceIdentities.find(high, low);
        boolean found = latest >= 0
                && Arrays.equals(
                        b, suffixStart, suffixEnd, b, resources.suffixStart[latest], resources.suffixEnd[latest]);
        beyondResources = !found && resources.count == maxResources;
        if (found || beyondResources) {
            return found ? latest : -1;
        }
        int added = resources.add();
        if (latest < 0) {
            resourceIdentities.add(high, low, added);
        } else {
            resourceIdentities.replace(added);
        }
        resources.start[added] = start;
        resources.end[added] = end;
        resources.suffixStart[added] = suffixStart;
        resources.suffixEnd[added] = suffixEnd;
        resources.firstScope[added] = -1;
        resources.hashHigh[added] = high;
        resources.hashLow[added] = low;
        return added;
    }

    private void scopeMetrics(byte[] b, int start, int end) throws NotCanonicalException {
        parts++;
        int scopeEnd = start;
        int at = start;
        if (at < end && b[at] == Tag.SCOPE) {
            at = fieldEnd(b, at + 1);
            scopeEnd = at;
        }
        int metricsStart = at;
        int metricsEnd = lookingAhead ? afterAll(b, Tag.METRICS, at, end) : end;
        PushOutline.Scopes scopes = outline.scopes;
        if (beyondResources) {
            scope = -1;
        } else if (scope < 0
                || metricsEnd != end
                || scopes.suffixStart[scope] != scopes.suffixEnd[scope]
                || !Arrays.equals(b, start, scopeEnd, b, scopes.start[scope], scopes.end[scope])) {
            require(CanonicalForm.has(Schema.SCOPE_METRICS, b, metricsEnd, end, 3));
            scope = scope(b, start, scopeEnd, metricsEnd, end);
        }
        while (at < metricsEnd && b[at] == Tag.METRICS) {
            int contentStart = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            metric(b, contentStart, at);
        }
        anyEmpty |= at == metricsStart;
        missedSuffix |= at < metricsEnd;
    }

    /** Returns the number of the scope, that of an equal one where it may be merged with one. */
    private int scope(byte[] b, int start, int end, int suffixStart, int suffixEnd) throws NotCanonicalException {
        attributesHigh = 0;
        attributesLow = 0;
        int at = start == end ? start : content(b, start + 1);
        int prefixStart = at;
        while (at < end && (b[at] == Tag.SCOPE_NAME || b[at] == Tag.SCOPE_VERSION)) {
            at = fieldEnd(b, at + 1);
        }
        int prefixEnd = at;
        require(CanonicalForm.has(Schema.INSTRUMENTATION_SCOPE, b, prefixStart, prefixEnd, 0));
        while (at < end && b[at] == Tag.SCOPE_ATTRIBUTES) {
            int attributeStart = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            attribute(b, attributeStart, at, true);
        }
        require(CanonicalForm.has(Schema.INSTRUMENTATION_SCOPE, b, at, end, 4));
        PushOutline.Resources resources = outline.resources;
        hash.hash(
                resources.hashHigh[resource],
                resources.hashLow[resource],
                attributesHigh,
                attributesLow,
                b,
                prefixStart,
                prefixEnd,
                at,
                end);
        long high = hash.high;
        long low = hash.low;
        PushOutline.Scopes scopes = outline.scopes;
        long placedLow = low + resource * ODD;
        int latest = scopeIdentities.find(high, placedLow);
        // To be merged, scopes must also be both absent or both there, and end equally.
        if (latest >= 0
                && (start == end) == (scopes.start[latest] == scopes.end[latest])
                && Arrays.equals(b, suffixStart, suffixEnd, b, scopes.suffixStart[latest], scopes.suffixEnd[latest])) {
            return latest;
        }
        int added = scopes.add();
        if (latest < 0) {
            scopeIdentities.add(high, placedLow, added);
        } else {
            scopeIdentities.replace(added);
        }
        scopes.start[added] = start;
        scopes.end[added] = end;
        scopes.suffixStart[added] = suffixStart;
        scopes.suffixEnd[added] = suffixEnd;
        scopes.firstMetric[added] = -1;
        scopes.next[added] = -1;
        scopes.hashHigh[added] = high;
        scopes.hashLow[added] = low;
        if (resources.firstScope[resource] < 0) {
            resources.firstScope[resource] = added;
        } else {
            scopes.next[resources.lastScope[resource]] = added;
        }
        resources.lastScope[resource] = added;
        return added;
    }

    private void metric(byte[] b, int start, int end) throws NotCanonicalException {
        parts++;
        int at = start;
        int afterName = start;
        if (at < end && b[at] == Tag.NAME) {
            require(b[at + 1] != 0);
            at = fieldEnd(b, at + 1);
            afterName = at;
        }
        if (at < end && b[at] == Tag.DESCRIPTION) {
            require(b[at + 1] != 0);
            at = fieldEnd(b, at + 1);
        }
        int unit = at;
        if (at < end && b[at] == Tag.UNIT) {
            require(b[at + 1] != 0);
            at = fieldEnd(b, at + 1);
        }
        if (addedAsGauge(b, start, afterName, at, end)) {
            return;
        }
        metric = -1;
        metricStart = start;
        metricEnd = end;
        nameEnd = afterName;
        unitStart = unit;
        unitEnd = at;
        if (at < end && !isData(b[at])) {
            at = restOfPrefix(b, at, end);
        }
        if (at == end) {
            drop(afterName == start ? PointDropReason.NO_NAME : PointDropReason.NO_DATA, 1);
            return;
        }
        data = at;
        type = b[at];
        int pointsStart = content(b, at + 1);
        dataEnd = fieldEnd(b, at + 1);
        points(b, pointsStart, end);
    }

    /**
     * Adds a metric that is a gauge, ends with its only point and is like none before, as most metrics of Kafka's clients.
     * What is anything else is left to the general way.
     */
    private boolean addedAsGauge(byte[] b, int start, int afterName, int dataAt, int end) throws NotCanonicalException {
        int point = dataAt + 4;
        if (end - point < 18
                || b[dataAt] != Tag.GAUGE
                || b[dataAt + 1] != end - dataAt - 2
                || b[dataAt + 2] != Tag.DATA_POINTS
                || b[dataAt + 3] != end - point
                || afterName == start
                || beyondResources) {
            return false;
        }
        // Java clients leave the start time of gauges out.
        int timeAt = b[point] == Tag.START_TIME ? point + 9 : point;
        int at = timeAt + 18;
        if (at > end || b[timeAt] != Tag.TIME || Wire.fixed64(b, timeAt + 1) == 0) {
            return false;
        }
        byte value = b[timeAt + 9];
        if (value == Tag.DOUBLE_VALUE ? dropNanGauges && isNan(Wire.fixed64(b, timeAt + 10)) : value != Tag.INT_VALUE) {
            return false;
        }
        while (at < end && b[at] == Tag.POINT_ATTRIBUTES) {
            int attributeStart = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            attribute(b, attributeStart, at, false);
        }
        if (at != end) {
            return false;
        }
        long low = quick(b, Tag.GAUGE, start, afterName);
        if (metricIdentities.find(0, low) >= 0) {
            return false;
        }
        int added = addMetric(start, dataAt, end, end, end);
        metricIdentities.add(0, low, added);
        int[] rows = outline.metrics.rows;
        rows[added + Metrics.UNCHANGED_COUNT] = 1;
        rows[added + Metrics.POINTS_SIZE] = end - dataAt - 2;
        outline.unchangedPoints++;
        return true;
    }

    /** Reads the points of a metric of any kind, and what comes after them. */
    private void points(byte[] b, int pointsStart, int end) throws NotCanonicalException {
        require(dataEnd == end || CanonicalForm.has(Schema.METRIC, b, dataEnd, end, b[data] >>> 3));
        int at = pointsStart;
        int points = 0;
        while (at < dataEnd && b[at] == Tag.DATA_POINTS) {
            at = fieldEnd(b, at + 1);
            points++;
        }
        dataSuffixStart = at;
        if (nameEnd == metricStart) {
            // Points may also come after other fields of the data.
            require(CanonicalForm.has(Schema.child(Schema.METRIC + (b[data] >>> 3)), b, at, dataEnd, 2));
            drop(PointDropReason.NO_NAME, points);
            return;
        }
        switch (b[data]) {
            case Tag.GAUGE:
                require(at == dataEnd || CanonicalForm.has(Schema.GAUGE, b, at, dataEnd, 2));
                unchangedNumbers(b, pointsStart, dropNanGauges);
                break;
            case Tag.SUM:
                sum(b, pointsStart, points);
                break;
            default:
                histogramOrSummary(b, pointsStart);
        }
    }

    /**
     * Reads on to the field of the metric's data, over fields that OTLP once had or will have, or none of the data that we
     * know.
     *
     * @return its position, or the metric's end where there is none
     */
    private int restOfPrefix(byte[] b, int from, int end) throws NotCanonicalException {
        int at = from;
        while (at < end && !isData(b[at])) {
            at = Wire.afterValue(b, Wire.afterVarint(b, at), b[at] & 7);
        }
        require(CanonicalForm.has(Schema.METRIC, b, metricStart, at, 0));
        return at;
    }

    private static boolean isData(byte tag) {
        return tag == Tag.GAUGE
                || tag == Tag.SUM
                || tag == Tag.HISTOGRAM
                || tag == Tag.EXPONENTIAL_HISTOGRAM
                || tag == Tag.SUMMARY;
    }

    private void sum(byte[] b, int pointsStart, int points) throws NotCanonicalException {
        int temporality = 0;
        boolean monotonic = false;
        int at = dataSuffixStart;
        if (at < dataEnd && b[at] == Tag.TEMPORALITY && b[at + 1] > 0) {
            temporality = b[at + 1];
            at += 2;
        }
        if (at < dataEnd && b[at] == Tag.MONOTONIC && b[at + 1] == 1) {
            monotonic = true;
            at += 2;
        }
        require(at == dataEnd || CanonicalForm.has(Schema.SUM, b, at, dataEnd, monotonic ? 4 : 2));
        type = Tag.SUM | (monotonic ? 1 << 8 : 0);
        if (temporality == TEMPORALITY_CUMULATIVE
                || temporality == TEMPORALITY_DELTA && monotonic && temporalityPreference != Temporality.CUMULATIVE) {
            unchangedNumbers(b, pointsStart, false);
        } else if (temporality == TEMPORALITY_DELTA) {
            deltas(b, pointsStart, monotonic);
        } else {
            drop(PointDropReason.UNSPECIFIED_TEMPORALITY, points);
        }
    }

    /** Reads the points of a gauge, or of a sum that is not converted. */
    private void unchangedNumbers(byte[] b, int pointsStart, boolean dropNan) throws NotCanonicalException {
        int at = pointsStart;
        beginRun(at);
        while (at < dataSuffixStart) {
            int fieldStart = at;
            int start = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            PointDropReason reason = unchangedPoint(b, start, at, dropNan);
            if (reason == null) {
                runCount++;
            } else {
                drop(reason, 1);
                endRun(b, pointsStart, fieldStart);
                beginRun(at);
            }
        }
        endRun(b, pointsStart, at);
    }

    /** Reads a point that is copied as it is. Returns why it is left out, null where it is not. */
    private PointDropReason unchangedPoint(byte[] b, int start, int end, boolean dropNan) throws NotCanonicalException {
        numberPoint(b, start, end, false);
        if (time == 0) {
            return PointDropReason.NO_TIME;
        }
        if (dropNan && valueAt >= 0 && isDouble && isNan(value)) {
            return PointDropReason.NAN_GAUGE;
        }
        return beyondResources ? PointDropReason.RESOURCE_BOUND : null;
    }

    private void histogramOrSummary(byte[] b, int pointsStart) throws NotCanonicalException {
        int dataType;
        int attributes;
        switch (b[data]) {
            case Tag.HISTOGRAM:
                dataType = Schema.HISTOGRAM;
                attributes = 9;
                break;
            case Tag.EXPONENTIAL_HISTOGRAM:
                dataType = Schema.EXPONENTIAL_HISTOGRAM;
                attributes = 1;
                break;
            default:
                dataType = Schema.SUMMARY;
                attributes = 7;
        }
        require(CanonicalForm.has(dataType, b, dataSuffixStart, dataEnd, 2));
        int at = pointsStart;
        beginRun(at);
        while (at < dataSuffixStart) {
            int fieldStart = at;
            int start = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            time = 0;
            // Their fields are not compared with anything: only where attributes and time are matters.
            for (int field = start; field < at; ) {
                int afterTag = Wire.afterVarint(b, field);
                long tag = Wire.varint(b, field);
                field = Wire.afterValue(b, afterTag, (int) tag & 7);
                if (tag == Tag.TIME) {
                    time = Wire.fixed64(b, afterTag);
                } else if (tag >>> 3 == attributes) {
                    attribute(b, content(b, afterTag), field, false);
                }
            }
            if (time != 0 && !beyondResources) {
                passedThrough++;
                runCount++;
            } else {
                drop(time == 0 ? PointDropReason.NO_TIME : PointDropReason.RESOURCE_BOUND, 1);
                endRun(b, pointsStart, fieldStart);
                beginRun(at);
            }
        }
        endRun(b, pointsStart, at);
    }

    private void drop(PointDropReason reason, int points) {
        dropped[reason.ordinal()] += points;
        droppedInAll += points;
    }

    /** Begins a run of points that are copied as they are. */
    private void beginRun(int start) {
        runStart = start;
        runCount = 0;
    }

    /** Ends a run of points: all of the metric's, or those since or up to one that is left out. */
    private void endRun(byte[] b, int pointsStart, int end) {
        if (runCount == 0) {
            return;
        }
        boolean all = runStart == pointsStart && end == dataSuffixStart;
        if (metric < 0) {
            int known = outline.metrics.end;
            metric = coalesced(b);
            if (all && metric == known) {
                int[] rows = outline.metrics.rows;
                rows[metric + Metrics.UNCHANGED_COUNT] = runCount;
                outline.unchangedPoints += runCount;
                rows[metric + Metrics.POINTS_SIZE] = end - runStart;
                return;
            }
        }
        outline.metrics.rows[metric + Metrics.WHOLE] = 0;
        addRun(metric, runStart, end, runCount);
    }

    private void addRun(int toMetric, int start, int end, int count) {
        PushOutline.Points points = outline.points;
        int point = addPoint(toMetric, PushOutline.Points.UNCHANGED);
        points.start[point] = start;
        points.end[point] = end;
        points.pointCount[point] = count;
    }

    private void deltas(byte[] b, int pointsStart, boolean monotonic) throws NotCanonicalException {
        PushOutline.Points points = outline.points;
        boolean anyDropped = false;
        if (!beyondResources) {
            PushOutline.Scopes scopes = outline.scopes;
            hash.hash(
                    scopes.hashHigh[scope],
                    scopes.hashLow[scope],
                    monotonic ? 1 : 0,
                    0,
                    b,
                    metricStart,
                    nameEnd,
                    unitStart,
                    unitEnd);
            metricHashHigh = hash.high;
            metricHashLow = hash.low;
        }
        int at = pointsStart;
        while (at < dataSuffixStart) {
            int start = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            numberPoint(b, start, at, true);
            PointDropReason reason = null;
            if (time == 0) {
                reason = PointDropReason.NO_TIME;
            } else if (valueAt < 0 || noRecordedValue || isDouble && !isFinite(value)) {
                reason = PointDropReason.NON_FINITE;
            } else if (beyondResources) {
                reason = PointDropReason.RESOURCE_BOUND;
            }
            if (reason != null) {
                drop(reason, 1);
                anyDropped = true;
                continue;
            }
            if (metric < 0) {
                metric = coalesced(b);
            }
            int point = addPoint(metric, PushOutline.Points.DELTA);
            points.start[point] = start;
            points.end[point] = at;
            points.startTimeAt[point] = startTimeAt;
            points.valueAt[point] = valueAt;
            points.attributesStart[point] = attributesStart;
            points.attributesEnd[point] = attributesEnd;
            points.isDouble[point] = isDouble;
            points.isMonotonic[point] = monotonic;
            points.startTime[point] = startTime;
            points.time[point] = time;
            points.value[point] = value;
            if (attributesStart == attributesEnd) {
                points.hashHigh[point] = metricHashHigh;
                points.hashLow[point] = metricHashLow;
            } else {
                hash.hash(metricHashHigh, metricHashLow, attributesHigh, attributesLow, b, 0, 0, 0, 0);
                points.hashHigh[point] = hash.high;
                points.hashLow[point] = hash.low;
            }
        }
        if (metric >= 0) {
            int[] rows = outline.metrics.rows;
            rows[metric + Metrics.CONVERTED] = 1;
            if (anyDropped) {
                rows[metric + Metrics.WHOLE] = 0;
            }
        }
    }

    private int addPoint(int metric, int kind) {
        PushOutline.Points points = outline.points;
        int[] rows = outline.metrics.rows;
        int point = points.add();
        points.kind[point] = kind;
        points.metric[point] = metric;
        points.next[point] = -1;
        if (rows[metric + Metrics.FIRST_POINT] < 0) {
            rows[metric + Metrics.FIRST_POINT] = point;
        } else {
            points.next[rows[metric + Metrics.LAST_POINT]] = point;
        }
        rows[metric + Metrics.LAST_POINT] = point;
        return point;
    }

    /** Returns the row of the metric that is being read, that of an equal one where it may be merged with one. */
    private int coalesced(byte[] b) {
        long low = quick(b, type, metricStart, nameEnd);
        int first = metricIdentities.find(0, low);
        if (first >= 0) {
            return coalesced(b, first);
        }
        int added = addMetric();
        metricIdentities.add(0, low, added);
        return added;
    }

    /** Returns what metrics are looked for by first. */
    private long quick(byte[] b, long metricType, int nameStart, int afterName) {
        return hash.quick((long) scope << 32 | metricType, b, nameStart, afterName);
    }

    /** Does so where another metric has the same scope, type and name. */
    private int coalesced(byte[] b, int first) {
        if (outline.metrics.rows[first + Metrics.AMBIGUOUS] == 0 && isEqualButForPoints(b, first)) {
            return merged(first);
        }
        // Metrics of one name that differ in anything else, as many as a client likes, are found by their identity.
        outline.metrics.rows[first + Metrics.AMBIGUOUS] = 1;
        PushOutline.Scopes scopes = outline.scopes;
        hash.hash(
                scopes.hashHigh[scope],
                scopes.hashLow[scope],
                METRIC_DOMAIN,
                (long) scope << 32 | type,
                b,
                metricStart,
                nameEnd,
                unitStart,
                unitEnd);
        int latest = metricIdentities.find(hash.high, hash.low);
        int candidate = latest < 0 ? first : latest;
        if (isEqualButForPoints(b, candidate)) {
            return merged(candidate);
        }
        int added = addMetric();
        if (latest < 0) {
            metricIdentities.add(hash.high, hash.low, added);
        } else {
            metricIdentities.replace(added);
        }
        return added;
    }

    /** Returns a metric's row, made ready for more points than it has. */
    private int merged(int found) {
        int[] rows = outline.metrics.rows;
        rows[found + Metrics.WHOLE] = 0;
        if (rows[found + Metrics.UNCHANGED_COUNT] > 0) {
            // The first metric's points, so far a part of it, become the first of several runs.
            int end = rows[found + Metrics.DATA_SUFFIX_START];
            addRun(found, end - rows[found + Metrics.POINTS_SIZE], end, rows[found + Metrics.UNCHANGED_COUNT]);
            rows[found + Metrics.UNCHANGED_COUNT] = 0;
            rows[found + Metrics.POINTS_SIZE] = 0;
        }
        return found;
    }

    /** Adds the metric that is being read. */
    private int addMetric() {
        return addMetric(metricStart, data, dataSuffixStart, dataEnd, metricEnd);
    }

    private int addMetric(int start, int dataAt, int suffixStart, int afterData, int end) {
        int added = outline.metrics.add();
        int[] rows = outline.metrics.rows;
        rows[added + Metrics.SCOPE] = scope;
        rows[added + Metrics.START] = start;
        rows[added + Metrics.END] = end;
        rows[added + Metrics.DATA] = dataAt;
        rows[added + Metrics.DATA_SUFFIX_START] = suffixStart;
        rows[added + Metrics.DATA_END] = afterData;
        rows[added + Metrics.UNCHANGED_COUNT] = 0;
        rows[added + Metrics.FIRST_POINT] = -1;
        rows[added + Metrics.NEXT] = -1;
        rows[added + Metrics.POINTS_SIZE] = 0;
        rows[added + Metrics.WHOLE] = 1;
        rows[added + Metrics.CONVERTED] = 0;
        rows[added + Metrics.AMBIGUOUS] = 0;
        PushOutline.Scopes scopes = outline.scopes;
        if (scopes.firstMetric[scope] < 0) {
            scopes.firstMetric[scope] = added;
        } else {
            rows[scopes.lastMetric[scope] + Metrics.NEXT] = added;
        }
        scopes.lastMetric[scope] = added;
        return added;
    }

    private boolean isEqualButForPoints(byte[] b, int other) {
        int[] rows = outline.metrics.rows;
        return rows[other + Metrics.SCOPE] == scope
                && b[data] == b[rows[other + Metrics.DATA]]
                && Arrays.equals(b, metricStart, data, b, rows[other + Metrics.START], rows[other + Metrics.DATA])
                && Arrays.equals(
                        b,
                        dataSuffixStart,
                        dataEnd,
                        b,
                        rows[other + Metrics.DATA_SUFFIX_START],
                        rows[other + Metrics.DATA_END])
                && Arrays.equals(b, dataEnd, metricEnd, b, rows[other + Metrics.DATA_END], rows[other + Metrics.END]);
    }

    /** Reads a NumberDataPoint into the fields for the point that is being read. */
    private void numberPoint(byte[] b, int start, int end, boolean identity) throws NotCanonicalException {
        if (end - start >= 27
                && b[start] == Tag.START_TIME
                && b[start + 9] == Tag.TIME
                && (b[start + 18] == Tag.DOUBLE_VALUE || b[start + 18] == Tag.INT_VALUE)
                && (end - start == 27 || b[start + 27] == Tag.POINT_ATTRIBUTES)) {
            // As nearly all points are.
            startTimeAt = start;
            startTime = Wire.fixed64(b, start + 1);
            time = Wire.fixed64(b, start + 10);
            valueAt = start + 18;
            value = Wire.fixed64(b, start + 19);
            isDouble = b[start + 18] == Tag.DOUBLE_VALUE;
            noRecordedValue = false;
            attributesStart = start + 27;
            attributesEnd = end;
            if (end - start > 27) {
                attributesAndFlags(b, end, identity);
            }
        } else {
            attributesStart = timesAndValue(b, start, end);
            attributesAndFlags(b, end, identity);
        }
    }

    /** Reads what is left of a NumberDataPoint from its attributes on. */
    private void attributesAndFlags(byte[] b, int end, boolean identity) throws NotCanonicalException {
        attributesHigh = 0;
        attributesLow = 0;
        int at = attributesStart;
        while (at < end && b[at] == Tag.POINT_ATTRIBUTES) {
            int attributeStart = content(b, at + 1);
            at = fieldEnd(b, at + 1);
            attribute(b, attributeStart, at, identity);
        }
        attributesEnd = at;
        if (at < end && b[at] == Tag.FLAGS) {
            noRecordedValue = (b[at + 1] & NO_RECORDED_VALUE) != 0;
        }
        require(at == end || CanonicalForm.has(Schema.NUMBER_DATA_POINT, b, at, end, 8));
    }

    /** Reads a NumberDataPoint up to its attributes and returns where they begin. */
    private int timesAndValue(byte[] b, int start, int end) throws NotCanonicalException {
        startTimeAt = -1;
        startTime = 0;
        time = 0;
        valueAt = -1;
        noRecordedValue = false;
        int at = start;
        while (at < end && b[at] >>> 3 == 1) {
            // Labels, which OTLP had here before 1.0.
            at = Wire.afterValue(b, at + 1, b[at] & 7);
        }
        if (at < end && b[at] == Tag.START_TIME) {
            startTimeAt = at;
            startTime = Wire.fixed64(b, at + 1);
            at += 9;
        }
        if (at < end && b[at] == Tag.TIME) {
            time = Wire.fixed64(b, at + 1);
            at += 9;
        }
        if (at < end && b[at] == Tag.DOUBLE_VALUE) {
            valueAt = at;
            value = Wire.fixed64(b, at + 1);
            isDouble = true;
            at += 9;
        }
        while (at < end && b[at] == Tag.EXEMPLARS) {
            at = fieldEnd(b, at + 1);
        }
        if (at < end && b[at] == Tag.INT_VALUE) {
            valueAt = at;
            value = Wire.fixed64(b, at + 1);
            isDouble = false;
            at += 9;
        }
        return at;
    }

    /** Checks an attribute and adds its hash to those of its set. */
    private void attribute(byte[] b, int start, int end, boolean identity) throws NotCanonicalException {
        if (start < end && b[start] == Tag.KEY) {
            int key = content(b, start + 1);
            int keyEnd = fieldEnd(b, start + 1);
            // The rewrite leaves forged attributes out.
            require(!ReservedKeys.contain(b, key, keyEnd));
            require(key < keyEnd && (keyEnd == end || isPlainValue(b, keyEnd, end))
                    || CanonicalForm.has(Schema.KEY_VALUE, b, start, end, 0));
        } else {
            require(CanonicalForm.has(Schema.KEY_VALUE, b, start, end, 2));
        }
        if (identity) {
            hash.hash(ATTRIBUTE_DOMAIN, b, start, end);
            attributesHigh += hash.high;
            attributesLow += hash.low;
        }
    }

    /** Returns whether a range is an attribute's value in canonical form, neither long nor nested, and nothing else. */
    private static boolean isPlainValue(byte[] b, int start, int end) {
        if (b[start] != Tag.VALUE || b[start + 1] != end - start - 2) {
            return false;
        }
        int at = start + 2;
        if (at == end) {
            return true;
        }
        switch (b[at]) {
            case Tag.STRING_VALUE, Tag.BYTES_VALUE:
                return b[at + 1] == end - at - 2;
            case Tag.BOOL_VALUE:
                return (b[at + 1] & ~1) == 0 && at + 2 == end;
            case Tag.INT_ATTRIBUTE_VALUE:
                return Wire.afterVarint(b, at + 1) == end && Wire.isShortest(b, at + 1, end);
            case Tag.DOUBLE_ATTRIBUTE_VALUE:
                return at + 9 == end;
            default:
                return false;
        }
    }

    private static boolean isNan(long doubleBits) {
        return Double.isNaN(Double.longBitsToDouble(doubleBits));
    }

    private static boolean isFinite(long doubleBits) {
        return Double.isFinite(Double.longBitsToDouble(doubleBits));
    }

    private static void require(boolean canonical) throws NotCanonicalException {
        if (!canonical) {
            throw NotCanonicalException.INSTANCE;
        }
    }

    /** Returns where the content of a length-delimited field begins, given the position of its length. */
    private static int content(byte[] b, int lengthAt) throws NotCanonicalException {
        if (b[lengthAt] >= 0) {
            return lengthAt + 1;
        }
        return b[lengthAt + 1] > 0 ? lengthAt + 2 : longContent(b, lengthAt);
    }

    /** Returns where a length-delimited field ends, given the position of its length. */
    private static int fieldEnd(byte[] b, int lengthAt) throws NotCanonicalException {
        int low = b[lengthAt];
        if (low >= 0) {
            return lengthAt + 1 + low;
        }
        int high = b[lengthAt + 1];
        return high > 0
                ? lengthAt + 2 + (high << 7 | low & 0x7f)
                : longContent(b, lengthAt) + (int) Wire.varint(b, lengthAt);
    }

    private static int longContent(byte[] b, int lengthAt) throws NotCanonicalException {
        int content = Wire.afterVarint(b, lengthAt);
        require(Wire.isShortest(b, lengthAt, content));
        return content;
    }
}
