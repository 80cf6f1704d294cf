/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.EntityRef;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Builders;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * Generators of any {@code MetricsData}. A push is put together from a few resources, scopes, metrics and attribute
 * sets that come again and again, since what repeats is what coalescing and series are about.
 */
final class MetricsDataArbitraries {
    /** A time in the past as clients send it, in nanoseconds since 1970. */
    static final long EPOCH = 1_780_000_000_000_000_000L;

    static final long SECOND = 1_000_000_000L;

    private MetricsDataArbitraries() {}

    /** Pushes in which everything may occur that the schema allows. */
    static Arbitrary<MetricsData> metricsData() {
        Arbitrary<Parts> parts = Combinators.combine(
                        resources().list().ofMinSize(1).ofMaxSize(3),
                        scopes().list().ofMinSize(1).ofMaxSize(2),
                        metrics().list().ofMinSize(1).ofMaxSize(4))
                .as(Parts::new);
        Arbitrary<List<Pick>> picks =
                Arbitraries.oneOf(picks(Arbitraries.just(Variant.NONE)), picks(Arbitraries.of(Variant.class)));
        return Combinators.combine(parts, picks, unknownFields(MetricsData.getDescriptor()))
                .as((p, chosen, unknown) ->
                        p.assemble(chosen).toBuilder().setUnknownFields(unknown).build());
    }

    /**
     * Pushes of few series whose points come again and again, later each time, by turns under what differs in something
     * that is not part of a series' identity.
     */
    static Arbitrary<MetricsData> seriesByTurns() {
        Arbitrary<Parts> parts = Combinators.combine(
                        plainResources().list().ofMinSize(1).ofMaxSize(2),
                        plainScopes().list().ofMinSize(1).ofMaxSize(2),
                        metrics("a", "b").list().ofMinSize(1).ofMaxSize(3))
                .as(Parts::new);
        // Few variants in one push, so that each comes again.
        Arbitrary<List<Pick>> picks = Arbitraries.of(Variant.class)
                .set()
                .ofMinSize(1)
                .ofMaxSize(3)
                .flatMap(some -> {
                    Variant[] few = Stream.concat(Stream.of(Variant.NONE), some.stream())
                            .toArray(Variant[]::new);
                    return picks(Arbitraries.of(few));
                });
        return Combinators.combine(parts, picks).as(Parts::assemble);
    }

