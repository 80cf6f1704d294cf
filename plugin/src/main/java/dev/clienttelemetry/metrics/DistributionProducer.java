/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.export.MetricProducer;
import io.opentelemetry.sdk.resources.Resource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives our distributions to OpenTelemetry's SDK as histograms. The SDK has no histogram that is read when it is
 * collected, and its own would take a lock for each call of {@code exportMetrics}. Thread-safe.
 */
final class DistributionProducer implements MetricProducer {
    private final InstrumentationScopeInfo scope;
    private final AggregationTemporality temporality;
    private final Clock clock = Clock.getDefault();
    private final List<Source> sources = new ArrayList<>();

    /** One distribution and, for delta temporality, what of it was told already. */
    private static final class Source {
        private final Series series;
        private final Attributes attributes;
        private final List<Double> boundsSeconds;
        private long startEpochNanos;
        private long[] toldCounts;
        private long toldNanos;

        Source(Series series, Attributes attributes, long startEpochNanos) {
            this.series = series;
            this.attributes = attributes;
            this.startEpochNanos = startEpochNanos;
            long[] boundsNanos = series.distribution().boundsNanos();
            this.boundsSeconds =
                    Arrays.stream(boundsNanos).mapToObj(bound -> bound / 1e9).toList();
            this.toldCounts = new long[boundsNanos.length + 1];
        }

        HistogramPointData read(AggregationTemporality temporality, long nowEpochNanos) {
            long[] counts = series.distribution().counts();
            long nanos = series.distribution().totalNanos();
            List<Long> told = new ArrayList<>(counts.length);
            for (int i = 0; i < counts.length; i++) {
                told.add(counts[i] - toldCounts[i]);
            }
            HistogramPointData point = HistogramPointData.create(
                    startEpochNanos,
                    nowEpochNanos,
                    attributes,
                    (nanos - toldNanos) / 1e9,
                    false,
                    0,
                    false,
                    0,
                    boundsSeconds,
                    told);
            if (temporality == AggregationTemporality.DELTA) {
                toldCounts = counts;
                toldNanos = nanos;
                startEpochNanos = nowEpochNanos;
            }
            return point;
        }
    }

    DistributionProducer(InstrumentationScopeInfo scope, AggregationTemporality temporality) {
        this.scope = scope;
        this.temporality = temporality;
    }

    synchronized void add(Series series, Attributes attributes) {
        sources.add(new Source(series, attributes, clock.now()));
    }

    @Override
    public synchronized Collection<MetricData> produce(Resource resource) {
        long now = clock.now();
        Map<Instrument, List<HistogramPointData>> points = new LinkedHashMap<>();
        for (Source source : sources) {
            points.computeIfAbsent(source.series.instrument(), absent -> new ArrayList<>())
                    .add(source.read(temporality, now));
        }
        List<MetricData> produced = new ArrayList<>();
        points.forEach((instrument, read) ->
                produced.add(new Histogram(resource, scope, instrument, HistogramData.create(temporality, read))));
        return produced;
    }

    private record Histogram(
            Resource resource, InstrumentationScopeInfo scope, Instrument instrument, HistogramData data)
            implements MetricData {
        @Override
        public Resource getResource() {
            return resource;
        }

        @Override
        public InstrumentationScopeInfo getInstrumentationScopeInfo() {
            return scope;
        }

        @Override
        public String getName() {
            return instrument.otelName();
        }

        @Override
        public String getDescription() {
            return instrument.description();
        }

        @Override
        public String getUnit() {
            return instrument.unit();
        }

        @Override
        public MetricDataType getType() {
            return MetricDataType.HISTOGRAM;
        }

        @Override
        public Data<?> getData() {
            return data;
        }
    }
}
