/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.gateway.it.RunningGateway.TrafficResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two of its runs go on at a time: they mostly wait, and one after the other they would take longer than all else. */
@Execution(ExecutionMode.CONCURRENT)
class ClientsThroughTheGatewayIT {
    private static final Duration TRAFFIC = Duration.ofSeconds(8);

    @ParameterizedTest(name = "upstream {0}, clients {1}, header rule {2}")
    @CsvSource({
        "4.4.0, 4.4.0, true",
        "4.4.0, 3.7.2, true",
        "4.4.0, 4.4.0, false",
        "3.6.2, 4.4.0, true",
        "3.6.2, 3.7.2, true"
    })
    void metricsOfProducersAndConsumersArriveAndTheirTrafficIsUnharmed(
            String upstreamVersion, String clientVersion, boolean headerRule, @TempDir Path directory)
            throws Exception {
        try (KafkaCluster upstream = KafkaCluster.builder(KafkaDistribution.of(upstreamVersion))
                        .start();
                RunningGateway gateway = RunningGateway.start(
                        directory, upstream, "headerRule: " + headerRule, "-Xlog:class+load:file=classes.log")) {

            TrafficResult result = gateway.traffic(clientVersion, "topic", "app", TRAFFIC, 1000);

            assertThat(result.produceErrors()).as(result.output()).isZero();
            assertThat(result.consumeErrors()).as(result.output()).isZero();
            assertThat(result.produced()).isPositive();
            assertThat(result.consumed()).isEqualTo(result.produced());
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(names(gateway, "app-producer")).contains("org.apache.kafka.producer.record.send.total");
                assertThat(names(gateway, "app-consumer"))
                        .contains("org.apache.kafka.consumer.fetch.manager.records.consumed.total");
            });
            assertThat(gateway.points())
                    .filteredOn(point -> point.resource().containsKey("client_id"))
                    .allSatisfy(point -> assertThat(point.resource())
                            .containsEntry("client_software_name", "apache-kafka-java")
                            .containsEntry("client_software_version", clientVersion)
                            .containsEntry("cluster_id", "upstream-1")
                            .containsKey("client_instance_id")
                            .doesNotContainKeys(
                                    "principal",
                                    "client_source_address",
                                    "client_source_port",
                                    "listener_name",
                                    "security_protocol",
                                    "broker_id"));
            theEightMetricsShow(gateway);
        }
    }

    private static void theEightMetricsShow(RunningGateway gateway) throws Exception {
        // The clients have ended; how many there are while they live is ClientTelemetryFilterTest's.
        assertThat(gateway.prometheus("client_telemetry_instance_count")).isNotNegative();
        assertThat(gateway.prometheus("client_telemetry_active_instance_count")).isNotNegative();
        assertThat(gateway.prometheus("client_telemetry_new_instance_requests_total"))
                .isGreaterThanOrEqualTo(2);
        assertThat(gateway.prometheus("client_telemetry_unknown_instance_requests_total"))
                .isZero();
        assertThat(gateway.prometheus("client_telemetry_throttled_requests_total"))
                .isNotNegative();
        assertThat(gateway.prometheus("client_telemetry_plugin_exports_total")).isGreaterThanOrEqualTo(2);
        assertThat(gateway.prometheus("client_telemetry_plugin_export_duration_seconds_sum"))
                .isPositive();
        assertThat(gateway.prometheus("client_telemetry_plugin_errors_total")).isZero();
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(gateway.points().stream()
                        .filter(point -> point.scope().equals("dev.clienttelemetry"))
                        .map(ReceivedPoint::name))
                .contains(
                        "client_telemetry.instance.count",
                        "client_telemetry.active_instance.count",
                        "client_telemetry.new_instance.requests",
                        "client_telemetry.unknown_instance.requests",
                        "client_telemetry.throttled.requests"));
    }

    private static Set<String> names(RunningGateway gateway, String clientId) {
        return gateway.points().stream()
                .filter(point -> clientId.equals(point.resource().get("client_id")))
                .map(ReceivedPoint::name)
                .collect(Collectors.toSet());
    }
}
