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
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A backend that misbehaves, behind a real broker; a controller in a process of its own; KIP-714's reporter on a Kafka that
 * has KIP-1217 too.
 */
class BackendIT {
    private static BrokerWithPlugin broker;

    @BeforeAll
    static void start() throws Exception {
        broker = BrokerWithPlugin.builder()
                .protocol("http/protobuf")
                .reporter(BrokerWithPlugin.RECEIVER_REPORTER)
                .property("otel.exporter.otlp.timeout", "1000")
                .cluster(cluster -> cluster.separate(1, 1))
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
    void whatIsRefusedForNowComesLaterAndComplete() {
        try (KafkaProducer<String, String> producer = broker.producer("later")) {
            Uuid id = producer.clientInstanceId(Duration.ofSeconds(30));
            broker.awaitNextPush(id);
            AtomicInteger refused = new AtomicInteger();
            broker.receiver()
                    .answerWith(request -> refused.incrementAndGet() <= 3
                            ? new Answer.Http(503, Map.of("Retry-After", "1"), "starting up")
                            : Answer.ACCEPT);
            for (int i = 0; i < 50; i++) {
                producer.send(new ProducerRecord<>("later", "value"));
            }
            producer.flush();

            await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> refused.get() > 3);
            ReceivedPoint sent = broker.awaitPoint(point -> isOf(point, id)
                    && point.name().equals("org.apache.kafka.producer.record.send.total")
                    && point.value() == 50);

            assertThat(sent.resource()).containsEntry("client_id", "later");
        }
    }

    @Test
    void aPushThatTheBackendWillNeverTakeHoldsUpNobodyElse() throws Exception {
        try (KafkaProducer<String, String> good = broker.producer("good");
                RawClient poison = new RawClient(broker.cluster().bootstrapServers(), "poison")) {
            Uuid id = good.clientInstanceId(Duration.ofSeconds(30));
            broker.awaitNextPush(id);
            broker.receiver()
                    .answerWith(request -> hasLies(request)
                            ? new Answer.Http(400, Map.of(), "lies are not stored here")
                            : Answer.ACCEPT);
            poison.subscribe();

            assertThat(poison.push(Lies.payload())).isEqualTo(Errors.NONE);

            await().atMost(BrokerWithPlugin.ARRIVAL)
                    .until(() -> broker.node().log().contains("lies are not stored here"));
            broker.awaitNextPush(id);
            broker.awaitNextPush(id);
        }
    }

    @Test
    void whatABackendSaysOfAPartialSuccessIsInTheLog() {
        broker.receiver().answerWith(request -> new Answer.PartialSuccess(3, "three points are too old"));
        try (KafkaProducer<String, String> producer = broker.producer("partial")) {
            broker.awaitNextPush(producer.clientInstanceId(Duration.ofSeconds(30)));

            await().atMost(BrokerWithPlugin.ARRIVAL)
                    .until(() -> broker.node().log().contains("three points are too old"));
        }
    }

    @Test
    void aBodyThatStallsEndsWithTheTimeout() {
        try (KafkaProducer<String, String> producer = broker.producer("stalled")) {
            Uuid id = producer.clientInstanceId(Duration.ofSeconds(30));
            AtomicInteger stalled = new AtomicInteger();
            broker.receiver()
                    .answerWith(request -> stalled.incrementAndGet() <= 2 ? new Answer.Stall(true) : Answer.ACCEPT);

            await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> stalled.get() > 2);

            broker.awaitNextPush(id);
        }
    }

    @Test
    void onANodeThatIsAControllerOnlyThePluginDoesNothing() {
        assertThat(broker.cluster().node(2).log())
                .contains("This node is a controller and no broker")
                .doesNotContain("Kafka Client Telemetry ");
        assertThat(broker.node().log().lines().filter(line -> line.contains("Kafka Client Telemetry ")))
                .hasSize(1);
    }

    private static boolean isOf(ReceivedPoint point, Uuid id) {
        return id.toString().equals(point.resource().get("service.instance.id"));
    }

    private static boolean hasLies(ReceivedRequest request) {
        return request.points().stream().anyMatch(point -> point.name().equals(Lies.METRIC));
    }
}
