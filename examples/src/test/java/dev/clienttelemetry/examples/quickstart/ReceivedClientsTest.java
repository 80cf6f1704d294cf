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
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReceivedClientsTest {
    private static final String LAG = "org.apache.kafka.consumer.fetch.manager.records.lag.max";
    private static final String LATENCY = "org.apache.kafka.consumer.fetch.manager.fetch.latency.avg";

    private final ReceivedClients clients = new ReceivedClients(() -> 7_000);

    @Test
    void takesTheTellingValuesFromPointsAboutTheWholeClient() {
        Map<String, String> labels = Map.of(
                "client_instance_id", "one",
                "client_id", "orders",
                "client_software_name", "java",
                "client_software_version", "4.4.0");
        clients.received(request(labels, LAG, 12, Map.of()));
        clients.received(request(labels, LAG, 3, Map.of("topic", "a")));
        clients.received(request(labels, LATENCY, 5, Map.of()));

        assertThat(clients.clients()).singleElement().satisfies(client -> {
            assertThat(client.clientId()).isEqualTo("orders");
            assertThat(client.software()).isEqualTo("java 4.4.0");
            assertThat(client.points()).isEqualTo(3);
            assertThat(client.metrics()).containsExactlyInAnyOrder(LAG, LATENCY);
            assertThat(client.lag()).isEqualTo(12);
            assertThat(client.latencyMillis()).isEqualTo(5);
            assertThat(client.sentPerSecond()).isNaN();
            assertThat(client.lastPushMillis()).isEqualTo(7_000);
        });
        assertThat(clients.saw("orders")).isTrue();
        assertThat(clients.saw("payments")).isFalse();
    }

    @Test
    void leavesOutWhatIsNoClients() {
        clients.received(request(Map.of("service.name", "kafka"), "jvm.something", 1, Map.of()));

        assertThat(clients.points()).isZero();
        assertThat(clients.clients()).isEmpty();
    }

    @Test
    void keepsNoMoreInstancesAndMetricsThanItsBounds() {
        for (int i = 0; i < ReceivedClients.MAX_METRICS + 1; i++) {
            clients.received(request(Map.of("client_instance_id", "id-" + i), "metric-" + i, 1, Map.of()));
        }

        assertThat(clients.clients()).hasSize(ReceivedClients.MAX_INSTANCES);
        assertThat(clients.metrics()).isEqualTo(ReceivedClients.MAX_METRICS);
        assertThat(clients.points()).isEqualTo(ReceivedClients.MAX_METRICS + 1);
    }

    private static ReceivedRequest request(
            Map<String, String> resource, String name, double value, Map<String, String> attributes) {
        Resource.Builder labels = Resource.newBuilder();
        resource.forEach((key, text) -> labels.addAttributes(attribute(key, text)));
        NumberDataPoint.Builder point = NumberDataPoint.newBuilder().setAsDouble(value);
        attributes.forEach((key, text) -> point.addAttributes(attribute(key, text)));
        return new ReceivedRequest(
                Transport.GRPC,
                Map.of(),
                ExportMetricsServiceRequest.newBuilder()
                        .addResourceMetrics(ResourceMetrics.newBuilder()
                                .setResource(labels)
                                .addScopeMetrics(ScopeMetrics.newBuilder()
                                        .addMetrics(Metric.newBuilder()
                                                .setName(name)
                                                .setGauge(Gauge.newBuilder().addDataPoints(point)))))
                        .build());
    }

    private static KeyValue attribute(String key, String text) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(text))
                .build();
    }
}
