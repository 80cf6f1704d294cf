/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static dev.clienttelemetry.otlp.ConverterFixture.MS;
import static dev.clienttelemetry.otlp.ConverterFixture.attribute;
import static dev.clienttelemetry.otlp.ConverterFixture.counter;
import static dev.clienttelemetry.otlp.ConverterFixture.delta;
import static dev.clienttelemetry.otlp.ConverterFixture.point;
import static dev.clienttelemetry.otlp.ConverterFixture.push;
import static dev.clienttelemetry.otlp.ConverterFixture.resource;
import static dev.clienttelemetry.otlp.ConverterFixture.sum;
import static dev.clienttelemetry.otlp.ConverterFixture.sums;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.PointDropReason;
import dev.clienttelemetry.metrics.SequenceRestart;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sequences of pushes of one client and what becomes of their delta sums. Times are milliseconds. */
class SequencesTest {
    private final ConverterFixture fixture = new ConverterFixture();

    private java.util.List<String> pushed(NumberDataPoint... points) {
        return sums(fixture.convert(push(counter("sent.total", points))));
    }

    private long restarts(SequenceRestart reason) {
        return fixture.metrics.sequenceRestarts().total(reason);
    }

    private long dropped(PointDropReason reason) {
        return fixture.metrics.pointsDropped().total(reason);
    }

    private void assertNothingCounted() {
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
        assertThat(fixture.metrics.pointsDropped().total()).isZero();
        assertThat(fixture.metrics.zeroPointsLeftOut().total()).isZero();
    }

    @Test
    void joinedIntervalsAddUpUnderOneStartAfterAZero() {
        assertThat(pushed(delta(1000, 2000, 5L))).containsExactly("1000-1001:0", "1000-2000:5");
        assertThat(pushed(delta(2000, 3000, 7L))).containsExactly("1000-3000:12");
        assertThat(pushed(delta(3000, 4000, 0L))).containsExactly("1000-4000:12");
        assertNothingCounted();
    }

    @Test
    void joinedIntervalsWithinOnePushAddUpToo() {
        assertThat(pushed(delta(1000, 2000, 5L), delta(2000, 3000, 7L)))
                .containsExactly("1000-1001:0", "1000-2000:5", "1000-3000:12");
    }

    @Test
    void aConvertedSumSaysThatItIsCumulative() {
        Metric metric = ConverterFixture.metrics(fixture.convert(push(counter("sent.total", delta(1000, 2000, 5L)))))
                .get(0);
        assertThat(metric.getSum().getAggregationTemporality())
                .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
        assertThat(metric.getSum().getIsMonotonic()).isTrue();
    }

    @Test
    void aGapStartsANewSequence() {
        pushed(delta(1000, 2000, 5.0));
        assertThat(pushed(delta(2500, 3000, 7.0))).containsExactly("2500-2501:0.0", "2500-3000:7.0");
        assertThat(pushed(delta(3000, 4000, 1.0))).containsExactly("2500-4000:8.0");
        assertThat(restarts(SequenceRestart.GAP)).isEqualTo(1);
        assertThat(fixture.metrics.sequenceRestarts().total()).isEqualTo(1);
    }

    @Test
    void aClientAwayToAnotherBrokerAndBackIsAGap() {
        pushed(delta(1000, 2000, 5L));
        pushed(delta(2000, 3000, 5L));
        // The intervals up to 5000 went elsewhere.
        assertThat(pushed(delta(5000, 6000, 9L))).containsExactly("5000-5001:0", "5000-6000:9");
        assertThat(restarts(SequenceRestart.GAP)).isEqualTo(1);
    }

    @Test
    void aRepeatIsDropped() {
        pushed(delta(1000, 2000, 5L));
        assertThat(pushed(delta(1000, 2000, 5L))).isEmpty();
        assertThat(pushed(delta(1500, 2000, 5L))).isEmpty();
        assertThat(pushed(delta(2000, 3000, 1L))).containsExactly("1000-3000:6");
        assertThat(dropped(PointDropReason.REPEAT)).isEqualTo(2);
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
    }

    @Test
    void anOverlapStartsANewSequenceWithAZeroAfterTheLastPointSent() {
        pushed(delta(1000, 2000, 5L));
        assertThat(pushed(delta(1500, 3000, 7L))).containsExactly("1500-2001:0", "1500-3000:7");
        assertThat(restarts(SequenceRestart.OVERLAP)).isEqualTo(1);
    }

