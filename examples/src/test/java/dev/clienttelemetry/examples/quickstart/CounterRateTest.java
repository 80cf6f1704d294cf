/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CounterRateTest {
    private static final long SECOND = 1_000_000_000;

    private final CounterRate rate = new CounterRate();

    @Test
    void isTheGrowthBetweenTheLastTwoPoints() {
        rate.next(point(0, 0, 0));
        rate.next(point(0, SECOND, 50));
        rate.next(point(0, 3 * SECOND, 250));

        assertThat(rate.perSecond()).isEqualTo(100);
    }

    @Test
    void isNotTakenAcrossTheStartOfASequence() {
        rate.next(point(0, SECOND, 1_000));
        rate.next(point(2 * SECOND, 2 * SECOND, 0));

        assertThat(rate.perSecond()).isNaN();
    }

    @Test
    void isNotTakenFromARepeat() {
        rate.next(point(0, 0, 0));
        rate.next(point(0, SECOND, 50));
        rate.next(point(0, SECOND, 50));

        assertThat(rate.perSecond()).isEqualTo(50);
    }

    private static ReceivedPoint point(long start, long time, double value) {
        return new ReceivedPoint(
                Map.of(),
                "",
                "a.total",
                "",
                AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE,
                true,
                Map.of(),
                start,
                time,
                value);
    }
}
