/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A producer and a consumer of a topic, run as a process with the kafka-clients of a released Kafka. Writes one line of
 * what it did. Uses nothing but kafka-clients and the JDK.
 */
public final class Traffic {
    private static final int RECORD_BYTES = 200;

    private final AtomicBoolean producing = new AtomicBoolean(true);
    private final AtomicLong produced = new AtomicLong();
    private final AtomicLong produceErrors = new AtomicLong();
    private final AtomicLong consumed = new AtomicLong();
    private final AtomicLong consumeErrors = new AtomicLong();
    private long[] latencies = new long[1 << 20];

    private Traffic() {}

    /**
     * Runs.
     *
     * @param arguments bootstrap servers, topic, prefix of the client ids, milliseconds to produce for, microseconds
     *     between records
     */
    public static void main(String[] arguments) throws InterruptedException {
        new Traffic()
                .run(
                        arguments[0],
                        arguments[1],
                        arguments[2],
                        Long.parseLong(arguments[3]),
                        Long.parseLong(arguments[4]));
    }

    private void run(String bootstrap, String topic, String prefix, long millis, long pauseMicros)
            throws InterruptedException {
        Thread consumer = new Thread(() -> consume(bootstrap, topic, prefix), "consumer");
        consumer.start();
        produce(bootstrap, topic, prefix, millis, pauseMicros);
        producing.set(false);
        consumer.join();
        int count = (int) Math.min(produced.get(), latencies.length);
        latencies = Arrays.copyOf(latencies, count);
        Arrays.sort(latencies);
        System.out.println("traffic produced=" + produced + " produceErrors=" + produceErrors + " consumed=" + consumed
                + " consumeErrors=" + consumeErrors + " p50Micros=" + micros(0.5) + " p99Micros=" + micros(0.99));
    }

    private long micros(double quantile) {
        return latencies.length == 0 ? -1 : latencies[(int) (quantile * (latencies.length - 1))] / 1000;
    }

    private void produce(String bootstrap, String topic, String prefix, long millis, long pauseMicros) {
        Map<String, Object> config = common(bootstrap, prefix + "-producer");
        config.put("linger.ms", 0);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
            long next = System.nanoTime();
            while (System.nanoTime() - end < 0) {
                long start = System.nanoTime();
                producer.send(new ProducerRecord<>(topic, new byte[RECORD_BYTES]), (metadata, error) -> {
                    if (error == null) {
                        int index = (int) produced.getAndIncrement();
                        if (index < latencies.length) {
                            latencies[index] = System.nanoTime() - start;
                        }
                    } else {
                        error.printStackTrace();
                        produceErrors.incrementAndGet();
                    }
                });
                next += pauseMicros * 1000;
                LockSupport.parkNanos(next - System.nanoTime());
            }
        }
    }

    private void consume(String bootstrap, String topic, String prefix) {
        Map<String, Object> config = common(bootstrap, prefix + "-consumer");
        config.put("group.id", prefix + "-group");
        config.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            long quietUntil = Long.MAX_VALUE;
            while (System.nanoTime() < quietUntil) {
                try {
                    int polled = 0;
                    for (ConsumerRecord<byte[], byte[]> ignored : consumer.poll(Duration.ofMillis(100))) {
                        polled++;
                    }
                    consumed.addAndGet(polled);
                    boolean all = !producing.get() && consumed.get() >= produced.get();
                    if (all) {
                        return;
                    }
                    if (!producing.get() && quietUntil == Long.MAX_VALUE) {
                        quietUntil = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                    }
                } catch (RuntimeException e) {
                    e.printStackTrace();
                    consumeErrors.incrementAndGet();
                }
            }
        }
    }

    private static Map<String, Object> common(String bootstrap, String clientId) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("client.id", clientId);
        config.put("enable.metrics.push", true);
        return config;
    }
}
