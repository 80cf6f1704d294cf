/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.export.ExportBuffer;
import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.otlp.ConvertedPush;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ConversionWorkerTest {
    private static final Client CLIENT = new Client("app", "java", "4.4.0", null, null, null, null, null);

    private final AtomicLong nanos = new AtomicLong();
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final ExportBuffer<ReceivedPush> buffer = new ExportBuffer<>(8 * 1024 * 1024, metrics);
    private final ClientInstances instances = new ClientInstances(10, nanos::get, metrics);
    private final Recorded conversion = new Recorded();
    private final ConversionWorker worker = new ConversionWorker(
            buffer,
            instances,
            conversion,
            new FirstPush(LoggerFactory.getLogger(ConversionWorkerTest.class), nanos::get, metrics),
            nanos::get);

    @AfterEach
    void stop() {
        conversion.proceed.countDown();
        worker.finish(Duration.ofSeconds(5));
    }

    @Test
    void pushesAreConvertedInTheirOrder() {
        worker.start();

        offer(1, "a", false);
        offer(2, "b", false);
        offer(1, "c", false);

        await().untilAsserted(() ->
                assertThat(conversion.calls).containsExactly("convert 1 a", "convert 2 b", "convert 1 c"));
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("client-telemetry-worker"))
                .as("the broker ends without it")
                .isNotEmpty()
                .allMatch(Thread::isDaemon);
    }

    @Test
    void aTerminatingPushIsConvertedBeforeItsInstancesStateIsDropped() {
        worker.start();

        offer(1, "last", true);

        await().untilAsserted(() -> assertThat(conversion.calls).containsExactly("convert 1 last", "forget 1"));
    }

    @Test
    void theStateOfAnInstanceThatExpiresIsDropped() {
        worker.start();
        instances.pushed(0, 7, CLIENT, 1000, false);

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(59));
        offer(1, "a", false);
        await().untilAsserted(() -> assertThat(conversion.calls).containsExactly("convert 1 a"));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));

        await().untilAsserted(() -> assertThat(conversion.calls).containsExactly("convert 1 a", "forget 7"));
    }

    @Test
    void theStateOfAnInstanceWhoseLastPushIsNeverConvertedIsDropped() {
        worker.start();

        worker.endedWithoutConversion(instances.pushed(0, 5, CLIENT, 0, true));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));

        await().untilAsserted(() -> assertThat(conversion.calls).containsExactly("forget 5"));
    }

    @Test
    void whateverAPushDoesToTheWorkerTheNextOneIsConverted() {
        worker.start();

        offer(1, "exception", false);
        offer(2, "out of memory", false);
        offer(3, "stack overflow", false);
        offer(4, "fine", false);

        await().untilAsserted(() -> assertThat(conversion.calls)
                .containsExactly(
                        "convert 1 exception",
                        "forget 1",
                        "convert 2 out of memory",
                        "forget 2",
                        "convert 3 stack overflow",
                        "forget 3",
                        "convert 4 fine"));
        await().untilAsserted(() -> assertThat(buffer.pushes()).isEqualTo(1));
        assertThat(metrics.pushesDropped().total(PushDropReason.INTERNAL_ERROR)).isEqualTo(3);
        assertThat(metrics.pushesEmpty().total()).isZero();
    }

    @Test
    void theWorkerOutlivesAFailureWhileStateIsDropped() {
        worker.start();

        conversion.forgetFails = true;
        offer(1, "exception", false);
        offer(2, "last", true);
        worker.endedWithoutConversion(instances.pushed(0, 5, CLIENT, 0, true));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        await().until(() -> conversion.calls.contains("forget 5"));
        offer(3, "fine", false);

        await().until(() -> conversion.calls.contains("convert 3 fine"));
    }

    @Test
    void whatWaitsIsConvertedBeforeTheWorkerFinishes() {
        for (int i = 0; i < 100; i++) {
            offer(1, "push", false);
        }
        worker.start();

        assertThat(worker.finish(Duration.ofSeconds(10))).isTrue();

        assertThat(conversion.calls).hasSize(100);
        assertThat(threads()).isEmpty();
    }

    @Test
    void aConversionThatHangsDoesNotKeepTheWorkerFromBeingStopped() {
        worker.start();
        offer(1, "hang", false);
        await().until(() -> conversion.calls.contains("convert 1 hang"));

        assertThat(worker.finish(Duration.ofMillis(50))).isFalse();

        await().untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    private void offer(long id, String text, boolean terminating) {
        ClientInstance instance = instances.pushed(0, id, CLIENT, 1000, terminating);
        assertThat(buffer.offer(new ReceivedPush(instance, CLIENT, text.getBytes(), terminating, nanos.get())))
                .isTrue();
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter("client-telemetry-worker"::equals)
                .toList();
    }

    private static final class Recorded implements Conversion {
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private final CountDownLatch proceed = new CountDownLatch(1);
        private volatile boolean forgetFails;

        @Override
        public ConvertedPush convert(ClientInstance instance, Client client, byte[] payload, long receivedNanos) {
            String text = new String(payload);
            calls.add("convert " + instance.idLeastSignificantBits() + " " + text);
            switch (text) {
                case "exception" -> throw new IllegalStateException("a bug");
                case "out of memory" -> throw new OutOfMemoryError("a bug");
                case "stack overflow" -> throw new StackOverflowError("a bug");
                case "hang" -> {
                    try {
                        proceed.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                default -> {}
            }
            return new ConvertedPush(new byte[0], payload, 0, 1);
        }

        @Override
        public void forget(ClientInstance instance) {
            calls.add("forget " + instance.idLeastSignificantBits());
            if (forgetFails) {
                throw new IllegalStateException("a bug");
            }
        }
    }
}