    @Test
    void aZeroThatWouldNotBeBeforeThePointIsLeftOutAndCounted() {
        assertThat(pushed(delta(1000, 1001, 5L))).containsExactly("1000-1001:5");
        assertThat(fixture.metrics.zeroPointsLeftOut().total()).isEqualTo(1);
        NumberDataPoint oneNanoLater =
                delta(2000, 2001, 3L).toBuilder().setTimeUnixNano(2001 * MS + 1).build();
        assertThat(pushed(oneNanoLater)).containsExactly("2000-2001:0", "2000-2001:3");
        assertThat(fixture.metrics.zeroPointsLeftOut().total()).isEqualTo(1);
    }

    @Test
    void aZeroHasTheAttributesOfItsPointAndNoExemplars() {
        NumberDataPoint point = delta(1000, 2000, 5L).toBuilder()
                .addAttributes(attribute("topic", "a"))
                .addAttributes(attribute("partition", "1"))
                .addExemplars(io.opentelemetry.proto.metrics.v1.Exemplar.newBuilder()
                        .setAsInt(1)
                        .setTimeUnixNano(1))
                .setFlags(2)
                .build();
        Sum sum = ConverterFixture.metrics(fixture.convert(push(counter("sent.total", point))))
                .get(0)
                .getSum();
        assertThat(sum.getDataPoints(0))
                .isEqualTo(NumberDataPoint.newBuilder()
                        .setStartTimeUnixNano(1000 * MS)
                        .setTimeUnixNano(1001 * MS)
                        .setAsInt(0)
                        .addAllAttributes(point.getAttributesList())
                        .build());
        assertThat(sum.getDataPoints(1)).isEqualTo(point);
    }

    @Test
    void aClockSetBackHoldsPointsBackUntilOnePassesTheLastSent() {
        pushed(delta(100_000, 101_000, 5L));
        // The clock goes back by a minute within an interval, then the intervals join again.
        assertThat(pushed(delta(101_000, 42_000, 1L))).isEmpty();
        assertThat(pushed(delta(42_000, 43_000, 2L))).isEmpty();
        assertThat(pushed(delta(43_000, 101_000, 4L))).isEmpty();
        assertThat(pushed(delta(101_000, 102_000, 8L))).containsExactly("100000-102000:20");
        assertThat(dropped(PointDropReason.CLOCK_BACK)).isEqualTo(3);
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
    }

    @Test
    void afterFiveMinutesOfHoldingANewSequenceStartsWithoutAZeroAndLosesNothing() {
        pushed(delta(1_000_000, 1_001_000, 5L));
        assertThat(pushed(delta(1_001_000, 42_000, 1L))).isEmpty();
        fixture.pass(299_999, TimeUnit.MILLISECONDS);
        assertThat(pushed(delta(42_000, 341_999, 2L))).isEmpty();
        fixture.pass(1, TimeUnit.MILLISECONDS);
        assertThat(pushed(delta(341_999, 342_000, 4L))).containsExactly("341999-342000:7");
        assertThat(pushed(delta(342_000, 343_000, 1L))).containsExactly("341999-343000:8");
        assertThat(restarts(SequenceRestart.CLOCK_BACK)).isEqualTo(1);
        assertThat(dropped(PointDropReason.CLOCK_BACK)).isEqualTo(2);
        assertThat(fixture.metrics.zeroPointsLeftOut().total()).isZero();
    }

    @Test
    void holdingBeginsAnewAfterAPointWasSent() {
        pushed(delta(100_000, 101_000, 5L));
        assertThat(pushed(delta(101_000, 100_000, 1L))).isEmpty();
        assertThat(pushed(delta(100_000, 102_000, 1L))).containsExactly("100000-102000:7");
        fixture.pass(10, TimeUnit.MINUTES);
        assertThat(pushed(delta(102_000, 101_500, 1L))).isEmpty();
        assertThat(pushed(delta(101_500, 103_000, 1L))).containsExactly("100000-103000:9");
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
    }

    @Test
    void aPushThatWasReceivedBeforeTheOneConvertedBeforeItEndsNoHolding() {
        pushed(delta(100_000, 101_000, 5L));
        fixture.pass(10, TimeUnit.SECONDS);
        assertThat(pushed(delta(101_000, 42_000, 1L))).isEmpty();
        // Request threads hand over in another order than they read the clock.
        fixture.pass(-1, TimeUnit.SECONDS);
        assertThat(pushed(delta(42_000, 43_000, 1L))).isEmpty();
        assertThat(restarts(SequenceRestart.CLOCK_BACK)).isZero();
    }

