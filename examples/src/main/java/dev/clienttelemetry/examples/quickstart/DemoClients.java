/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A producer that sends 100 records a second and a consumer that reads them: ordinary clients with nothing set that has
 * to do with telemetry.
 */
final class DemoClients implements AutoCloseable {
    static final String PRODUCER = "demo-producer";
    static final String CONSUMER = "demo-consumer";
    private static final String TOPIC = "demo";
    private static final int TOPIC_TIMEOUT_SECONDS = 30;
    private static final int PERIOD_MILLIS = 100;
    private static final int RECORDS_PER_PERIOD = 10;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final KafkaProducer<String, String> producer;
    private final KafkaConsumer<String, String> consumer;
    private final ScheduledExecutorService sending;
    private final Thread reading;

    private DemoClients(KafkaProducer<String, String> producer, KafkaConsumer<String, String> consumer) {
        this.producer = producer;
        this.consumer = consumer;
        this.sending = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, PRODUCER));
        this.reading = daemon(this::read, CONSUMER);
    }

    /** Creates the topic that they need. */
    static void createTopic(Admin admin) throws InterruptedException, ExecutionException, TimeoutException {
        admin.createTopics(List.of(new NewTopic(TOPIC, 3, (short) 1)))
                .all()
                .get(TOPIC_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** Starts both; {@linkplain #createTopic the topic} must exist. */
    static DemoClients start(String bootstrapServers) {
        KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "client.id", PRODUCER),
                new StringSerializer(),
                new StringSerializer());
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "client.id",
                        CONSUMER,
                        "group.id",
                        "demo",
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer());
        DemoClients clients = new DemoClients(producer, consumer);
        clients.reading.start();
        clients.sending.scheduleAtFixedRate(clients::send, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        return clients;
    }

    /** Stops both; each sends its last push. */
    @Override
    public void close() {
        sending.shutdownNow();
        consumer.wakeup();
        try {
            sending.awaitTermination(CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            reading.join(CLOSE_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close(CLOSE_TIMEOUT);
    }

    private void send() {
        for (int i = 0; i < RECORDS_PER_PERIOD; i++) {
            producer.send(new ProducerRecord<>(TOPIC, "key-" + i, "a record of the quickstart"));
        }
    }

    private void read() {
        try (consumer) {
            consumer.subscribe(List.of(TOPIC));
            while (!sending.isShutdown()) {
                consumer.poll(Duration.ofMillis(PERIOD_MILLIS));
            }
        } catch (WakeupException e) {
            // That is how close() gets here out of poll.
            return;
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
