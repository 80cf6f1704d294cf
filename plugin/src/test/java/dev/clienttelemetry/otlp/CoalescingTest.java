/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static dev.clienttelemetry.otlp.ConverterFixture.attribute;
import static dev.clienttelemetry.otlp.ConverterFixture.counter;
import static dev.clienttelemetry.otlp.ConverterFixture.delta;
import static dev.clienttelemetry.otlp.ConverterFixture.gauge;
import static dev.clienttelemetry.otlp.ConverterFixture.metrics;
import static dev.clienttelemetry.otlp.ConverterFixture.point;
import static dev.clienttelemetry.otlp.ConverterFixture.push;
import static dev.clienttelemetry.otlp.ConverterFixture.sums;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnknownFieldSet;
import dev.clienttelemetry.metrics.PointDropReason;
import io.opentelemetry.proto.common.v1.EntityRef;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CoalescingTest {
    private static final NumberDataPoint POINT = delta(1, 2, 1L);
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .mergeField(100, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();

    private final ConverterFixture fixture = new ConverterFixture();

    @Test
    void equalResourcesScopesAndMetricsAreMergedInOrder() {
        MetricsData push = concat(
                push(gauge("a", point(1, 2).setAsInt(1).build())),
                push(gauge("b", point(1, 2).setAsInt(2).build())),
                push(gauge("a", point(1, 2).setAsInt(3).build())),
                push(gauge("a", point(1, 2).setAsInt(4).build())));
        MetricsData converted = fixture.convert(push);
        assertThat(converted.getResourceMetricsCount()).isEqualTo(1);
        assertThat(converted.getResourceMetrics(0).getScopeMetricsCount()).isEqualTo(1);
        assertThat(metrics(converted))
                .containsExactly(
                        gauge(
                                "a",
                                point(1, 2).setAsInt(1).build(),
                                point(1, 2).setAsInt(3).build(),
                                point(1, 2).setAsInt(4).build()),
                        gauge("b", point(1, 2).setAsInt(2).build()));
    }

    @Test
    void aScopeOfWhichNothingIsLeftIsLeftOutHoweverLargeTheOneInItsPlaceWasBefore() {
        MetricsData.Builder push = MetricsData.newBuilder();
        for (String resource : List.of("a", "b")) {
            for (String scope : List.of("s", "t")) {
                push.addResourceMetricsBuilder()
                        .setResource(ConverterFixture.resource(attribute("r", resource)))
                        .addScopeMetricsBuilder()
                        .setScope(InstrumentationScope.newBuilder().setName(scope))
                        .addMetrics(gauge("g", POINT));
            }
        }
        assertThat(metrics(fixture.convert(push.build()))).hasSize(4);
        Gauge withoutTime = Gauge.newBuilder()
                .addDataPoints(NumberDataPoint.newBuilder().setAsInt(1))
                .build();
        for (int gone : List.of(0, 1, 2)) {
            push.getResourceMetricsBuilder(gone)
                    .getScopeMetricsBuilder(0)
                    .getMetricsBuilder(0)
                    .setGauge(withoutTime);
            assertThat(metrics(fixture.convert(push.build()))).hasSize(3 - gone);
        }
        assertThat(fixture.convert(push.build()).getResourceMetricsCount()).isEqualTo(1);
    }

    @Test
    void aGaugesIntIsNoNanWhateverItsBits() {
        NumberDataPoint point =
                point(1, 2).setAsInt(Double.doubleToRawLongBits(Double.NaN)).build();
        assertThat(metrics(fixture.convert(push(gauge("a", point), gauge("b", point, point)))))
                .containsExactly(gauge("a", point), gauge("b", point, point));
        assertThat(fixture.metrics.pointsDropped().total()).isZero();
    }

    @Test
    void pointsOfHistogramsAndSummariesWithoutTimeAreDroppedAndCounted() {
        Metric histogram = Metric.newBuilder()
                .setName("h")
                .setHistogram(Histogram.newBuilder()
                        .addDataPoints(HistogramDataPoint.newBuilder().setTimeUnixNano(1))
                        .addDataPoints(HistogramDataPoint.newBuilder().setCount(1))
                        .addDataPoints(HistogramDataPoint.newBuilder().setTimeUnixNano(2)))
                .build();
        Metric summary = Metric.newBuilder()
                .setName("s")
                .setSummary(Summary.newBuilder()
                        .addDataPoints(SummaryDataPoint.newBuilder().setCount(1)))
                .build();
        Metric left = histogram.toBuilder()
                .setHistogram(histogram.getHistogram().toBuilder().removeDataPoints(1))
                .build();
        assertThat(metrics(fixture.convert(push(histogram, summary)))).containsExactly(left);
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.NO_TIME))
                .isEqualTo(2);
        assertThat(fixture.metrics.pointsPassedThrough().total()).isEqualTo(2);
    }

    @Test
    void mergedSumsKeepTheOrderWithinEachSeries() {
        NumberDataPoint other = delta(1000, 2000, 50L).toBuilder()
                .addAttributes(attribute("topic", "b"))
                .build();
        MetricsData push = concat(
                push(counter("a", delta(1000, 2000, 1L))),
                push(counter("a", other)),
                push(counter("a", delta(2000, 3000, 2L))));
        MetricsData converted = fixture.convert(push);
        assertThat(metrics(converted)).hasSize(1);
        assertThat(sums(converted))
                .containsExactly("1000-1001:0", "1000-2000:1", "1000-1001:0", "1000-2000:50", "1000-3000:3");
    }

    @Test
    void attributesAreComparedAsSets() {
        MetricsData first = push(
                Resource.newBuilder()
                        .addAttributes(attribute("a", "1"))
                        .addAttributes(attribute("b", "2"))
                        .build(),
                counter("c", withAttributes(delta(1000, 2000, 1L), "x", "y")));
        MetricsData second = push(
                Resource.newBuilder()
                        .addAttributes(attribute("b", "2"))
                        .addAttributes(attribute("a", "1"))
                        .build(),
                counter("c", withAttributes(delta(2000, 3000, 2L), "y", "x")));
        MetricsData converted = fixture.convert(concat(first, second));
        assertThat(converted.getResourceMetricsCount()).isEqualTo(1);
        assertThat(sums(converted)).containsExactly("1000-1001:0", "1000-2000:1", "1000-3000:3");
        assertThat(fixture.converter().series()).isEqualTo(1);
    }

    private static NumberDataPoint withAttributes(NumberDataPoint point, String... keys) {
        NumberDataPoint.Builder builder = point.toBuilder();
        for (String key : keys) {
            builder.addAttributes(attribute(key, "1"));
        }
        return builder.build();
    }

    /** What makes another series. */
    static Stream<Named<Consumer<ResourceMetrics.Builder>>> differencesOfSeries() {
        return Stream.of(
                difference("resource attribute", rm -> rm.getResourceBuilder().addAttributes(attribute("a", "1"))),
                difference("dropped attributes of the resource", rm -> rm.getResourceBuilder()
                        .setDroppedAttributesCount(1)),
                difference("entity", rm -> rm.getResourceBuilder()
                        .addEntityRefs(EntityRef.newBuilder().setType("t"))),
                difference("unknown field of the resource", rm -> rm.getResourceBuilder()
                        .setUnknownFields(UNKNOWN)),
                difference("scope name", rm -> scope(rm).setName("s")),
                difference("scope version", rm -> scope(rm).setVersion("v")),
                difference("scope attribute", rm -> scope(rm).addAttributes(attribute("a", "1"))),
                difference("dropped attributes of the scope", rm -> scope(rm).setDroppedAttributesCount(1)),
                difference("unknown field of the scope", rm -> scope(rm).setUnknownFields(UNKNOWN)),
                difference("name", rm -> metric(rm).setName("other")),
                difference("unit", rm -> metric(rm).setUnit("s")),
                difference(
                        "unit behind a description",
                        rm -> metric(rm).setDescription("d").setUnit("s")),
                difference("monotonicity", rm -> metric(rm).getSumBuilder().setIsMonotonic(false)),
                difference("type", rm -> metric(rm)
                        .setGauge(Gauge.newBuilder()
                                .addAllDataPoints(metric(rm).getSum().getDataPointsList()))));
    }

    /** What does not. */
    static Stream<Named<Consumer<ResourceMetrics.Builder>>> differencesWithinSeries() {
        return Stream.concat(differencesWithinDeltas(), Stream.of(difference("temporality", rm -> metric(rm)
                .getSumBuilder()
                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE))));
    }

    static Stream<Named<Consumer<ResourceMetrics.Builder>>> differencesWithinDeltas() {
        return Stream.of(
                difference("schema of the resource", rm -> rm.setSchemaUrl("u")),
                difference("unknown field of ResourceMetrics", rm -> rm.setUnknownFields(UNKNOWN)),
                difference("schema of the scope", rm -> rm.getScopeMetricsBuilder(0)
                        .setSchemaUrl("u")),
                difference("unknown field of ScopeMetrics", rm -> rm.getScopeMetricsBuilder(0)
                        .setUnknownFields(UNKNOWN)),
                difference("an empty scope", rm -> rm.getScopeMetricsBuilder(0)
                        .setScope(InstrumentationScope.getDefaultInstance())),
                difference("description", rm -> metric(rm).setDescription("d")),
                difference("metadata", rm -> metric(rm).addMetadata(attribute("a", "1"))),
                difference("unknown field of the metric", rm -> metric(rm).setUnknownFields(UNKNOWN)),
                difference(
                        "unknown field of the sum",
                        rm -> metric(rm).getSumBuilder().setUnknownFields(UNKNOWN)));
    }

    private static Named<Consumer<ResourceMetrics.Builder>> difference(
            String name, Consumer<ResourceMetrics.Builder> change) {
        return Named.of(name, change);
    }

    private static InstrumentationScope.Builder scope(ResourceMetrics.Builder resource) {
        return resource.getScopeMetricsBuilder(0).getScopeBuilder();
    }

    private static Metric.Builder metric(ResourceMetrics.Builder resource) {
        return resource.getScopeMetricsBuilder(0).getMetricsBuilder(0);
    }

    /** A push of one metric again and again, each time a second later; of some it is changed. */
    private static MetricsData byTurns(Consumer<ResourceMetrics.Builder> change, boolean... changed) {
        MetricsData.Builder push = MetricsData.newBuilder();
        for (int i = 0; i < changed.length; i++) {
            NumberDataPoint point = delta((i + 1) * 1000L, (i + 2) * 1000L, 1L);
            ResourceMetrics.Builder resource = push.addResourceMetricsBuilder()
                    .setResource(Resource.getDefaultInstance())
                    .addScopeMetrics(ScopeMetrics.newBuilder().addMetrics(counter("a", point)));
            if (changed[i]) {
                change.accept(resource);
            }
        }
        return push.build();
    }

    /** Returns the times of each metric's points in seconds. */
    private static List<List<Long>> times(MetricsData data) {
        return metrics(data).stream()
                .map(metric -> DecodedPoints.points(metric).stream()
                        .map(point -> DecodedPoints.time(point) / 1_000_000_000)
                        .toList())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("differencesOfSeries")
    void otherSeriesAreMergedEachForItself(Consumer<ResourceMetrics.Builder> change) {
        fixture.temporality = Temporality.DELTA;
        assertThat(times(fixture.convert(byTurns(change, false, true, false, true))))
                .containsExactlyInAnyOrder(List.of(2L, 4L), List.of(3L, 5L));
    }

    @ParameterizedTest
    @MethodSource("differencesWithinSeries")
    void whatDiffersWithinASeriesIsNotMergedAndStaysInOrder(Consumer<ResourceMetrics.Builder> change) {
        fixture.temporality = Temporality.DELTA;
        assertThat(times(fixture.convert(byTurns(change, false, false, true, false, false, true, true))))
                .containsExactly(List.of(2L, 3L), List.of(4L), List.of(5L, 6L), List.of(7L, 8L));
    }

    @ParameterizedTest
    @MethodSource("differencesWithinDeltas")
    void theTotalsOfASeriesStayInOrder(Consumer<ResourceMetrics.Builder> change) {
        assertThat(sums(fixture.convert(byTurns(change, false, true, false, true, true))))
                .containsExactly(
                        "1000-1001:0", "1000-2000:1", "1000-3000:2", "1000-4000:3", "1000-5000:4", "1000-6000:5");
    }

    /** What is not the same series need not go where the series that come by turns go. */
    @Test
    void turnsOfOneSeriesSeparateNoOther() {
        Metric described = gauge("a", POINT).toBuilder().setDescription("d").build();
        assertThat(metrics(fixture.convert(concat(
                        push(gauge("b", POINT)),
                        push(gauge("a", POINT)),
                        push(described),
                        push(gauge("b", POINT)),
                        push(gauge("a", POINT))))))
                .containsExactly(gauge("b", POINT, POINT), gauge("a", POINT), described, gauge("a", POINT));
    }

    @Test
    void manyMetricsOfOneNameThatDifferInTheRestAreFoundAgain() {
        MetricsData.Builder push = MetricsData.newBuilder();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 500; i++) {
                push.mergeFrom(
                        push(gauge("a", POINT).toBuilder().setUnit("u" + i).build()));
            }
        }
        assertThat(metrics(fixture.convert(push.build()))).hasSize(500).allSatisfy(metric -> assertThat(
                        metric.getGauge().getDataPointsCount())
                .isEqualTo(2));
    }

    @Test
    void manyDescriptionsOfOneSeriesByTurnsComeOutAsTheyCame() {
        MetricsData.Builder push = MetricsData.newBuilder();
        for (int i = 0; i < 1_000; i++) {
            push.mergeFrom(push(gauge("a", delta(1, 2 + i, 1L)).toBuilder()
                    .setDescription("d" + i % 500)
                    .build()));
        }
        assertThat(metrics(fixture.convert(push.build()))).isEqualTo(metrics(push.build()));
    }

    @Test
    void whatBecomesEmptyIsLeftOut() {
        NumberDataPoint nan = point(1, 2).setAsDouble(Double.NaN).build();
        assertThat(fixture.convert(push(gauge("a", nan))).getResourceMetricsCount())
                .isZero();
        MetricsData converted = fixture.convert(concat(
                push(gauge("a", nan), gauge("b", nan, POINT)),
                push(Resource.newBuilder().addAttributes(attribute("x", "1")).build(), gauge("a", nan))));
        assertThat(converted.getResourceMetricsCount()).isEqualTo(1);
        assertThat(metrics(converted)).containsExactly(gauge("b", POINT));
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.NAN_GAUGE))
                .isEqualTo(4);
    }

    @Test
    void nanGaugesPassWhereToldSo() {
        fixture.dropNanGauges = false;
        Metric nan = gauge("a", point(1, 2).setAsDouble(Double.NaN).build());
        assertThat(metrics(fixture.convert(push(nan)))).containsExactly(nan);
    }

    @Test
    void pointsWithoutTimeAndMetricsWithoutNameOrDataAreDroppedAndCounted() {
        NumberDataPoint timeless = NumberDataPoint.newBuilder().setAsInt(1).build();
        MetricsData converted = fixture.convert(push(
                gauge("a", timeless, POINT, timeless),
                counter("b", timeless),
                gauge("", POINT, POINT),
                Metric.newBuilder().setName("c").build(),
                Metric.newBuilder().setName("d").setUnknownFields(UNKNOWN).build(),
                Metric.newBuilder().build(),
                Metric.newBuilder()
                        .setName("e")
                        .setGauge(Gauge.getDefaultInstance())
                        .build()));
        assertThat(metrics(converted)).containsExactly(gauge("a", POINT));
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.NO_TIME))
                .isEqualTo(3);
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.NO_NAME))
                .isEqualTo(3);
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.NO_DATA))
                .isEqualTo(2);
    }

    @Test
    void unknownFieldsOfThePushAreKept() {
        MetricsData push =
                push(gauge("a", POINT)).toBuilder().setUnknownFields(UNKNOWN).build();
        assertThat(fixture.convert(push).getUnknownFields()).isEqualTo(UNKNOWN);
    }

    private static MetricsData concat(MetricsData... pushes) {
        MetricsData.Builder all = MetricsData.newBuilder();
        for (MetricsData push : pushes) {
            all.mergeFrom(push);
        }
        return all.build();
    }
}
