/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of the pushes of real clients with all default settings. */
class RealPushesTest {
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final Client client = new Client(
            "demo-consumer",
            "apache-kafka-java",
            "4.4.0",
            "127.0.0.1",
            "41234",
            "User:ANONYMOUS",
            "PLAIN",
            "PLAINTEXT");
    private final ClientInstance instance = new ClientInstances(10, () -> 0).pushed(1, 2, client, 0, false);
    private final PushConverter converter = new PushConverter(
            new ConversionSettings(
                    EnumSet.range(Label.CLIENT_INSTANCE_ID, Label.BROKER_ID),
                    "client_id",
                    "1",
                    null,
                    Temporality.CUMULATIVE,
                    true,
                    1_000_000,
                    5_000),
            metrics);

    @Test
    void aConsumersSteadyPushShrinksToLittleMoreThanAThird() throws Exception {
        converter.convert(instance, client, Payloads.read("java-4.4.0-consumer-1"), 0);
        byte[] payload = Payloads.read("java-4.4.0-consumer-2");
        ConvertedPush push = converter.convert(instance, client, payload, 0);

        assertThat(push.bytes().length).isLessThanOrEqualTo(payload.length * 36 / 100);
        assertThat(push.points()).isEqualTo(140 - 12);
        assertThat(converter.series()).isEqualTo(41);
        assertThat(metrics.sequenceRestarts().total()).isZero();
        assertSumsAreCumulative(push);
    }

    @Test
    void aProducersSteadyPushShrinksByAQuarter() throws Exception {
        converter.convert(instance, client, Payloads.read("java-4.4.0-producer-1"), 0);
        byte[] payload = Payloads.read("java-4.4.0-producer-2");
        ConvertedPush push = converter.convert(instance, client, payload, 0);

        assertThat(push.bytes().length).isLessThanOrEqualTo(payload.length * 72 / 100);
        assertThat(metrics.sequenceRestarts().total()).isZero();
        assertSumsAreCumulative(push);
    }

    @Test
    void aPushWithNothingToMergeGoesOnInTheArrayItCameIn() throws Exception {
        // Of which something is left out: that is over with this push.
        converter.convert(instance, client, Payloads.read("java-4.4.0-consumer-1"), 0);
        MetricsData first = MetricsData.parseFrom(Payloads.read("librdkafka-2.15-producer-1"));
        converter.convert(instance, client, first.toByteArray(), 0);
        byte[] payload = later(first).toByteArray();
        ConvertedPush push = converter.convert(instance, client, payload, 0);

        assertThat(push.body()).isSameAs(payload);
        assertThat(push.bodyStart())
                .as("bytes that are kept but neither sent nor counted")
                .isLessThanOrEqualTo(12);
        assertThat(push.points()).isEqualTo(10);
        assertSumsAreCumulative(push);
        assertThat(sums(MetricsData.parseFrom(push.bytes()))).isEqualTo(sums(twoIntervals(first)));
    }

    private static List<Sum> sums(MetricsData push) {
        return push.getResourceMetrics(0).getScopeMetricsList().stream()
                .flatMap(scope -> scope.getMetricsList().stream())
                .filter(Metric::hasSum)
                .map(Metric::getSum)
                .toList();
    }

    /** Returns what a push and {@link #later} are together: twice the delta, from the start of the first. */
    private static MetricsData twoIntervals(MetricsData push) {
        MetricsData.Builder both = push.toBuilder();
        for (ScopeMetrics.Builder scope : both.getResourceMetricsBuilder(0).getScopeMetricsBuilderList()) {
            for (Metric.Builder metric : scope.getMetricsBuilderList()) {
                if (metric.hasSum()) {
                    metric.getSumBuilder()
                            .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
                    for (NumberDataPoint.Builder point : metric.getSumBuilder().getDataPointsBuilderList()) {
                        point.setTimeUnixNano(point.getTimeUnixNano() + 1_000_000_000);
                        if (point.hasAsInt()) {
                            point.setAsInt(2 * point.getAsInt());
                        } else {
                            point.setAsDouble(2 * point.getAsDouble());
                        }
                    }
                }
            }
        }
        return both.build();
    }

    /** Returns the push of the next interval. */
    private static MetricsData later(MetricsData push) {
        MetricsData.Builder later = push.toBuilder();
        for (ScopeMetrics.Builder scope : later.getResourceMetricsBuilder(0).getScopeMetricsBuilderList()) {
            for (Metric.Builder metric : scope.getMetricsBuilderList()) {
                for (NumberDataPoint.Builder point : metric.hasSum()
                        ? metric.getSumBuilder().getDataPointsBuilderList()
                        : metric.getGaugeBuilder().getDataPointsBuilderList()) {
                    long end = point.getTimeUnixNano();
                    point.setStartTimeUnixNano(end).setTimeUnixNano(end + 1_000_000_000);
                }
            }
        }
        return later.build();
    }

    private static void assertSumsAreCumulative(ConvertedPush push) throws Exception {
        MetricsData data = MetricsData.parseFrom(push.bytes());
        assertThat(data.getResourceMetricsCount()).isEqualTo(1);
        assertThat(data.getResourceMetrics(0).getScopeMetricsCount()).isEqualTo(1);
        assertThat(data.getResourceMetrics(0).getScopeMetrics(0).getMetricsList())
                .filteredOn(Metric::hasSum)
                .isNotEmpty()
                .allSatisfy(metric -> assertThat(metric.getSum().getAggregationTemporality())
                        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE));
    }
}
