/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.receiver.Answer;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import io.grpc.Status;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What only a backend that speaks gRPC says, behind a real broker; and how many requests it gets at a time. */
class GrpcBackendIT {
    private static final int IN_FLIGHT = 8;
    private static final int BATCH_BYTES = 64 * 1024;
    private static final String METRIC = "large";

    private static BrokerWithPlugin broker;

    @BeforeAll
    static void start() throws Exception {
        broker = BrokerWithPlugin.builder()
                .property("client.telemetry.requests.in.flight.max", String.valueOf(IN_FLIGHT))
                .property("client.telemetry.batch.max.bytes", String.valueOf(BATCH_BYTES))
                .property("otel.exporter.otlp.timeout", "60000")
                .start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void accept() {
        broker.receiver().answerWith(request -> Answer.ACCEPT);
    }

    @Test
    void anExhaustedBackendThatSaysWhenToComeAgainGetsAllOfIt() {
        try (KafkaProducer<String, String> producer = broker.producer("patient")) {
            Uuid id = producer.clientInstanceId(Duration.ofSeconds(30));
            broker.awaitNextPush(id);
            AtomicInteger refused = new AtomicInteger();
            broker.receiver()
                    .answerWith(request -> refused.incrementAndGet() <= 3
                            ? new Answer.Grpc(
                                    Status.RESOURCE_EXHAUSTED.withDescription("slow down"), Duration.ofMillis(300))
                            : Answer.ACCEPT);
            for (int i = 0; i < 50; i++) {
                producer.send(new ProducerRecord<>("patient", "value"));
            }
            producer.flush();

            await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> refused.get() > 3);
            ReceivedPoint sent = broker.awaitPoint(
                    point -> id.toString().equals(point.resource().get("service.instance.id"))
                            && point.name().equals("org.apache.kafka.producer.record.send.total")
                            && point.value() == 50);

            assertThat(sent.resource()).containsEntry("client_id", "patient");
            assertThat(broker.node().log()).contains("slow down");
        }
    }

    @Test
    void anExhaustedBackendThatDoesNotSayWhenLosesOnlyWhatItRefuses() throws Exception {
        try (KafkaProducer<String, String> good = broker.producer("good");
                RawClient poison = new RawClient(broker.cluster().bootstrapServers(), "poison")) {
            Uuid id = good.clientInstanceId(Duration.ofSeconds(30));
            broker.awaitNextPush(id);
            AtomicInteger refused = new AtomicInteger();
            broker.receiver().answerWith(request -> {
                if (!has(request, Lies.METRIC)) {
                    return Answer.ACCEPT;
                }
                refused.incrementAndGet();
                return new Answer.Grpc(Status.RESOURCE_EXHAUSTED.withDescription("too many lies"), null);
            });
            poison.subscribe();

            assertThat(poison.push(Lies.payload())).isEqualTo(Errors.NONE);

            await().atMost(BrokerWithPlugin.ARRIVAL)
                    .until(() -> broker.node().log().contains("too many lies"));
            broker.awaitNextPush(id);
            int afterItsDrop = refused.get();
            broker.awaitNextPush(id);
            assertThat(refused).hasValue(afterItsDrop);
        }
    }

    @Test
    void thereAreEightRequestsAtATimeAndNoMore() throws Exception {
        Semaphore answers = new Semaphore(0);
        AtomicInteger waiting = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<RawClient> clients = new ArrayList<>();
        try {
            broker.receiver().answerWith(request -> {
                if (has(request, METRIC)) {
                    most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
                    answers.acquireUninterruptibly();
                    waiting.decrementAndGet();
                }
                return Answer.ACCEPT;
            });
            byte[] push = largerThanHalfABatch();
            for (int i = 0; i < 2 * IN_FLIGHT; i++) {
                RawClient client = new RawClient(broker.cluster().bootstrapServers(), "client-" + i);
                clients.add(client);
                client.subscribe();
                assertThat(client.push(push)).isEqualTo(Errors.NONE);
            }

            await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> waiting.get() == IN_FLIGHT);
            answers.release(clients.size());
            for (RawClient client : clients) {
                broker.awaitPoint(client.clientInstanceId(), METRIC);
            }

            await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> answers.availablePermits() == 0 && waiting.get() == 0);
            assertThat(most).hasValue(IN_FLIGHT);
        } finally {
            answers.release(2 * clients.size());
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    private static boolean has(ReceivedRequest request, String metric) {
        return request.points().stream().anyMatch(point -> point.name().equals(metric));
    }

    private static byte[] largerThanHalfABatch() {
        Metric metric = Metric.newBuilder()
                .setName(METRIC)
                .setDescription("x".repeat(BATCH_BYTES / 2))
                .setGauge(Gauge.newBuilder()
                        .addDataPoints(NumberDataPoint.newBuilder()
                                .setTimeUnixNano(System.currentTimeMillis() * 1_000_000)
                                .setAsDouble(1)))
                .build();
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder().addMetrics(metric)))
                .build()
                .toByteArray();
    }
}