    @Test
    void aClockSetBackWithinTheVeryFirstIntervalLosesNothing() {
        assertThat(pushed(delta(100_000, 42_000, 3L))).isEmpty();
        assertThat(pushed(delta(42_000, 43_000, 4L))).containsExactly("42000-42001:0", "42000-43000:7");
    }

    @Test
    void aSequenceOfWhichNothingWasSentBeginsWhereTheClockGoesOn() {
        assertThat(pushed(delta(20_000, 10_000, 3L))).isEmpty();
        assertThat(pushed(delta(10_000, 5000, 4L))).isEmpty();
        assertThat(pushed(delta(5000, 8000, 5L))).containsExactly("5000-5001:0", "5000-8000:12");
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
    }

    @Test
    void aSequenceBegunWhileHoldingBeginsWhereTheClockGoesOnButNotBeforeTheLastSent() {
        pushed(delta(4, 5, 5L));
        assertThat(pushed(delta(20_000, 10_000, -1L))).isEmpty();
        assertThat(pushed(delta(10_000, 7000, 2L))).isEmpty();
        assertThat(pushed(delta(7000, 8000, 3L))).containsExactly("7000-7001:0", "7000-8000:5");

        assertThat(pushed(delta(20_000, 10_000, -1L))).isEmpty();
        assertThat(pushed(delta(10_000, 6000, 2L))).isEmpty();
        assertThat(pushed(delta(6000, 9000, 4L))).containsExactly("8000-8001:0", "8000-9000:6");
    }

    @Test
    void aGapAfterHoldingStartsANewSequenceWithWhatWasHeld() {
        pushed(delta(100_000, 101_000, 5L));
        pushed(delta(101_000, 90_000, 1L));
        assertThat(pushed(delta(101_500, 102_000, 2L))).containsExactly("101500-101501:0", "101500-102000:3");
        assertThat(restarts(SequenceRestart.GAP)).isEqualTo(1);
    }

    @Test
    void aRepeatWhileHoldingIsDropped() {
        pushed(delta(100_000, 101_000, 5L));
        pushed(delta(101_000, 90_000, 1L));
        assertThat(pushed(delta(101_000, 90_000, 1L))).isEmpty();
        assertThat(pushed(delta(90_000, 102_000, 1L))).containsExactly("100000-102000:7");
        assertThat(dropped(PointDropReason.REPEAT)).isEqualTo(1);
    }

    @Test
    void aNegativeDeltaOfAMonotonicSumStartsANewSequenceAtZero() {
        pushed(delta(1000, 2000, 5L));
        assertThat(pushed(delta(2000, 3000, -1L))).containsExactly("2000-2001:0", "2000-3000:0");
        assertThat(pushed(delta(3000, 4000, 2L))).containsExactly("2000-4000:2");
        assertThat(restarts(SequenceRestart.NEGATIVE_DELTA)).isEqualTo(1);
    }

    @Test
    void aSumThatIsNotMonotonicGoesUpAndDownWithoutAZero() {
        assertThat(upDown(delta(1000, 2000, 5L))).containsExactly("1000-2000:5");
        assertThat(upDown(delta(2000, 3000, -8L))).containsExactly("1000-3000:-3");
        assertThat(upDown(delta(3500, 4000, 1L))).containsExactly("3500-4000:1");
        assertThat(restarts(SequenceRestart.GAP)).isEqualTo(1);
        assertThat(fixture.metrics.zeroPointsLeftOut().total()).isZero();
    }

    private java.util.List<String> upDown(NumberDataPoint point) {
        return sums(fixture.convert(
                push(sum("in.flight", false, AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA, point))));
    }

    @Test
    void anIntThatTurnsDoubleGoesOnAsDouble() {
        assertThat(pushed(delta(1000, 2000, 5L))).endsWith("1000-2000:5");
        assertThat(pushed(delta(2000, 3000, 0.5))).containsExactly("1000-3000:5.5");
        assertThat(pushed(delta(3000, 4000, 2L))).containsExactly("1000-4000:7.5");
        assertNothingCounted();
    }

    @Test
    void anOverflowOfInt64StartsANewSequence() {
        pushed(delta(1000, 2000, Long.MAX_VALUE));
        assertThat(pushed(delta(2000, 3000, 3L))).containsExactly("2000-2001:0", "2000-3000:3");
        assertThat(restarts(SequenceRestart.OVERFLOW)).isEqualTo(1);
    }

