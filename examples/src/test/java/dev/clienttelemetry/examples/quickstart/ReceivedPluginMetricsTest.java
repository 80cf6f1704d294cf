/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.examples.receiver.Transport;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReceivedPluginMetricsTest {
    private final ReceivedPluginMetrics plugin = new ReceivedPluginMetrics();

    @Test
    void theLatestTotalsCountAndReasonsAreAddedUp() {
        plugin.received(request("dev.clienttelemetry", sum("client_telemetry.push.received", point(3, ""))));
        plugin.received(request(
                "dev.clienttelemetry",
                sum("client_telemetry.push.received", point(7, "")),
                sum("client_telemetry.push.dropped", point(1, "buffer_full"), point(2, "too_old")),
                sum("otel.sdk.exporter.metric_data_point.exported", point(500, ""))));

        assertThat(plugin.line()).isEqualTo("the plugin counted 7 pushes, 0 refused, 3 dropped; 500 data points sent");
    }

    @Test
    void pointsThatTheBackendRejectedOrThatWereGivenUpAreNotSent() {
        plugin.received(request(
                "dev.clienttelemetry",
                sum("client_telemetry.push.received", point(7, "")),
                sum("client_telemetry.push.dropped", point(3, "buffer_full")),
                sum(
                        "otel.sdk.exporter.metric_data_point.exported",
                        point(500, ""),
                        point(20, "rejected"),
                        point(70, "503"))));

        assertThat(plugin.line()).isEqualTo("the plugin counted 7 pushes, 0 refused, 3 dropped; 500 data points sent");
    }

    @Test
    void metricsOfTheSameNameFromElsewhereAreNotThePlugins() {
        plugin.received(request("a client", sum("client_telemetry.push.received", point(3, ""))));

        assertThat(plugin.line()).isEqualTo("the plugin has sent no metrics of its own so far");
    }

    private static NumberDataPoint point(long value, String errorType) {
        NumberDataPoint.Builder point = NumberDataPoint.newBuilder().setAsInt(value);
        if (!errorType.isEmpty()) {
            point.addAttributes(KeyValue.newBuilder()
                    .setKey("error.type")
                    .setValue(AnyValue.newBuilder().setStringValue(errorType)));
        }
        return point.build();
    }

    private static Metric sum(String name, NumberDataPoint... points) {
        return Metric.newBuilder()
                .setName(name)
                .setSum(Sum.newBuilder().addAllDataPoints(List.of(points)))
                .build();
    }

    private static ReceivedRequest request(String scope, Metric... metrics) {
        return new ReceivedRequest(
                Transport.GRPC,
                Map.of(),
                ExportMetricsServiceRequest.newBuilder()
                        .addResourceMetrics(ResourceMetrics.newBuilder()
                                .addScopeMetrics(ScopeMetrics.newBuilder()
                                        .setScope(InstrumentationScope.newBuilder()
                                                .setName(scope))
                                        .addAllMetrics(List.of(metrics))))
                        .build());
    }
}
