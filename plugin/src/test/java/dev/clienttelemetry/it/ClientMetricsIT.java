/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static io.opentelemetry.proto.metrics.v1.AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What arrives of real clients, and of one that lies, with nothing set but the endpoint. */
@ExtendWith(SharedBroker.class)
class ClientMetricsIT {
    private static final Duration ID_TIMEOUT = Duration.ofSeconds(30);
    private static final int RECORDS = 137;

    private final BrokerWithPlugin broker;

    ClientMetricsIT(BrokerWithPlugin broker) {
        this.broker = broker;
    }

    @Test
    void aProducersMetricsArriveAsItCountsThemItself() {
        try (KafkaProducer<String, String> producer = broker.producer("values-producer")) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>("values", "value " + i));
            }
            producer.flush();
            Uuid id = producer.clientInstanceId(ID_TIMEOUT);
            awaitWholePush(id);

            assertThat(names(id)).containsAll(namesWithValues(producer.metrics(), "producer-metrics"));
            assertCounter(id, "org.apache.kafka.producer.record.send.total", RECORDS);
            assertCounter(
                    id,
                    "org.apache.kafka.producer.record.send.total",
                    value(producer.metrics(), "producer-metrics", "record-send-total"));
            assertGauge(
                    id,
                    "org.apache.kafka.producer.buffer.available.bytes",
                    value(producer.metrics(), "producer-metrics", "buffer-available-bytes"));
        }
    }

    @Test
    void aConsumersMetricsArriveAsItCountsThemItself() {
        try (KafkaProducer<String, String> producer = broker.producer("consumed-producer")) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>("consumed", "value " + i));
            }
        }
        try (KafkaConsumer<String, String> consumer = broker.consumer("values-consumer")) {
            consumer.subscribe(List.of("consumed"));
            int[] received = new int[1];
            await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> {
                received[0] += consumer.poll(Duration.ofMillis(200)).count();
                return received[0] == RECORDS;
            });
            Uuid id = consumer.clientInstanceId(ID_TIMEOUT);
            awaitWholePush(id);

            assertThat(names(id))
                    .containsAll(namesWithValues(consumer.metrics(), "consumer-fetch-manager-metrics"))
                    .contains("org.apache.kafka.consumer.coordinator.rebalance.total");
            assertCounter(id, "org.apache.kafka.consumer.fetch.manager.records.consumed.total", RECORDS);
            assertCounter(
                    id,
                    "org.apache.kafka.consumer.fetch.manager.bytes.consumed.total",
                    value(consumer.metrics(), "consumer-fetch-manager-metrics", "bytes-consumed-total"));
            assertGauge(
                    id,
                    "org.apache.kafka.consumer.coordinator.assigned.partitions",
                    value(consumer.metrics(), "consumer-coordinator-metrics", "assigned-partitions"));
        }
    }

    @Test
    void aPushCarriesWhatTheBrokerKnowsOfItsClient() {
        try (KafkaProducer<String, String> producer = broker.producer("labels-producer")) {
            producer.send(new ProducerRecord<>("labels", "value"));
            Uuid id = producer.clientInstanceId(ID_TIMEOUT);

            ReceivedPoint point = broker.awaitPoint(id, "org.apache.kafka.producer.record.send.total");

            assertThat(point.resource())
                    .containsEntry("client_instance_id", id.toString())
                    .containsEntry("client_id", "labels-producer")
                    .containsEntry("client_software_name", "apache-kafka-java")
                    .containsEntry("client_software_version", "4.4.0")
                    .containsEntry("client_source_address", "127.0.0.1")
                    .containsEntry("principal", "User:ANONYMOUS")
                    .containsEntry("broker_id", "1")
                    .containsEntry("service.name", "labels-producer")
                    .containsEntry("service.instance.id", id.toString());
        }
    }

    @Test
    void aClientThatLiesIsLabelledByTheBrokerAlone() throws Exception {
        try (RawClient liar = new RawClient(broker.cluster().bootstrapServers(), "liar")) {
            liar.subscribe();

            assertThat(liar.push(Lies.payload())).isEqualTo(Errors.NONE);

            String id = liar.clientInstanceId().toString();
            ReceivedPoint point = broker.awaitPoint(liar.clientInstanceId(), Lies.METRIC);
            assertThat(point.resource())
                    .containsEntry("client_instance_id", id)
                    .containsEntry("client_id", "liar")
                    .containsEntry("client_software_name", RawClient.SOFTWARE)
                    .containsEntry("principal", "User:ANONYMOUS")
                    .containsEntry("broker_id", "1")
                    .containsEntry("service.name", "liar")
                    .containsEntry("service.instance.id", id)
                    .containsEntry("resource.honest", "true");
            assertThat(point.attributes()).isEqualTo(Map.of("point.honest", "true"));
            assertThat(broker.requests().stream()
                            .flatMap(request -> request.message().getResourceMetricsList().stream())
                            .filter(resource -> resource.toString().contains(id))
                            .map(Object::toString))
                    .isNotEmpty()
                    .noneMatch(text -> text.contains(Lies.LIE))
                    .allMatch(text -> text.contains("scope.honest"));
        }
    }

    @Test
    void compressedBytesThatAreSaidToBePlainAreRefused() throws Exception {
        try (RawClient client = new RawClient(broker.cluster().bootstrapServers(), "not-as-said")) {
            client.subscribe();

            assertThat(client.push(RawClient.gzip(Lies.payload()))).isEqualTo(Errors.INVALID_RECORD);
        }
    }

    @Test
    void aMalformedPushIsRefusedAndAGoodClientGoesOn() throws Exception {
        try (KafkaProducer<String, String> good = broker.producer("good");
                RawClient bad = new RawClient(broker.cluster().bootstrapServers(), "bad\u001b[2J")) {
            Uuid id = good.clientInstanceId(ID_TIMEOUT);
            broker.awaitNextPush(id);
            bad.subscribe();

            Errors answer = bad.push("this is no OTLP".getBytes(StandardCharsets.UTF_8));

            assertThat(answer).isEqualTo(Errors.INVALID_RECORD);
            broker.awaitNextPush(id);
            broker.awaitNextPush(id);
            List<String> logged = broker.node()
                    .log()
                    .lines()
                    .dropWhile(line -> !line.contains(bad.clientInstanceId().toString()))
                    .limit(3)
                    .toList();
            assertThat(logged).isNotEmpty();
            assertThat(logged.subList(1, logged.size()))
                    .as("no stack trace in the broker's log")
                    .noneMatch(line -> line.strip().startsWith("at "));
        }
    }

    @Test
    void anEmptyAndALastPushAreTaken() throws Exception {
        try (RawClient client = new RawClient(broker.cluster().bootstrapServers(), "brief")) {
            client.subscribe();

            assertThat(client.push(new byte[0])).isEqualTo(Errors.NONE);
            assertThat(client.push(Lies.payload(), (byte) 0, true)).isEqualTo(Errors.NONE);

            broker.awaitPoint(client.clientInstanceId(), Lies.METRIC);
        }
    }

    @Test
    void theOperatorSeesOnceThatThePluginStartedAndThatPushesArrive() {
        try (KafkaProducer<String, String> producer = broker.producer("first")) {
            broker.awaitNextPush(producer.clientInstanceId(ID_TIMEOUT));
        }

        assertThat(broker.node().log().lines().filter(line -> line.contains("Kafka Client Telemetry")))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains(
                                broker.receiver().grpcEndpoint().toString(), "grpc", "client_instance_id, client_id"));
        assertThat(broker.node().log().lines().filter(line -> line.contains("first push of client metrics")))
                .hasSize(1);
        assertThat(broker.node().standardError()).doesNotContain("telemetry", "OpenTelemetry", "okhttp");
    }

    /** Waits for a push that was made after everything that was done so far. */
    private void awaitWholePush(Uuid id) {
        broker.awaitNextPush(id);
        broker.awaitNextPush(id);
    }

    private Set<String> names(Uuid id) {
        return broker.points(id).stream().map(ReceivedPoint::name).collect(Collectors.toSet());
    }

    /** What KIP-714 calls those of a client's metrics that have a value. */
    private static List<String> namesWithValues(Map<MetricName, ? extends Metric> metrics, String group) {
        return metrics.values().stream()
                .filter(metric -> metric.metricName().group().equals(group))
                .filter(metric -> metric.metricValue() instanceof Number number
                        && !Double.isNaN(number.doubleValue())
                        && !(number.doubleValue() == 0))
                .map(metric -> ("org.apache.kafka." + group.replace("-metrics", "") + "."
                                + metric.metricName().name())
                        .replace('-', '.'))
                .toList();
    }

    private void assertCounter(Uuid id, String name, double expected) {
        ReceivedPoint latest = latest(id, name);
        assertThat(latest.temporality()).isEqualTo(AGGREGATION_TEMPORALITY_CUMULATIVE);
        assertThat(latest.monotonic()).isTrue();
        assertThat(latest.startTimeUnixNano()).isPositive();
        assertThat(latest.value()).isEqualTo(expected);
    }

    private void assertGauge(Uuid id, String name, double expected) {
        ReceivedPoint latest = latest(id, name);
        assertThat(latest.temporality()).isNull();
        assertThat(latest.value()).isEqualTo(expected);
    }

    private ReceivedPoint latest(Uuid id, String name) {
        return broker.points(id).stream()
                .filter(point -> point.name().equals(name))
                .max(Comparator.comparingLong(ReceivedPoint::timeUnixNano))
                .orElseThrow(() -> new AssertionError("no " + name + " among " + names(id)));
    }

    private static double value(Map<MetricName, ? extends Metric> metrics, String group, String name) {
        return metrics.values().stream()
                .filter(metric -> metric.metricName().group().equals(group)
                        && metric.metricName().name().equals(name)
                        && metric.metricName().tags().keySet().equals(Set.of("client-id")))
                .mapToDouble(metric -> ((Number) metric.metricValue()).doubleValue())
                .findFirst()
                .orElseThrow();
    }
}
