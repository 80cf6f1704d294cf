/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.FreePorts;
import dev.clienttelemetry.examples.receiver.Answer;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.pipeline.CapturedLog;
import io.grpc.Status;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Buffer, sender and wire together, with real time and a receiver made from the official stubs. */
@Timeout(240)
@SuppressWarnings("try")
class DeliveryTest {
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final ExportBuffer<Pushes.Raw> buffer = new ExportBuffer<>(64 << 20, metrics);
    private final Pushes pushes = new Pushes(System::nanoTime);
    /** What arrived and was accepted, for each client instance in the order of arrival. */
    private final Map<String, List<Long>> accepted = new ConcurrentHashMap<>();

    private OtlpConnection connection;
    private PushExporter exporter;

    @AfterEach
    void close() {
        if (exporter != null) {
            exporter.close(Duration.ZERO);
        }
        if (connection != null) {
            connection.close();
        }
    }

    private void start(OtlpProtocol protocol, int port, int batchMaxBytes, Map<String, String> more) {
        Map<String, String> server = new ConcurrentHashMap<>(more);
        server.put("otel.exporter.otlp.protocol", protocol.configured());
        server.put("otel.exporter.otlp.endpoint", "http://127.0.0.1:" + port);
        // What is answered later than that comes twice.
        server.putIfAbsent("otel.exporter.otlp.timeout", "60s");
        connection = OtlpConnection.open(OtelProperties.of(server, Map.of(), Map.of()));
        exporter = new PushExporter(
                new ExportSettings(batchMaxBytes, 20, 900_000, 8), buffer, connection, metrics, System::nanoTime);
        exporter.start();
    }