    @Test
    void anOverflowBelowInt64StartsANewSequenceToo() {
        upDown(delta(1000, 2000, Long.MIN_VALUE));
        assertThat(upDown(delta(2000, 3000, -3L))).containsExactly("2000-3000:-3");
        assertThat(restarts(SequenceRestart.OVERFLOW)).isEqualTo(1);
    }

    @Test
    void anOverflowOfWhatIsHeldStartsANewSequenceWithTheDeltaThatDidNotFit() {
        pushed(delta(1000, 2000, 1L));
        assertThat(pushed(delta(9000, 3000, Long.MAX_VALUE))).isEmpty();
        assertThat(pushed(delta(9000, 2500, 5L))).isEmpty();
        assertThat(pushed(delta(2500, 4000, 2L))).containsExactly("2500-2501:0", "2500-4000:7");
        assertThat(restarts(SequenceRestart.OVERFLOW)).isEqualTo(1);
    }

    @Test
    void aPointThatIsLeftOutTakesNoOtherOfItsSumWithItAndIsNotSent() {
        NumberDataPoint.Builder a = point(1000, 2000).setAsDouble(5).addAttributes(attribute("topic", "a"));
        NumberDataPoint.Builder b = point(1000, 2000).setAsDouble(7).addAttributes(attribute("topic", "b"));
        NumberDataPoint.Builder c = point(2000, 3000).setAsDouble(Double.NaN).addAttributes(attribute("topic", "c"));
        pushed(a.build(), b.build());
        a.setStartTimeUnixNano(2000 * MS).setTimeUnixNano(3000 * MS);
        assertThat(pushed(a.build(), b.build())).as("a repeat").containsExactly("1000-3000:10.0");
        a.setStartTimeUnixNano(3000 * MS).setTimeUnixNano(4000 * MS);
        assertThat(pushed(c.build(), a.build())).as("not finite").containsExactly("1000-4000:15.0");
        c.setAsDouble(1);
        a.setAsDouble(Double.NaN).setStartTimeUnixNano(4000 * MS).setTimeUnixNano(5000 * MS);
        // The zero is as long as what is left out, so that nothing changes its size.
        MetricsData converted = fixture.convert(push(
                ConverterFixture.gauge("g", delta(1000, 2000, 1L)),
                counter("sent.total", a.build(), c.build()),
                ConverterFixture.gauge("h", delta(1000, 2000, 1L))));
        assertThat(sums(converted)).containsExactly("2000-2001:0.0", "2000-3000:1.0");
        assertThat(ConverterFixture.metrics(converted)).hasSize(3);
    }

