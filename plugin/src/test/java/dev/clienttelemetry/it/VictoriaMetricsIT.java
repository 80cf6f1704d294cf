/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a backend that nobody here wrote makes of it. Needs Debian's {@code victoria-metrics} 1.112 or later: on the path,
 * or named by the environment variable VICTORIA_METRICS ({@code src/build/fetch-victoriametrics.sh} fetches it).
 */
class VictoriaMetricsIT {
    /** Long enough for the broker to stop and start between two pushes of each client. */
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private static final Duration LONGEST_STOP = Duration.ofSeconds(4);

    @Test
    void increasesAreWhatTheClientsPushedAlsoAcrossARestartOfTheBroker(@TempDir Path directory) throws Exception {
        Path binary = VictoriaMetrics.binary();
        assumeTrue(binary != null, "skipped: no victoria-metrics on the path and VICTORIA_METRICS names none");
        RecordedPushes recorded = new RecordedPushes(directory);
        try (VictoriaMetrics backend = VictoriaMetrics.start(binary, directory);
                BrokerWithPlugin broker = recorded.broker()
                        .interval(INTERVAL)
                        .protocol("http/protobuf")
                        .property("otel.exporter.otlp.endpoint", backend.otlpEndpoint())
                        .start()) {
            Workload workload = new Workload(broker);
            Uuid producer;
            Uuid consumer;
            double sent;
            double consumed;
            try (workload) {
                workload.exchange(100);
                producer = workload.producerId();
                consumer = workload.consumerId();
                recorded.awaitMore(workload, producer, consumer, 2, INTERVAL.multipliedBy(8));
                // A client whose push the broker's end cuts off would be silent for five minutes.
                awaitMomentBetweenPushes(workload, recorded, producer, consumer);
                broker.node().restart();
                workload.exchange(50);
                recorded.awaitMore(workload, producer, consumer, 2, INTERVAL.multipliedBy(8));
                sent = workload.producerTotal("producer-metrics", "record-send-total");
                consumed = workload.consumerTotal("consumer-fetch-manager-metrics", "records-consumed-total");
            }

            // Stopping it makes the plugin send what it has.
            broker.node().stop();
            Map<RecordedPushes.Counter, Double> sums = recorded.sums();
            assertThat(sums.keySet().stream().map(RecordedPushes.Counter::clientInstanceId))
                    .contains(producer, consumer);
            Set<Uuid> clients = Set.of(producer, consumer);
            awaitLastPoints(backend, recorded, clients);
            for (String function : new String[] {"increase", "increase_prometheus"}) {
                assertIncreases(backend, function, recorded, clients);
            }
            assertThat(backend.log()).doesNotContain("unsupported delta temporality");
            assertThat(sum(sums, producer, "org.apache.kafka.producer.record.send.total"))
                    .isEqualTo(sent)
                    .isEqualTo(150);
            assertThat(sum(sums, consumer, "org.apache.kafka.consumer.fetch.manager.records.consumed.total"))
                    .isEqualTo(consumed)
                    .isEqualTo(150);
        }
    }

    /** A backend answers a request before its points can be found, so a query soon after may miss the newest. */
    private static void awaitLastPoints(VictoriaMetrics backend, RecordedPushes recorded, Set<Uuid> clients) {
        Map<RecordedPushes.Counter, Long> pushed = recorded.lastTimes();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            Map<RecordedPushes.Counter, Long> found = new HashMap<>();
            counters(backend, "tlast_over_time", clients)
                    .forEach((counter, seconds) -> found.put(counter, Math.round(seconds * 1_000)));
            assertThat(found).containsAllEntriesOf(pushed);
        });
    }

    private static void assertIncreases(
            VictoriaMetrics backend, String function, RecordedPushes recorded, Set<Uuid> clients) throws Exception {
        Map<RecordedPushes.Counter, Double> increases = counters(backend, function, clients);
        recorded.sums().forEach((counter, sum) -> {
            assertThat(increases).as("%s of", function).containsKey(counter);
            assertThat(increases.get(counter))
                    .as(() -> function + " of " + counter + "; pushed: " + recorded.deltas(counter)
                            + "; in the backend: " + samples(backend, counter))
                    .isCloseTo(sum, within(Math.max(1, Math.abs(sum)) * 1e-9));
        });
    }

    /** Returns what a function over the last hour makes of each series of some clients, without our labels. */
    private static Map<RecordedPushes.Counter, Double> counters(
            VictoriaMetrics backend, String function, Set<Uuid> clients) throws IOException, InterruptedException {
        Map<RecordedPushes.Counter, Double> found = new HashMap<>();
        for (Uuid id : clients) {
            backend.query(function + "({client_instance_id=\"" + id + "\"}[1h]) keep_metric_names")
                    .forEach((labels, value) -> {
                        Map<String, String> attributes = new TreeMap<>(labels);
                        String name = attributes.remove("__name__");
                        // VictoriaMetrics gives service.name's value to a label "job" of its own, where it knows none.
                        assertThat(attributes.keySet()).containsAll(ReceivedCounters.LABELS);
                        attributes.keySet().removeAll(ReceivedCounters.LABELS);
                        attributes.keySet().removeAll(Set.of("job", "instance"));
                        found.put(new RecordedPushes.Counter(id, name, attributes), value);
                    });
        }
        return found;
    }

    /** Returns what the backend holds of a counter, to see in a failed run which point is missing. */
    private static String samples(VictoriaMetrics backend, RecordedPushes.Counter counter) {
        try {
            return backend.export(
                    "{__name__=\"" + counter.name() + "\",client_instance_id=\"" + counter.clientInstanceId() + "\"}");
        } catch (IOException | InterruptedException e) {
            return e.toString();
        }
    }

    private static double sum(Map<RecordedPushes.Counter, Double> sums, Uuid client, String name) {
        return sums.entrySet().stream()
                .filter(sum -> sum.getKey().clientInstanceId().equals(client)
                        && sum.getKey().name().equals(name)
                        && !sum.getKey().attributes().containsKey("topic"))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    private static void awaitMomentBetweenPushes(
            Workload workload, RecordedPushes recorded, Uuid producer, Uuid consumer) {
        PushPhase first = new PushPhase(recorded, producer);
        PushPhase second = new PushPhase(recorded, consumer);
        await().pollInterval(Duration.ofMillis(10))
                .atMost(INTERVAL.multipliedBy(10))
                .until(() -> {
                    workload.poll();
                    boolean far = first.isFarFromNext();
                    return second.isFarFromNext() && far;
                });
    }

    /** Where a client is between two pushes. */
    private static final class PushPhase {
        private final RecordedPushes recorded;
        private final Uuid client;
        private final long atStart;
        private long seen;
        private long seenNanos;

        PushPhase(RecordedPushes recorded, Uuid client) {
            this.recorded = recorded;
            this.client = client;
            this.atStart = recorded.count(client);
            this.seen = atStart;
        }

        boolean isFarFromNext() {
            long now = System.nanoTime();
            long count = recorded.count(client);
            if (count != seen) {
                seen = count;
                seenNanos = now;
            }
            // The answer to the push is long there, and the next push comes after the broker is gone.
            long passed = now - seenNanos;
            return seen != atStart
                    && passed > Duration.ofMillis(500).toNanos()
                    && passed < INTERVAL.minus(LONGEST_STOP).toNanos();
        }
    }
}