    /** A push whose only point tells the client instance by its metric's name and the push's number by its value. */
    private void push(int instance, long number) {
        byte[] bytes = ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder()
                                .addMetrics(Metric.newBuilder()
                                        .setName("instance" + instance)
                                        .setGauge(Gauge.newBuilder()
                                                .addDataPoints(NumberDataPoint.newBuilder()
                                                        .setTimeUnixNano(1)
                                                        .setAsInt(number))))))
                .build()
                .toByteArray();
        assertThat(buffer.offer(new Pushes.Raw(bytes.length))).isTrue();
        buffer.converted(buffer.take(), new Chunk(pushes.instance(instance), bytes, 1, System.nanoTime()));
    }

    private void accept(List<ReceivedPoint> points) {
        for (ReceivedPoint point : points) {
            accepted.computeIfAbsent(point.name(), name -> new CopyOnWriteArrayList<>())
                    .add((long) point.value());
        }
    }

    private int acceptedPushes() {
        return accepted.values().stream().mapToInt(List::size).sum();
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void everyPushArrivesOnceAndEachClientsInOrderThroughARoughTime(OtlpProtocol protocol) throws IOException {
        AtomicInteger requests = new AtomicInteger();
        try (OtlpReceiver receiver = OtlpReceiver.start(request -> {})) {
            receiver.answerWith(request -> {
                int number = requests.incrementAndGet();
                if (number % 5 == 0) {
                    return protocol == OtlpProtocol.GRPC
                            ? new Answer.Grpc(Status.UNAVAILABLE, null)
                            : new Answer.Http(503, Map.of(), "");
                }
                if (number % 7 == 0) {
                    return protocol == OtlpProtocol.GRPC
                            ? new Answer.Grpc(Status.RESOURCE_EXHAUSTED, Duration.ofMillis(20))
                            : new Answer.Http(429, Map.of("Retry-After", "1"), "");
                }
                accept(request.points());
                return Answer.ACCEPT;
            });
            start(protocol, protocol == OtlpProtocol.GRPC ? receiver.grpcPort() : receiver.httpPort(), 500, Map.of());

            for (int number = 0; number < 20; number++) {
                for (int instance = 0; instance < 10; instance++) {
                    push(instance, number);
                }
            }

            await().atMost(Duration.ofSeconds(60)).until(() -> buffer.pushes() == 0);
            assertThat(acceptedPushes()).isEqualTo(200);
            assertThat(accepted.values())
                    .allSatisfy(numbers -> assertThat(numbers).isSorted().doesNotHaveDuplicates());
            assertThat(metrics.pointsSent().total()).isEqualTo(200);
            assertThat(metrics.pushesDropped().total()).isZero();
            assertThat(buffer.bytes()).isZero();
        }
    }

    @Test
    void onlyTheGuiltyPushIsDropped() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(request -> {})) {
            receiver.answerWith(request -> {
                boolean poisoned = request.points().stream()
                        .anyMatch(point -> point.name().equals("instance3") && point.value() == 5);
                if (poisoned) {
                    return new Answer.Grpc(Status.INVALID_ARGUMENT.withDescription("poison"), null);
                }
                accept(request.points());
                return Answer.ACCEPT;
            });
            start(OtlpProtocol.GRPC, receiver.grpcPort(), 100_000, Map.of());

            for (int number = 0; number < 10; number++) {
                for (int instance = 0; instance < 10; instance++) {
                    push(instance, number);
                }
            }

            await().atMost(Duration.ofSeconds(60)).until(() -> buffer.pushes() == 0);
            assertThat(acceptedPushes()).isEqualTo(99);
            assertThat(accepted.get("instance3")).containsExactly(0L, 1L, 2L, 3L, 4L, 6L, 7L, 8L, 9L);
            assertThat(metrics.pushesDropped().total(PushDropReason.REFUSED_BY_BACKEND))
                    .isEqualTo(1);
        }
    }

    @Test
    void anOutageIsSurvivedAndToldOnce() throws IOException {
        // Not of the system's choice: while nobody listens there, that could give it to a connection of anybody's.
        int port = FreePorts.next();
        try (OtlpReceiver first = receiverAt(port)) {
            assertThat(first.httpPort()).isEqualTo(port);
            start(OtlpProtocol.HTTP_PROTOBUF, port, 100_000, Map.of());
            push(1, 1);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> metrics.pointsSent().total() == 1);
        }
        try (CapturedLog log = new CapturedLog()) {
            push(1, 2);
            push(2, 2);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> connection.reachability().state() == Reachability.State.UNREACHABLE);
            push(1, 3);
            assertThat(connection.reachability().cause()).isEqualTo("connection refused");

            try (OtlpReceiver second = receiverAt(port)) {
                assertThat(second.httpPort()).isEqualTo(port);
                await().atMost(Duration.ofSeconds(60)).until(() -> buffer.pushes() == 0);
            }

            assertThat(accepted.get("instance1")).containsExactly(1L, 2L, 3L);
            assertThat(accepted.get("instance2")).containsExactly(2L);
            assertThat(log.lines("connection refused")).hasSize(1);
            assertThat(log.lines("again, after")).hasSize(1);
        }
    }

    private OtlpReceiver receiverAt(int port) throws IOException {
        return OtlpReceiver.builder()
                .httpPort(port)
                .listener(request -> accept(request.points()))
                .start();
    }

    @Test
    void closingSendsWhatWaits() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(request -> accept(request.points()))) {
            start(OtlpProtocol.GRPC, receiver.grpcPort(), 100_000, Map.of());
            for (int number = 0; number < 50; number++) {
                push(ThreadLocalRandom.current().nextInt(10), number);
            }

            exporter.close(Duration.ofSeconds(20));

            assertThat(acceptedPushes()).isEqualTo(50);
            assertThat(metrics.pushesDropped().total()).isZero();
            assertNoThreadsOfOurs();
        }
    }

    @Test
    void closingEndsInTimeWithAServerThatHangsAndCountsWhatIsLost() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(request -> accept(request.points()))) {
            receiver.answerWith(request -> new Answer.Stall(false));
            start(OtlpProtocol.GRPC, receiver.grpcPort(), 100, Map.of("otel.exporter.otlp.timeout", "1h"));
            for (int number = 0; number < 30; number++) {
                push(number, number);
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> exporter.requestsInFlight() == 8);

            long start = System.nanoTime();
            exporter.close(Duration.ofMillis(800));
            long took = System.nanoTime() - start;

            assertThat(Duration.ofNanos(took))
                    .as("the timeout of a request is an hour")
                    .isLessThan(Duration.ofMinutes(1));
            // The sender's end may come after the time for closing.
            assertNoThreadsOfOurs();
            assertThat(metrics.pushesDropped().total(PushDropReason.SHUTDOWN)).isEqualTo(30);
            assertThat(buffer.bytes()).isZero();
        }
    }

    private static void assertNoThreadsOfOurs() {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().startsWith("client-telemetry-")));
    }
}