    @Test
    void aDoubleSumThatLeavesTheFiniteStartsANewSequence() {
        pushed(delta(1000, 2000, Double.MAX_VALUE));
        assertThat(pushed(delta(2000, 3000, Double.MAX_VALUE)))
                .containsExactly("2000-2001:0.0", "2000-3000:" + Double.MAX_VALUE);
        assertThat(restarts(SequenceRestart.OVERFLOW)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void whatIsNotFiniteNeverEntersASum(double value) {
        pushed(delta(1000, 2000, 5.0));
        assertThat(pushed(delta(2000, 3000, value))).isEmpty();
        assertThat(pushed(delta(3000, 4000, 1.0))).containsExactly("3000-3001:0.0", "3000-4000:1.0");
        assertThat(dropped(PointDropReason.NON_FINITE)).isEqualTo(1);
        assertThat(restarts(SequenceRestart.GAP)).isEqualTo(1);
    }

    @Test
    void aMissingValueNeverEntersASum() {
        assertThat(pushed(point(1000, 2000).build())).isEmpty();
        assertThat(pushed(point(1000, 2000).setAsInt(1).setFlags(1).build())).isEmpty();
        assertThat(dropped(PointDropReason.NON_FINITE)).isEqualTo(2);
        assertThat(fixture.converter().series()).isZero();
    }

    @Test
    void anOmittedStartIsTheLastTimeAndAtFirstAMillisecondBeforeThePoint() {
        NumberDataPoint first = NumberDataPoint.newBuilder()
                .setTimeUnixNano(2000 * MS)
                .setAsInt(5)
                .build();
        assertThat(pushed(first)).containsExactly("1999-2000:5");
        NumberDataPoint second = NumberDataPoint.newBuilder()
                .setTimeUnixNano(3000 * MS)
                .setAsInt(7)
                .build();
        assertThat(pushed(second)).containsExactly("1999-3000:12");
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
    }

    @Test
    void anOmittedStartOfAPointAmongOthersIsWrittenToo() {
        NumberDataPoint without = NumberDataPoint.newBuilder()
                .setTimeUnixNano(3000 * MS)
                .setAsInt(7)
                .addAttributes(attribute("topic", "b"))
                .build();
        assertThat(pushed(delta(1000, 2000, 5L), without)).containsExactly("1000-1001:0", "1000-2000:5", "2999-3000:7");
    }

    @Test
    void unspecifiedAndUnknownTemporalityIsDroppedPointByPoint() {
        fixture.convert(push(
                sum("a", true, AggregationTemporality.AGGREGATION_TEMPORALITY_UNSPECIFIED, delta(1, 2, 1L)),
                Metric.newBuilder()
                        .setName("b")
                        .setSum(Sum.newBuilder()
                                .addDataPoints(delta(1, 2, 1L))
                                .addDataPoints(delta(1, 2, 1L))
                                .setAggregationTemporalityValue(-3))
                        .build()));
        assertThat(dropped(PointDropReason.UNSPECIFIED_TEMPORALITY)).isEqualTo(3);
    }

    @Test
    void aCumulativeSumPassesUnchanged() {
        MetricsData push = push(sum(
                "a",
                true,
                AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE,
                delta(1, 2, 5L),
                delta(1, 2, Double.NaN)));
        assertThat(ConverterFixture.metrics(fixture.convert(push))).isEqualTo(ConverterFixture.metrics(push));
        assertThat(fixture.converter().series()).isZero();
        assertNothingCounted();
    }

    @ParameterizedTest
    @EnumSource(
            value = Temporality.class,
            names = {"DELTA", "LOWMEMORY"})
    void otherPreferencesLeaveMonotonicDeltasAloneAndAddUpTheRest(Temporality preference) {
        fixture.temporality = preference;
        MetricsData push = push(counter("a", delta(1, 2, 5L), delta(7, 9, -5L)));
        assertThat(ConverterFixture.metrics(fixture.convert(push))).isEqualTo(ConverterFixture.metrics(push));
        assertThat(upDown(delta(1000, 2000, 5L))).containsExactly("1000-2000:5");
        assertThat(upDown(delta(2000, 3000, 5L))).containsExactly("1000-3000:10");
        assertThat(fixture.converter().series()).isEqualTo(1);
    }

    @Test
    void aConsumerThatRejoinsUnderANewMemberIdStartsAnew() {
        NumberDataPoint first = delta(1000, 2000, 5L);
        NumberDataPoint second = delta(2000, 3000, 7L);
        fixture.convert(push(resource(attribute("group_member_id", "a")), counter("n", first)));
        assertThat(sums(fixture.convert(push(resource(attribute("group_member_id", "b")), counter("n", second)))))
                .containsExactly("2000-2001:0", "2000-3000:7");
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
    }

    @Test
    void otherLabelsOfTheSameInstanceAreOtherSeries() {
        fixture.labels = java.util.EnumSet.of(Label.CLIENT_SOURCE_PORT);
        pushed(delta(1000, 2000, 5L));
        Client reconnected = new Client("orders", "apache-kafka-java", "4.4.0", "192.0.2.7", "41235", "", "", "");
        MetricsData push = push(counter("sent.total", delta(2000, 3000, 7L)));
        assertThat(sums(fixture.convert(fixture.instance, reconnected, push.toByteArray())))
                .containsExactly("2000-2001:0", "2000-3000:7");
    }

    @Test
    void labelsThatComeBackAreTheSeriesOfBefore() {
        fixture.labels = java.util.EnumSet.of(Label.CLIENT_SOURCE_PORT);
        pushed(delta(1000, 2000, 5L));
        Client other = new Client("orders", "apache-kafka-java", "4.4.0", "192.0.2.7", "41235", "", "", "");
        fixture.convert(
                fixture.instance,
                other,
                push(counter("sent.total", delta(2000, 3000, 7L))).toByteArray());
        assertThat(pushed(delta(2000, 4000, 1L))).containsExactly("1000-4000:6");
        assertThat(fixture.converter().series()).isEqualTo(2);
    }

    @Test
    void instancesThatPushByTurnsGoOnEachWithItsOwnState() {
        ClientInstance other = fixture.instances.pushed(3, 4, fixture.client, 0, false);
        pushed(delta(1000, 2000, 5L));
        fixture.convert(
                other,
                fixture.client,
                push(counter("sent.total", delta(1000, 2000, 70L))).toByteArray());
        assertThat(pushed(delta(2000, 3000, 1L))).containsExactly("1000-3000:6");
        assertThat(sums(fixture.convert(
                        other,
                        fixture.client,
                        push(counter("sent.total", delta(2000, 3000, 1L))).toByteArray())))
                .containsExactly("1000-3000:71");
    }

    @Test
    void aTerminatingPushIsConvertedWithTheStateOfThePushesBefore() {
        pushed(delta(1000, 2000, 5L));
        ClientInstance last = fixture.instances.pushed(1, 2, fixture.client, 0, true);
        assertThat(last).isSameAs(fixture.instance);
        assertThat(pushed(delta(2000, 3000, 7L))).containsExactly("1000-3000:12");
    }

    @Test
    void pushesThatStillWaitWhenTheirInstanceEndsAreOneSequenceWithItsTerminatingPush() {
        fixture.instances.pushed(1, 2, fixture.client, 0, true);
        assertThat(fixture.instance.ended()).isTrue();
        assertThat(pushed(delta(1000, 2000, 5L))).containsExactly("1000-1001:0", "1000-2000:5");
        assertThat(pushed(delta(2000, 3000, 7L))).containsExactly("1000-3000:12");
        assertThat(pushed(delta(3000, 4000, 1L))).containsExactly("1000-4000:13");
        fixture.converter().forget(fixture.instance);
        assertThat(fixture.converter().series()).isZero();
    }

    @Test
    void anInstanceThatExpiredKeepsNoState() {
        pushed(delta(1000, 2000, 5L));
        assertThat(fixture.converter().series()).isEqualTo(1);
        fixture.converter().forget(fixture.instance);
        fixture.converter().forget(fixture.instance);
        assertThat(fixture.converter().series()).isZero();
    }

    @Test
    void anInstanceThatExpiredWhileItsPushWaitedKeepsNoState() {
        fixture.pass(16, TimeUnit.MINUTES);
        fixture.instances.expire(ended -> {});
        assertThat(fixture.instance.ended()).isTrue();
        assertThat(pushed(delta(1000, 2000, 5L))).containsExactly("1000-1001:0", "1000-2000:5");
        assertThat(fixture.converter().series()).isZero();
    }

    @Test
    void stateThatExpiredWhileTheClientGoesOnStartsAtTheJoinAndCountsNothingTwice() {
        pushed(delta(1000, 2000, 5L));
        fixture.converter().forget(fixture.instance);
        // At the start itself a zero would collide with the point sent for 2000.
        assertThat(pushed(delta(2000, 3000, 7L))).containsExactly("2000-2001:0", "2000-3000:7");
    }

    @Test
    void aPluginRestartedWhileTheClientGoesOnStartsAtTheJoin() {
        pushed(delta(1000, 2000, 5L));
        fixture.restart();
        assertThat(pushed(delta(2000, 3000, 7L))).containsExactly("2000-2001:0", "2000-3000:7");
        assertThat(fixture.metrics.sequenceRestarts().total()).isZero();
    }

    @Test
    void anInstanceThatEndedAndIsNeverHeardOfAgainIsSweptUp() {
        pushed(delta(1000, 2000, 5L));
        fixture.instances.pushed(1, 2, fixture.client, 0, true);
        ClientInstance other = fixture.instances.pushed(3, 4, fixture.client, 0, false);
        byte[] push = push(counter("sent.total", delta(1000, 2000, 5L))).toByteArray();
        fixture.convert(other, fixture.client, push);
        fixture.pass(1, TimeUnit.MINUTES);
        fixture.convert(other, fixture.client, push);
        assertThat(fixture.converter().series()).isEqualTo(2);
        fixture.pass(1, TimeUnit.MINUTES);
        fixture.convert(other, fixture.client, push);
        assertThat(fixture.converter().series()).isEqualTo(1);
    }

    @Test
    void twoInstancesShareNoState() {
        ClientInstance other = fixture.instances.pushed(3, 4, fixture.client, 0, false);
        pushed(delta(1000, 2000, 5L));
        MetricsData push = push(counter("sent.total", delta(2000, 3000, 7L)));
        assertThat(sums(fixture.convert(other, fixture.client, push.toByteArray())))
                .containsExactly("2000-2001:0", "2000-3000:7");
    }
}
