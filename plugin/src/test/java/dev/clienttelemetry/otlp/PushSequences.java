/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generators of a client's life as its broker sees it: pushes whose intervals join, and everything that breaks them. */
final class PushSequences {
    private static final long SECOND = MetricsDataArbitraries.SECOND;
    static final int SERIES = 4;

    private PushSequences() {}

    /** What happens to one series between two pushes, as seen by its client's clock. */
    enum Interval {
        JOINED,
        SHORT,
        GAP,
        REPEAT,
        OVERLAP,
        CLOCK_BACK,
        CLOCK_A_LITTLE_BACK,
        CLOCK_BACK_AND_STARTED,
        CLOCK_FAR_BACK,
        CLOCK_RIGHT_AGAIN,
        CLOCK_RIGHT_AGAIN_AFTER_GAP,
        START_OMITTED,
        ABSENT,
        LOST
    }

    /** What happens to a client as a whole before it pushes. */
    enum Event {
        NONE,
        FIVE_MINUTES,
        REJOINED,
        OTHER_CLIENT,
        OTHER_CONNECTION,
        EXPIRED,
        TERMINATING
    }

    /** One point of one series: how its interval lies, how long it is, and its delta. */
    record Step(Interval interval, int milliseconds, NumberDataPoint delta) {}

    /** One push. */
    record Push(Event event, List<Step> steps, boolean grouped) {}

    /** A client's life in which now and then something happens. */
    static Arbitrary<List<Push>> steadyPushes() {
        Arbitrary<Interval> intervals = Arbitraries.frequencyOf(
                Tuple.of(20, Arbitraries.just(Interval.JOINED)), Tuple.of(1, Arbitraries.of(Interval.class)));
        return push(events(30, 2), intervals, deltas(18, 1)).list().ofMinSize(1).ofMaxSize(20);
    }

    /**
     * A client's life in phases, since what breaks sequences seldom comes alone: a clock that is set back twice before a
     * series' first point was sent takes three pushes in a row that independent draws next to never make.
     */
    static Arbitrary<List<Push>> hostilePushes() {
        Arbitrary<Interval> calm = Arbitraries.of(Interval.JOINED, Interval.JOINED, Interval.SHORT);
        Arbitrary<Interval> broken = Arbitraries.of(Interval.class);
        Arbitrary<Interval> backwards = Arbitraries.of(
                Interval.CLOCK_BACK,
                Interval.CLOCK_BACK,
                Interval.CLOCK_A_LITTLE_BACK,
                Interval.CLOCK_BACK_AND_STARTED,
                Interval.CLOCK_FAR_BACK,
                Interval.JOINED,
                Interval.SHORT,
                Interval.START_OMITTED);
        Arbitrary<Interval> rightAgain =
                Arbitraries.of(Interval.CLOCK_RIGHT_AGAIN, Interval.CLOCK_RIGHT_AGAIN_AFTER_GAP, Interval.OVERLAP);
        Arbitrary<Event> nothing = Arbitraries.just(Event.NONE);
        Arbitrary<Event> ends = Arbitraries.of(Event.REJOINED, Event.EXPIRED, Event.TERMINATING, Event.OTHER_CLIENT);
        Arbitrary<List<Push>> phases = Arbitraries.frequencyOf(
                Tuple.of(3, phase(events(30, 7), calm, deltas(18, 3))),
                Tuple.of(3, phase(events(30, 7), broken, deltas(18, 3))),
                Tuple.of(4, phase(nothing, backwards, deltas(18, 3))),
                Tuple.of(1, phase(Arbitraries.of(Event.NONE, Event.FIVE_MINUTES), backwards, deltas(18, 3))),
                Tuple.of(2, phase(nothing, rightAgain, deltas(18, 3))),
                Tuple.of(1, phase(nothing, Arbitraries.of(Interval.JOINED, Interval.CLOCK_BACK), deltas(0, 1))),
                Tuple.of(2, push(ends, calm, deltas(18, 3)).list().ofSize(1)),
                Tuple.of(1, push(ends, backwards, deltas(18, 3)).list().ofSize(1)));
        return phases.list().ofMinSize(1).ofMaxSize(8).map(all -> all.stream()
                .flatMap(List::stream)
                .toList());
    }

    private static Arbitrary<List<Push>> phase(
            Arbitrary<Event> events, Arbitrary<Interval> intervals, Arbitrary<NumberDataPoint> deltas) {
        return push(events, intervals, deltas).list().ofMinSize(1).ofMaxSize(4);
    }

    private static Arbitrary<Event> events(int none, int any) {
        return Arbitraries.frequencyOf(
                Tuple.of(none, Arbitraries.just(Event.NONE)), Tuple.of(any, Arbitraries.of(Event.class)));
    }

