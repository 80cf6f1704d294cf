/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryContext;
import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.junit.jupiter.api.Test;

/** More client instances than are remembered, coming and going, through the interface that Kafka uses. */
class ManyClientsTest {
    private static final int REMEMBERED = 16_384;
    private static final int INSTANCES = 20_000;
    private static final int ROUNDS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final byte[] PAYLOAD = PushPayloadTest.resource("/payloads/librdkafka-2.15-producer-1.otlp");
    private static final RequestContext CONTEXT =
            RequestClientTest.context("app", "10.1.2.3", 5000, "alice", "librdkafka", "2.15.0");

    private record Context(AuthorizableRequestContext authorizableRequestContext) implements ClientTelemetryContext {
        @Override
        public int pushIntervalMs() {
            return 300_000;
        }
    }

    @Test
    void countsAreRightAndMemoryIsFlatAboveTheBound() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start(request -> {});
                ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            reporter.configure(Map.of(
                    "otel.exporter.otlp.endpoint", receiver.grpcEndpoint().toString(),
                    "client.telemetry.batch.linger.ms", "0",
                    "metric.reporters", ClientTelemetryReporter.class.getName()));
            reporter.contextChange(new KafkaMetricsContext(
                    "kafka.server", Map.of("kafka.cluster.id", "cluster", "kafka.node.id", "1")));
            ClientTelemetryExporter exporter = reporter.clientTelemetryExporter();
            double seriesAtBound = 0;
            long heapAtBound = 0;
            for (int round = 1; round <= ROUNDS; round++) {
                for (int instance = 0; instance < INSTANCES; instance++) {
                    exporter.exportMetrics(new Context(CONTEXT), Push.of(new Uuid(1, instance), PAYLOAD));
                }
                awaitValue("ClientMetricsBufferBytes", 0);

                assertThat(value("ClientMetricsPluginExportCount")).isEqualTo(INSTANCES * round);
                assertThat(value("ClientMetricsPushCount")).isEqualTo(INSTANCES * round);
                assertThat(value("ClientMetricsPushDroppedCount")).isZero();
                assertThat(value("ClientMetricsActiveInstanceCount")).isEqualTo(REMEMBERED);
                assertThat(value("ClientMetricsInstanceEndedCount,reason=evicted"))
                        .isEqualTo(INSTANCES * round - REMEMBERED);
                if (round == 1) {
                    // The worker drops the series of evicted instances at its next tick.
                    double perInstance = seriesPerInstance();
                    seriesAtBound = perInstance * REMEMBERED;
                }
                awaitValue("ClientMetricsSeriesCount", seriesAtBound);
                if (round == 2) {
                    heapAtBound = usedHeap();
                }
            }
            assertThat(usedHeap() - heapAtBound).isLessThan(8 << 20);
        }
    }

    private static double seriesPerInstance() throws JMException {
        await().atMost(PATIENCE).until(() -> value("ClientMetricsSeriesCount") % REMEMBERED == 0);
        double perInstance = value("ClientMetricsSeriesCount") / REMEMBERED;
        assertThat(perInstance).isPositive();
        return perInstance;
    }

    private static void awaitValue(String name, double value) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> value(name) == value);
    }

    private static double value(String name) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        Object value = server.getAttribute(new ObjectName("kafka.server:type=ClientMetrics,name=" + name), "Value");
        return ((Number) value).doubleValue();
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
