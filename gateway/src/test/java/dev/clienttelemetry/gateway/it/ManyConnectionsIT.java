/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thousand connections that push, and a proxy with little memory. Prints what it took. */
class ManyConnectionsIT {
    private static final int CONNECTIONS = 1_000;
    private static final int ROUNDS = 5;
    private static final int THREADS = 20;
    private static final int METRICS = 100;
    private static final Uuid NO_HEADER_ID = null;
    private static final String HEAP = "-Xmx192m";

    @Test
    void aThousandConnectionsPushWithinBoundedMemory(@TempDir Path directory) throws Exception {
        byte[] payload = gzip(payload());
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<RawConnection> connections = new ArrayList<>();
        try (KafkaCluster upstream =
                        KafkaCluster.builder(KafkaDistribution.of("4.4.0")).start();
                RunningGateway gateway = RunningGateway.start(
                        directory, upstream, "waitingMaxBytes: 16777216", HEAP, "-XX:+ExitOnOutOfMemoryError")) {
            for (int i = 0; i < CONNECTIONS; i++) {
                connections.add(new RawConnection(gateway.port, "client-" + i));
            }
            List<Future<Integer>> pushers = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                List<RawConnection> own =
                        connections.subList(t * CONNECTIONS / THREADS, (t + 1) * CONNECTIONS / THREADS);
                pushers.add(threads.submit(() -> push(own, payload)));
            }
            int accepted = 0;
            for (Future<Integer> pusher : pushers) {
                accepted += pusher.get();
            }

            assertThat(accepted).isEqualTo(CONNECTIONS * ROUNDS);
            assertThat(gateway.proxy.isAlive()).isTrue();
            assertThat(gateway.prometheus("client_telemetry_instance_count")).isEqualTo(CONNECTIONS);
            // A push that was answered too late may have been exported all the same, and came again.
            assertThat(gateway.prometheus("client_telemetry_plugin_exports_total"))
                    .isBetween(
                            (double) accepted,
                            accepted + gateway.prometheus("client_telemetry_gateway_late_answers_total"));
            await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> assertThat(gateway.points().stream()
                            .map(point -> point.resource().get("client_id"))
                            .distinct()
                            .count())
                    .isGreaterThanOrEqualTo(CONNECTIONS));
            double count = gateway.prometheus("client_telemetry_gateway_event_loop_duration_seconds_count");
            double sum = gateway.prometheus("client_telemetry_gateway_event_loop_duration_seconds_sum");
            double max = gateway.prometheus("client_telemetry_gateway_event_loop_duration_seconds_max");
            System.out.printf(
                    "%d connections, %d pushes of %d bytes (%d compressed): event loop %.1f us per part of a request"
                            + " on average, %.0f us at most; refused %.0f; peak resident memory %s with %s%n",
                    CONNECTIONS,
                    accepted,
                    payload().length,
                    payload.length,
                    sum / count * 1e6,
                    max * 1e6,
                    gateway.prometheus("client_telemetry_gateway_refused_requests_total"),
                    peakMemory(gateway.proxy.pid()),
                    HEAP);
            // Two parts of each request run there: handing it over, and passing the answer on.
            assertThat(count).isGreaterThanOrEqualTo(2.0 * (CONNECTIONS + accepted));
        } finally {
            threads.shutdownNow();
            for (RawConnection connection : connections) {
                connection.close();
            }
        }
    }

    private static int push(List<RawConnection> connections, byte[] payload) throws IOException {
        List<PushTelemetryRequestData> requests = new ArrayList<>();
        for (RawConnection connection : connections) {
            GetTelemetrySubscriptionsResponseData subscription = connection.call(
                    NO_HEADER_ID,
                    new GetTelemetrySubscriptionsRequestData(),
                    0,
                    new GetTelemetrySubscriptionsResponseData());
            requests.add(new PushTelemetryRequestData()
                    .setClientInstanceId(subscription.clientInstanceId())
                    .setSubscriptionId(subscription.subscriptionId())
                    .setCompressionType(CompressionType.GZIP.id)
                    .setMetrics(ByteBuffer.wrap(payload)));
        }
        int accepted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < connections.size(); i++) {
                short error;
                do {
                    // Too early: the interval is half a second, and a round may take less.
                    error = connections
                            .get(i)
                            .call(NO_HEADER_ID, requests.get(i), 0, new PushTelemetryResponseData())
                            .errorCode();
                } while (error == Errors.THROTTLING_QUOTA_EXCEEDED.code());
                if (error != 0) {
                    throw new IOException("answered " + Errors.forCode(error));
                }
                accepted++;
            }
        }
        return accepted;
    }

    private static byte[] payload() {
        ScopeMetrics.Builder scope = ScopeMetrics.newBuilder();
        long now = System.currentTimeMillis() * 1_000_000;
        for (int i = 0; i < METRICS; i++) {
            scope.addMetrics(Metric.newBuilder()
                    .setName("org.apache.kafka.producer.some.metric.number." + i + ".total")
                    .setSum(Sum.newBuilder()
                            .setIsMonotonic(true)
                            .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA)
                            .addDataPoints(NumberDataPoint.newBuilder()
                                    .setStartTimeUnixNano(now - 1_000_000_000)
                                    .setTimeUnixNano(now)
                                    .setAsDouble(i))));
        }
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder().addScopeMetrics(scope))
                .build()
                .toByteArray();
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private static String peakMemory(long pid) throws IOException {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        if (!Files.exists(status)) {
            return "(not known here)";
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .map(line -> line.substring("VmHWM:".length()).trim())
                .findFirst()
                .orElse("(not known here)");
    }
}