    private static Arbitrary<List<Pick>> picks(Arbitrary<Variant> variants) {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 5),
                        Arbitraries.integers().between(0, 3),
                        Arbitraries.integers().between(0, 7),
                        Arbitraries.of(true, true, false),
                        variants,
                        Arbitraries.of(true, true, false))
                .as(Pick::new)
                .list()
                .ofMaxSize(8);
    }

    /** A resource, scope and metric of a push's parts; whether they differ in something; whether time went on before. */
    private record Pick(
            int resource, int scope, int metric, boolean ownResourceMetrics, Variant variant, boolean later) {}

    /** In what a part may differ from another of the same series, or come in another form. */
    private enum Variant {
        NONE,
        RESOURCE_SCHEMA,
        RESOURCE_METRICS_UNKNOWN,
        RESOURCE_ATTRIBUTES_ORDER,
        RESOURCE_FORGED_ATTRIBUTE,
        RESOURCE_ABSENT_OR_EMPTY,
        SCOPE_SCHEMA,
        SCOPE_METRICS_UNKNOWN,
        SCOPE_ATTRIBUTES_ORDER,
        SCOPE_FORGED_ATTRIBUTE,
        SCOPE_ABSENT_OR_EMPTY,
        DESCRIPTION,
        METADATA,
        METRIC_UNKNOWN,
        DATA_UNKNOWN,
        TEMPORALITY,
        UNIT;

        private static final KeyValue FORGED = KeyValue.newBuilder()
                .setKey("job")
                .setValue(AnyValue.newBuilder().setStringValue("x"))
                .build();
        private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
                .addField(100, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build();

        ResourceMetrics of(ResourceMetrics resource) {
            ResourceMetrics.Builder changed = resource.toBuilder();
            switch (this) {
                case RESOURCE_SCHEMA -> changed.setSchemaUrl("u");
                case RESOURCE_METRICS_UNKNOWN -> changed.setUnknownFields(UNKNOWN);
                case RESOURCE_ATTRIBUTES_ORDER -> {
                    List<KeyValue> attributes =
                            new ArrayList<>(resource.getResource().getAttributesList());
                    Collections.reverse(attributes);
                    changed.getResourceBuilder().clearAttributes().addAllAttributes(attributes);
                }
                case RESOURCE_FORGED_ATTRIBUTE -> changed.getResourceBuilder().addAttributes(FORGED);
                case RESOURCE_ABSENT_OR_EMPTY -> {
                    if (!resource.hasResource()) {
                        changed.setResource(Resource.getDefaultInstance());
                    } else if (resource.getResource().equals(Resource.getDefaultInstance())) {
                        changed.clearResource();
                    }
                }
                default -> {}
            }
            return changed.build();
        }

        ScopeMetrics of(ScopeMetrics scope) {
            ScopeMetrics.Builder changed = scope.toBuilder();
            switch (this) {
                case SCOPE_SCHEMA -> changed.setSchemaUrl("u");
                case SCOPE_METRICS_UNKNOWN -> changed.setUnknownFields(UNKNOWN);
                case SCOPE_ATTRIBUTES_ORDER -> {
                    List<KeyValue> attributes = new ArrayList<>(scope.getScope().getAttributesList());
                    Collections.reverse(attributes);
                    changed.getScopeBuilder().clearAttributes().addAllAttributes(attributes);
                }
                case SCOPE_FORGED_ATTRIBUTE -> changed.getScopeBuilder().addAttributes(FORGED);
                case SCOPE_ABSENT_OR_EMPTY -> {
                    if (!scope.hasScope()) {
                        changed.setScope(InstrumentationScope.getDefaultInstance());
                    } else if (scope.getScope().equals(InstrumentationScope.getDefaultInstance())) {
                        changed.clearScope();
                    }
                }
                default -> {}
            }
            return changed.build();
        }

        Metric of(Metric metric) {
            Metric.Builder changed = metric.toBuilder();
            switch (this) {
                case DESCRIPTION -> changed.setDescription("d");
                case METADATA -> changed.addMetadata(FORGED);
                case METRIC_UNKNOWN -> changed.setUnknownFields(UNKNOWN);
                case DATA_UNKNOWN -> {
                    if (metric.hasSum()) {
                        changed.getSumBuilder().setUnknownFields(UNKNOWN);
                    } else if (metric.hasGauge()) {
                        changed.getGaugeBuilder().setUnknownFields(UNKNOWN);
                    }
                }
                case TEMPORALITY -> {
                    if (metric.hasSum()) {
                        changed.getSumBuilder().setAggregationTemporalityValue(2);
                    } else if (metric.hasHistogram()) {
                        changed.getHistogramBuilder().setAggregationTemporalityValue(2);
                    }
                }
                case UNIT -> changed.setUnit("s");
                default -> {}
            }
            return changed.build();
        }
    }

    private record Parts(List<ResourceMetrics> resources, List<ScopeMetrics> scopes, List<Metric> metrics) {
        MetricsData assemble(List<Pick> picks) {
            MetricsData.Builder data = MetricsData.newBuilder();
            Pick last = null;
            long later = 0;
            for (Pick pick : picks) {
                boolean sameResource = last != null
                        && !pick.ownResourceMetrics
                        && pick.resource == last.resource
                        && pick.variant == last.variant;
                ResourceMetrics.Builder under = sameResource
                        ? data.getResourceMetricsBuilder(data.getResourceMetricsCount() - 1)
                        : data.addResourceMetricsBuilder().mergeFrom(pick.variant.of(choose(resources, pick.resource)));
                boolean sameScope = sameResource && pick.scope == last.scope;
                ScopeMetrics.Builder scope = sameScope
                        ? under.getScopeMetricsBuilder(under.getScopeMetricsCount() - 1)
                        : under.addScopeMetricsBuilder().mergeFrom(pick.variant.of(choose(scopes, pick.scope)));
                later += pick.later ? 10 * SECOND : 0;
                scope.addMetrics(later(pick.variant.of(choose(metrics, pick.metric)), later));
                last = pick;
            }
            return data.build();
        }

        /** Moves the times of points on, but for those that are none of an ordinary clock. */
        private static Metric later(Metric metric, long nanos) {
            return DecodedPoints.withPoints(
                    metric,
                    DecodedPoints.points(metric).stream()
                            .map(point -> later(later(point, "start_time_unix_nano", nanos), "time_unix_nano", nanos))
                            .toList());
        }

        private static Message later(Message point, String field, long nanos) {
            FieldDescriptor time = point.getDescriptorForType().findFieldByName(field);
            long before = (long) point.getField(time);
            return before < EPOCH || before > EPOCH + 3600 * SECOND
                    ? point
                    : point.toBuilder().setField(time, before + nanos).build();
        }

        private static <T> T choose(List<T> list, int index) {
            return list.get(index % list.size());
        }
    }

    /** Everything of a ResourceMetrics but its scopes. */
    static Arbitrary<ResourceMetrics> resources() {
        Arbitrary<Resource> resource = Builders.withBuilder(Resource::newBuilder)
                .use(attributes(3))
                .in(Resource.Builder::addAllAttributes)
                .use(counts())
                .withProbability(0.1)
                .in(Resource.Builder::setDroppedAttributesCount)
                .use(entityRefs())
                .withProbability(0.1)
                .in(Resource.Builder::addEntityRefs)
                .use(unknownFields(Resource.getDescriptor()))
                .in(Resource.Builder::setUnknownFields)
                .build(Resource.Builder::build);
        return Builders.withBuilder(ResourceMetrics::newBuilder)
                .use(resource)
                .withProbability(0.9)
                .in(ResourceMetrics.Builder::setResource)
                .use(strings())
                .withProbability(0.1)
                .in(ResourceMetrics.Builder::setSchemaUrl)
                .use(unknownFields(ResourceMetrics.getDescriptor()))
                .in(ResourceMetrics.Builder::setUnknownFields)
                .build(ResourceMetrics.Builder::build);
    }

    private static Arbitrary<ResourceMetrics> plainResources() {
        Arbitrary<KeyValue> attribute = plainAttributes("group_member_id");
        return Arbitraries.oneOf(
                Arbitraries.of(
                        ResourceMetrics.getDefaultInstance(),
                        ResourceMetrics.newBuilder()
                                .setResource(Resource.getDefaultInstance())
                                .build()),
                Combinators.combine(attribute, plainAttributes("client_rack")).as((a, b) -> ResourceMetrics.newBuilder()
                        .setResource(Resource.newBuilder().addAttributes(a).addAttributes(b))
                        .build()));
    }

    private static Arbitrary<ScopeMetrics> plainScopes() {
        return Arbitraries.oneOf(
                Arbitraries.of(
                        ScopeMetrics.getDefaultInstance(),
                        ScopeMetrics.newBuilder()
                                .setScope(InstrumentationScope.getDefaultInstance())
                                .build()),
                Combinators.combine(plainAttributes("x"), plainAttributes("y")).as((a, b) -> ScopeMetrics.newBuilder()
                        .setScope(InstrumentationScope.newBuilder()
                                .setName("s")
                                .addAttributes(a)
                                .addAttributes(b))
                        .build()));
    }

    private static Arbitrary<KeyValue> plainAttributes(String key) {
        return Arbitraries.of("1", "2").map(value -> KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build());
    }

    /** Everything of a ScopeMetrics but its metrics. */
    static Arbitrary<ScopeMetrics> scopes() {
        Arbitrary<InstrumentationScope> scope = Builders.withBuilder(InstrumentationScope::newBuilder)
                .use(strings())
                .withProbability(0.5)
                .in(InstrumentationScope.Builder::setName)
                .use(strings())
                .withProbability(0.2)
                .in(InstrumentationScope.Builder::setVersion)
                .use(attributes(1))
                .in(InstrumentationScope.Builder::addAllAttributes)
                .use(counts())
                .withProbability(0.1)
                .in(InstrumentationScope.Builder::setDroppedAttributesCount)
                .use(unknownFields(InstrumentationScope.getDescriptor()))
                .in(InstrumentationScope.Builder::setUnknownFields)
                .build(InstrumentationScope.Builder::build);
        return Builders.withBuilder(ScopeMetrics::newBuilder)
                .use(scope)
                .withProbability(0.5)
                .in(ScopeMetrics.Builder::setScope)
                .use(strings())
                .withProbability(0.1)
                .in(ScopeMetrics.Builder::setSchemaUrl)
                .use(unknownFields(ScopeMetrics.getDescriptor()))
                .in(ScopeMetrics.Builder::setUnknownFields)
                .build(ScopeMetrics.Builder::build);
    }

    static Arbitrary<Metric> metrics() {
        return metrics("record.send.total", "record.send.total", "io.wait.ratio", "é", "x y", "");
    }

    private static Arbitrary<Metric> metrics(String... names) {
        return Builders.withBuilder(Metric::newBuilder)
                .use(Arbitraries.of(names))
                .in(Metric.Builder::setName)
                .use(strings())
                .withProbability(0.2)
                .in(Metric.Builder::setDescription)
                .use(Arbitraries.of("1", "ms"))
                .withProbability(0.2)
                .in(Metric.Builder::setUnit)
                .use(attributes(1))
                .in(Metric.Builder::addAllMetadata)
                .use(unknownFields(Metric.getDescriptor()))
                .in(Metric.Builder::setUnknownFields)
                .use(data())
                .in(Metric.Builder::mergeFrom)
                .build(Metric.Builder::build);
    }

    private static Arbitrary<Metric> data() {
        return Arbitraries.frequencyOf(
                Tuple.of(6, sums().map(sum -> Metric.newBuilder().setSum(sum).build())),
                Tuple.of(3, gauges().map(gauge -> Metric.newBuilder()
                        .setGauge(gauge)
                        .build())),
                Tuple.of(1, histograms().map(histogram -> Metric.newBuilder()
                        .setHistogram(histogram)
                        .build())),
                Tuple.of(1, exponentialHistograms().map(histogram -> Metric.newBuilder()
                        .setExponentialHistogram(histogram)
                        .build())),
                Tuple.of(1, summaries().map(summary -> Metric.newBuilder()
                        .setSummary(summary)
                        .build())),
                Tuple.of(1, Arbitraries.just(Metric.getDefaultInstance())));
    }

    static Arbitrary<Integer> temporalities() {
        return Arbitraries.frequency(Tuple.of(12, 1), Tuple.of(3, 2), Tuple.of(2, 0), Tuple.of(1, 7), Tuple.of(1, -1));
    }

    private static Arbitrary<Sum> sums() {
        return Builders.withBuilder(Sum::newBuilder)
                .use(temporalities())
                .in(Sum.Builder::setAggregationTemporalityValue)
                .use(Arbitraries.of(true, true, true, false))
                .in(Sum.Builder::setIsMonotonic)
                .use(numberPoints().list().ofMaxSize(4))
                .in(Sum.Builder::addAllDataPoints)
                .use(unknownFields(Sum.getDescriptor()))
                .in(Sum.Builder::setUnknownFields)
                .build(Sum.Builder::build);
    }

    private static Arbitrary<Gauge> gauges() {
        return Builders.withBuilder(Gauge::newBuilder)
                .use(numberPoints().list().ofMaxSize(3))
                .in(Gauge.Builder::addAllDataPoints)
                .use(unknownFields(Gauge.getDescriptor()))
                .in(Gauge.Builder::setUnknownFields)
                .build(Gauge.Builder::build);
    }

    private static Arbitrary<NumberDataPoint> numberPoints() {
        Arbitrary<NumberDataPoint> value = Arbitraries.frequencyOf(
                Tuple.of(10, doubles().map(v -> NumberDataPoint.newBuilder()
                        .setAsDouble(v)
                        .build())),
                Tuple.of(6, longs().map(v -> NumberDataPoint.newBuilder()
                        .setAsInt(v)
                        .build())),
                Tuple.of(1, Arbitraries.just(NumberDataPoint.getDefaultInstance())));
        return Builders.withBuilder(NumberDataPoint::newBuilder)
                .use(startTimes())
                .in(NumberDataPoint.Builder::setStartTimeUnixNano)
                .use(times())
                .in(NumberDataPoint.Builder::setTimeUnixNano)
                .use(value)
                .in(NumberDataPoint.Builder::mergeFrom)
                .use(attributes(2))
                .in(NumberDataPoint.Builder::addAllAttributes)
                .use(counts())
                .withProbability(0.1)
                .in(NumberDataPoint.Builder::setFlags)
                .use(exemplars())
                .withProbability(0.1)
                .in(NumberDataPoint.Builder::addExemplars)
                .use(unknownFields(NumberDataPoint.getDescriptor()))
                .in(NumberDataPoint.Builder::setUnknownFields)
                .build(NumberDataPoint.Builder::build);
    }

    private static Arbitrary<Exemplar> exemplars() {
        return Builders.withBuilder(Exemplar::newBuilder)
                .use(times())
                .in(Exemplar.Builder::setTimeUnixNano)
                .use(doubles())
                .withProbability(0.5)
                .in(Exemplar.Builder::setAsDouble)
                .use(longs())
                .withProbability(0.3)
                .in(Exemplar.Builder::setAsInt)
                .use(bytes())
                .withProbability(0.5)
                .in(Exemplar.Builder::setSpanId)
                .use(bytes())
                .withProbability(0.5)
                .in(Exemplar.Builder::setTraceId)
                .use(attributes(1))
                .in(Exemplar.Builder::addAllFilteredAttributes)
                .use(unknownFields(Exemplar.getDescriptor()))
                .in(Exemplar.Builder::setUnknownFields)
                .build(Exemplar.Builder::build);
    }

    private static Arbitrary<Histogram> histograms() {
        Arbitrary<HistogramDataPoint> points = Builders.withBuilder(HistogramDataPoint::newBuilder)
                .use(startTimes())
                .in(HistogramDataPoint.Builder::setStartTimeUnixNano)
                .use(times())
                .in(HistogramDataPoint.Builder::setTimeUnixNano)
                .use(longs())
                .in(HistogramDataPoint.Builder::setCount)
                .use(doubles())
                .withProbability(0.5)
                .in(HistogramDataPoint.Builder::setSum)
                .use(doubles())
                .withProbability(0.5)
                .in(HistogramDataPoint.Builder::setMin)
                .use(doubles())
                .withProbability(0.5)
                .in(HistogramDataPoint.Builder::setMax)
                .use(longs().list().ofMaxSize(4))
                .in(HistogramDataPoint.Builder::addAllBucketCounts)
                .use(doubles().list().ofMaxSize(3))
                .in(HistogramDataPoint.Builder::addAllExplicitBounds)
                .use(exemplars())
                .withProbability(0.1)
                .in(HistogramDataPoint.Builder::addExemplars)
                .use(counts())
                .withProbability(0.1)
                .in(HistogramDataPoint.Builder::setFlags)
                .use(attributes(2))
                .in(HistogramDataPoint.Builder::addAllAttributes)
                .use(unknownFields(HistogramDataPoint.getDescriptor()))
                .in(HistogramDataPoint.Builder::setUnknownFields)
                .build(HistogramDataPoint.Builder::build);
        return Builders.withBuilder(Histogram::newBuilder)
                .use(temporalities())
                .in(Histogram.Builder::setAggregationTemporalityValue)
                .use(points.list().ofMaxSize(2))
                .in(Histogram.Builder::addAllDataPoints)
                .use(unknownFields(Histogram.getDescriptor()))
                .in(Histogram.Builder::setUnknownFields)
                .build(Histogram.Builder::build);
    }

    private static Arbitrary<ExponentialHistogram> exponentialHistograms() {
        Arbitrary<ExponentialHistogramDataPoint.Buckets> buckets = Builders.withBuilder(
                        ExponentialHistogramDataPoint.Buckets::newBuilder)
                .use(Arbitraries.integers())
                .in(ExponentialHistogramDataPoint.Buckets.Builder::setOffset)
                .use(longs().list().ofMaxSize(4))
                .in(ExponentialHistogramDataPoint.Buckets.Builder::addAllBucketCounts)
                .use(unknownFields(ExponentialHistogramDataPoint.Buckets.getDescriptor()))
                .in(ExponentialHistogramDataPoint.Buckets.Builder::setUnknownFields)
                .build(ExponentialHistogramDataPoint.Buckets.Builder::build);
        Arbitrary<ExponentialHistogramDataPoint> points = Builders.withBuilder(
                        ExponentialHistogramDataPoint::newBuilder)
                .use(startTimes())
                .in(ExponentialHistogramDataPoint.Builder::setStartTimeUnixNano)
                .use(times())
                .in(ExponentialHistogramDataPoint.Builder::setTimeUnixNano)
                .use(longs())
                .in(ExponentialHistogramDataPoint.Builder::setCount)
                .use(doubles())
                .withProbability(0.5)
                .in(ExponentialHistogramDataPoint.Builder::setSum)
                .use(doubles())
                .withProbability(0.3)
                .in(ExponentialHistogramDataPoint.Builder::setMin)
                .use(doubles())
                .withProbability(0.3)
                .in(ExponentialHistogramDataPoint.Builder::setMax)
                .use(Arbitraries.integers())
                .withProbability(0.5)
                .in(ExponentialHistogramDataPoint.Builder::setScale)
                .use(longs())
                .withProbability(0.5)
                .in(ExponentialHistogramDataPoint.Builder::setZeroCount)
                .use(doubles())
                .withProbability(0.5)
                .in(ExponentialHistogramDataPoint.Builder::setZeroThreshold)
                .use(buckets)
                .withProbability(0.5)
                .in(ExponentialHistogramDataPoint.Builder::setPositive)
                .use(buckets)
                .withProbability(0.5)
                .in(ExponentialHistogramDataPoint.Builder::setNegative)
                .use(exemplars())
                .withProbability(0.1)
                .in(ExponentialHistogramDataPoint.Builder::addExemplars)
                .use(counts())
                .withProbability(0.1)
                .in(ExponentialHistogramDataPoint.Builder::setFlags)
                .use(attributes(2))
                .in(ExponentialHistogramDataPoint.Builder::addAllAttributes)
                .use(unknownFields(ExponentialHistogramDataPoint.getDescriptor()))
                .in(ExponentialHistogramDataPoint.Builder::setUnknownFields)
                .build(ExponentialHistogramDataPoint.Builder::build);
        return Builders.withBuilder(ExponentialHistogram::newBuilder)
                .use(temporalities())
                .in(ExponentialHistogram.Builder::setAggregationTemporalityValue)
                .use(points.list().ofMaxSize(2))
                .in(ExponentialHistogram.Builder::addAllDataPoints)
                .use(unknownFields(ExponentialHistogram.getDescriptor()))
                .in(ExponentialHistogram.Builder::setUnknownFields)
                .build(ExponentialHistogram.Builder::build);
    }

    private static Arbitrary<Summary> summaries() {
        Arbitrary<SummaryDataPoint.ValueAtQuantile> quantiles = Builders.withBuilder(
                        SummaryDataPoint.ValueAtQuantile::newBuilder)
                .use(doubles())
                .in(SummaryDataPoint.ValueAtQuantile.Builder::setQuantile)
                .use(doubles())
                .in(SummaryDataPoint.ValueAtQuantile.Builder::setValue)
                .use(unknownFields(SummaryDataPoint.ValueAtQuantile.getDescriptor()))
                .in(SummaryDataPoint.ValueAtQuantile.Builder::setUnknownFields)
                .build(SummaryDataPoint.ValueAtQuantile.Builder::build);
        Arbitrary<SummaryDataPoint> points = Builders.withBuilder(SummaryDataPoint::newBuilder)
                .use(startTimes())
                .in(SummaryDataPoint.Builder::setStartTimeUnixNano)
                .use(times())
                .in(SummaryDataPoint.Builder::setTimeUnixNano)
                .use(longs())
                .in(SummaryDataPoint.Builder::setCount)
                .use(doubles())
                .in(SummaryDataPoint.Builder::setSum)
                .use(quantiles.list().ofMaxSize(2))
                .in(SummaryDataPoint.Builder::addAllQuantileValues)
                .use(counts())
                .withProbability(0.1)
                .in(SummaryDataPoint.Builder::setFlags)
                .use(attributes(2))
                .in(SummaryDataPoint.Builder::addAllAttributes)
                .use(unknownFields(SummaryDataPoint.getDescriptor()))
                .in(SummaryDataPoint.Builder::setUnknownFields)
                .build(SummaryDataPoint.Builder::build);
        return Builders.withBuilder(Summary::newBuilder)
                .use(points.list().ofMaxSize(2))
                .in(Summary.Builder::addAllDataPoints)
                .use(unknownFields(Summary.getDescriptor()))
                .in(Summary.Builder::setUnknownFields)
                .build(Summary.Builder::build);
    }

    /** Mostly a few seconds apart, so that intervals of one series join, repeat and overlap within a push. */
    private static Arbitrary<Long> times() {
        Arbitrary<Long> usual = Arbitraries.longs().between(1, 8).map(second -> EPOCH + second * SECOND);
        return Arbitraries.frequencyOf(
                Tuple.of(30, usual),
                Tuple.of(2, Arbitraries.just(0L)),
                Tuple.of(1, Arbitraries.of(1L, 999_999L, 1_000_001L, Long.MAX_VALUE, Long.MIN_VALUE, -1L)));
    }

    private static Arbitrary<Long> startTimes() {
        Arbitrary<Long> usual = Arbitraries.longs().between(0, 7).map(second -> EPOCH + second * SECOND);
        Arbitrary<Long> close =
                Arbitraries.longs().between(1, 8).map(second -> EPOCH + second * SECOND - SECOND / 1000);
        return Arbitraries.frequencyOf(
                Tuple.of(30, usual),
                Tuple.of(2, close),
                Tuple.of(3, Arbitraries.just(0L)),
                Tuple.of(1, Arbitraries.of(1L, Long.MAX_VALUE, Long.MIN_VALUE, -1L, -2_000_000L)));
    }

    static Arbitrary<Double> doubles() {
        return Arbitraries.frequencyOf(
                Tuple.of(10, Arbitraries.integers().between(0, 1000).map(i -> i / 4.0)),
                Tuple.of(1, Arbitraries.doubles()),
                Tuple.of(
                        2,
                        Arbitraries.of(
                                Double.NaN,
                                Double.longBitsToDouble(0xFFF8_0000_0000_0001L),
                                Double.POSITIVE_INFINITY,
                                Double.NEGATIVE_INFINITY,
                                -0.0,
                                -1.0,
                                Double.MIN_VALUE)));
    }

    static Arbitrary<Long> longs() {
        return Arbitraries.frequencyOf(
                Tuple.of(10, Arbitraries.longs().between(0, 1000)),
                Tuple.of(1, Arbitraries.longs()),
                Tuple.of(1, Arbitraries.of(Long.MAX_VALUE, Long.MIN_VALUE, -1L)));
    }

    private static Arbitrary<Integer> counts() {
        return Arbitraries.of(1, 300, Integer.MAX_VALUE, -1);
    }

    static Arbitrary<List<KeyValue>> attributes(int max) {
        return keyValues(2).list().ofMaxSize(max);
    }

    private static Arbitrary<KeyValue> keyValues(int depth) {
        return Builders.withBuilder(KeyValue::newBuilder)
                .use(keys())
                .in(KeyValue.Builder::setKey)
                .use(anyValues(depth))
                .withProbability(0.95)
                .in(KeyValue.Builder::setValue)
                .use(counts())
                .withProbability(0.1)
                .in(KeyValue.Builder::setKeyStrindex)
                .use(unknownFields(KeyValue.getDescriptor()))
                .in(KeyValue.Builder::setUnknownFields)
                .build(KeyValue.Builder::build);
    }

    /** Clients' own keys, keys of labels in spellings that backends merge, and spellings that they keep apart. */
    private static Arbitrary<String> keys() {
        return Arbitraries.frequencyOf(
                Tuple.of(10, Arbitraries.of("topic", "node_id", "group_member_id", "client_rack")),
                Tuple.of(
                        3,
                        Arbitraries.of(
                                "client_id",
                                "client.id",
                                "client-id",
                                "client id",
                                "client__id",
                                "client.-id_",
                                "_client_id",
                                "clientéid",
                                "client\uD83D\uDE00id",
                                "client\u0000id",
                                "principal",
                                "cluster.id",
                                "client.source.port",
                                "service.name",
                                "service_name",
                                "service-instance.id",
                                "service.namespace",
                                "job",
                                "instance")),
                Tuple.of(
                        2,
                        Arbitraries.of(
                                "Client_ID", "clientid", "xclient_id", "Job", "jobs", "éob", "service_names", "")),
                Tuple.of(1, strings()));
    }

    private static Arbitrary<AnyValue> anyValues(int depth) {
        Arbitrary<AnyValue> leaf = Arbitraries.oneOf(
                Arbitraries.of("a", "b", "")
                        .map(v -> AnyValue.newBuilder().setStringValue(v).build()),
                strings().map(v -> AnyValue.newBuilder().setStringValue(v).build()),
                Arbitraries.of(true, false)
                        .map(v -> AnyValue.newBuilder().setBoolValue(v).build()),
                longs().map(v -> AnyValue.newBuilder().setIntValue(v).build()),
                doubles().map(v -> AnyValue.newBuilder().setDoubleValue(v).build()),
                bytes().map(v -> AnyValue.newBuilder().setBytesValue(v).build()),
                counts().map(v ->
                        AnyValue.newBuilder().setStringValueStrindex(v).build()),
                Arbitraries.just(AnyValue.getDefaultInstance()),
                unknownFields(AnyValue.getDescriptor())
                        .map(v -> AnyValue.newBuilder().setUnknownFields(v).build()));
        if (depth == 0) {
            return leaf;
        }
        Arbitrary<AnyValue> array = Arbitraries.lazy(() -> anyValues(depth - 1))
                .list()
                .ofMaxSize(2)
                .map(values -> AnyValue.newBuilder()
                        .setArrayValue(ArrayValue.newBuilder().addAllValues(values))
                        .build());
        Arbitrary<AnyValue> map = Arbitraries.lazy(() -> keyValues(depth - 1))
                .list()
                .ofMaxSize(2)
                .map(values -> AnyValue.newBuilder()
                        .setKvlistValue(KeyValueList.newBuilder().addAllValues(values))
                        .build());
        return Arbitraries.frequencyOf(Tuple.of(20, leaf), Tuple.of(1, array), Tuple.of(1, map));
    }

    private static Arbitrary<EntityRef> entityRefs() {
        return Builders.withBuilder(EntityRef::newBuilder)
                .use(strings())
                .withProbability(0.5)
                .in(EntityRef.Builder::setSchemaUrl)
                .use(strings())
                .in(EntityRef.Builder::setType)
                .use(strings().list().ofMaxSize(2))
                .in(EntityRef.Builder::addAllIdKeys)
                .use(strings().list().ofMaxSize(2))
                .in(EntityRef.Builder::addAllDescriptionKeys)
                .use(unknownFields(EntityRef.getDescriptor()))
                .in(EntityRef.Builder::setUnknownFields)
                .build(EntityRef.Builder::build);
    }

    private static Arbitrary<ByteString> bytes() {
        return Arbitraries.bytes().array(byte[].class).ofMaxSize(8).map(ByteString::copyFrom);
    }

    private static Arbitrary<String> strings() {
        return Arbitraries.oneOf(
                Arbitraries.of("", "a", "kafka", "ü", "\uD83D\uDE00", "\u0000"),
                Arbitraries.strings().ascii().ofMaxLength(6),
                Arbitraries.strings().withCharRange('\u0080', '\uD7FF').ofMaxLength(3));
    }

    private static Arbitrary<UnknownFieldSet> unknownFields(Descriptor descriptor) {
        Arbitrary<Integer> numbers = Arbitraries.of(1, 4, 6, 8, 13, 14, 15, 16, 99, 1000, 2047, 536_870_911)
                .filter(number -> descriptor.findFieldByNumber(number) == null);
        Arbitrary<UnknownFieldSet.Field> fields = Arbitraries.oneOf(
                Arbitraries.longs()
                        .map(v ->
                                UnknownFieldSet.Field.newBuilder().addVarint(v).build()),
                Arbitraries.longs()
                        .map(v ->
                                UnknownFieldSet.Field.newBuilder().addFixed64(v).build()),
                Arbitraries.integers()
                        .map(v ->
                                UnknownFieldSet.Field.newBuilder().addFixed32(v).build()),
                bytes().map(v ->
                        UnknownFieldSet.Field.newBuilder().addLengthDelimited(v).build()),
                Combinators.combine(bytes(), Arbitraries.longs()).as((a, b) -> UnknownFieldSet.Field.newBuilder()
                        .addLengthDelimited(a)
                        .addVarint(b)
                        .addVarint(b + 1)
                        .build()));
        Arbitrary<UnknownFieldSet> some = Combinators.combine(numbers, fields)
                .as((number, field) ->
                        UnknownFieldSet.newBuilder().addField(number, field).build());
        return Arbitraries.frequencyOf(
                Tuple.of(30, Arbitraries.just(UnknownFieldSet.getDefaultInstance())), Tuple.of(1, some));
    }
}
