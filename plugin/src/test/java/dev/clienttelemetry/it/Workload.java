/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.Uuid;

/** A producer and a consumer of one topic that push metrics. For one thread, which has to let the consumer poll. */
final class Workload implements AutoCloseable {
    private static final String TOPIC = "orders";

    private final KafkaProducer<String, String> producer;
    private final KafkaConsumer<String, String> consumer;
    private long sent;
    private long received;

    Workload(BrokerWithPlugin broker) {
        producer = broker.producer("workload-producer", Map.of("linger.ms", 0));
        consumer = broker.consumer("workload-consumer");
        consumer.subscribe(List.of(TOPIC));
    }

    Uuid producerId() {
        return producer.clientInstanceId(BrokerWithPlugin.ARRIVAL);
    }

    /** Lets the consumer poll until it knows its id. */
    Uuid consumerId() {
        Uuid[] id = new Uuid[1];
        await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> {
            poll();
            id[0] = consumer.clientInstanceId(Duration.ofMillis(100));
            return id[0] != null;
        });
        return id[0];
    }

    /** Sends records and reads them back. */
    void exchange(int records) {
        IntStream.range(0, records).forEach(i -> producer.send(new ProducerRecord<>(TOPIC, "key-" + i, "value-" + i)));
        producer.flush();
        sent += records;
        long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
        while (received < sent) {
            assertThat(System.nanoTime()).as("the records arrive in time").isLessThan(deadline);
            poll();
        }
    }

    /** Lets the consumer do what it does between records, its pushes among them. */
    void poll() {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
            assertThat(record.topic()).isEqualTo(TOPIC);
            received++;
        }
    }

    double producerTotal(String group, String name) {
        return total(producer.metrics(), group, name);
    }

    double consumerTotal(String group, String name) {
        return total(consumer.metrics(), group, name);
    }

    private static double total(Map<MetricName, ? extends Metric> metrics, String group, String name) {
        return metrics.entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(group)
                        && entry.getKey().name().equals(name)
                        && !entry.getKey().tags().containsKey("topic")
                        && !entry.getKey().tags().containsKey("node-id"))
                .mapToDouble(entry -> (double) entry.getValue().metricValue())
                .findAny()
                .orElseThrow();
    }

    /** Ends both clients, each with its terminating push. */
    @Override
    public void close() {
        producer.close(Duration.ofSeconds(30));
        consumer.close();
    }
}