    private static Arbitrary<NumberDataPoint> deltas(int usual, int odd) {
        Arbitrary<NumberDataPoint> doubles = Arbitraries.integers()
                .between(0, 1000)
                .map(v -> NumberDataPoint.newBuilder().setAsDouble(v / 8.0).build());
        Arbitrary<NumberDataPoint> integers = Arbitraries.integers()
                .between(0, 1000)
                .map(v -> NumberDataPoint.newBuilder().setAsInt(v).build());
        Arbitrary<NumberDataPoint> odds = Arbitraries.of(
                NumberDataPoint.newBuilder().setAsDouble(Double.NaN).build(),
                NumberDataPoint.newBuilder()
                        .setAsDouble(Double.NEGATIVE_INFINITY)
                        .build(),
                NumberDataPoint.getDefaultInstance(),
                NumberDataPoint.newBuilder().setAsDouble(-3).build(),
                NumberDataPoint.newBuilder().setAsDouble(-0.0).build(),
                NumberDataPoint.newBuilder().setAsDouble(Double.MAX_VALUE).build(),
                NumberDataPoint.newBuilder().setAsInt(-3).build(),
                NumberDataPoint.newBuilder().setAsInt(Long.MAX_VALUE).build(),
                NumberDataPoint.newBuilder().setAsInt(Long.MIN_VALUE).build());
        return Arbitraries.frequencyOf(Tuple.of(usual, doubles), Tuple.of(usual, integers), Tuple.of(2 * odd, odds));
    }

    private static Arbitrary<Push> push(
            Arbitrary<Event> events, Arbitrary<Interval> intervals, Arbitrary<NumberDataPoint> deltas) {
        Arbitrary<Step> steps = Combinators.combine(
                        intervals, Arbitraries.integers().between(2, 5000), deltas)
                .as(Step::new);
        return Combinators.combine(events, steps.list().ofSize(SERIES), Arbitraries.of(true, false))
                .as(Push::new);
    }

    /** A client that lives through pushes. */
    static final class Life {
        private final long[] last = new long[SERIES];
        private final long[] previousStart = new long[SERIES];
        private final long[] furthest = new long[SERIES];
        private int member;

        Life() {
            for (int i = 0; i < SERIES; i++) {
                last[i] = MetricsDataArbitraries.EPOCH;
                previousStart[i] = last[i] - SECOND;
                furthest[i] = last[i];
            }
        }

        void rejoin() {
            member++;
        }

        MetricsData push(Push push) {
            MetricsData.Builder data = MetricsData.newBuilder();
            List<NumberDataPoint> points = new ArrayList<>();
            for (int i = 0; i < SERIES; i++) {
                points.add(point(i, push.steps().get(i)));
            }
            for (int i = 0; i < SERIES; i++) {
                if (points.get(i) == null) {
                    continue;
                }
                ResourceMetrics.Builder resource = push.grouped() && data.getResourceMetricsCount() > 0
                        ? data.getResourceMetricsBuilder(0)
                        : data.addResourceMetricsBuilder();
                if (resource.getScopeMetricsCount() == 0) {
                    resource.getResourceBuilder().addAttributes(attribute("group_member_id", "member-" + member));
                    resource.addScopeMetricsBuilder();
                }
                resource.getScopeMetricsBuilder(0).addMetrics(metric(i, points.get(i)));
            }
            return data.build();
        }

        // Two series of one metric told apart by their attributes, one of another metric, and one that is not
        // monotonic.
        private static Metric metric(int series, NumberDataPoint point) {
            Metric.Builder metric = Metric.newBuilder()
                    .setName(series < 2 ? "record.send.total" : series == 2 ? "byte.total" : "queue.size");
            metric.getSumBuilder()
                    .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA)
                    .setIsMonotonic(series < 3)
                    .addDataPoints(
                            series < 2
                                    ? point.toBuilder().addAttributes(attribute("topic", "topic-" + series))
                                    : point.toBuilder());
            return metric.build();
        }

        private NumberDataPoint point(int series, Step step) {
            long length = step.milliseconds() * (SECOND / 1000);
            long start = last[series];
            long time = start + length;
            switch (step.interval()) {
                case JOINED, START_OMITTED -> {}
                case SHORT -> time = start + 1 + step.milliseconds() * 300L;
                case GAP -> {
                    start += SECOND;
                    time += SECOND;
                }
                case REPEAT -> {
                    start = previousStart[series];
                    time = last[series];
                }
                case OVERLAP -> start -= length / 2;
                case CLOCK_BACK -> time = start - length;
                case CLOCK_A_LITTLE_BACK -> time = start - 1 - step.milliseconds() * 300L;
                case CLOCK_BACK_AND_STARTED -> {
                    start -= 2 * length;
                    time -= 2 * length;
                }
                case CLOCK_FAR_BACK -> time = start - 3600 * SECOND;
                case CLOCK_RIGHT_AGAIN -> time = furthest[series] + length;
                case CLOCK_RIGHT_AGAIN_AFTER_GAP -> {
                    start = furthest[series] + 1;
                    time = furthest[series] + length;
                }
                case ABSENT -> {
                    return null;
                }
                case LOST -> {
                    previousStart[series] = start;
                    last[series] = time;
                    return null;
                }
                default -> throw new AssertionError(step);
            }
            previousStart[series] = start;
            last[series] = time;
            furthest[series] = Math.max(furthest[series], time);
            NumberDataPoint.Builder point = step.delta().toBuilder().setTimeUnixNano(time);
            return step.interval() == Interval.START_OMITTED
                    ? point.build()
                    : point.setStartTimeUnixNano(start).build();
        }

        private static KeyValue attribute(String key, String value) {
            return KeyValue.newBuilder()
                    .setKey(key)
                    .setValue(AnyValue.newBuilder().setStringValue(value))
                    .build();
        }
    }
}
