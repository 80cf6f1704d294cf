/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.FreePorts;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backend that is away for a while loses nothing of what was counted meanwhile. */
class ReceiverOutageIT {

    @Test
    void afterAnOutageTheTotalsAreTheSumsOfWhatWasPushed(@TempDir Path directory) throws Exception {
        RecordedPushes recorded = new RecordedPushes(directory);
        Queue<ReceivedRequest> after = new ConcurrentLinkedQueue<>();
        // Not of the system's choice: while nobody listens there, that could give it to a connection of anybody's.
        int port = FreePorts.next();
        try (BrokerWithPlugin broker =
                recorded.broker().receiver(receiver -> receiver.grpcPort(port)).start()) {
            Workload workload = new Workload(broker);
            Uuid producer;
            Uuid consumer;
            double sent;
            double consumed;
            try (workload) {
                workload.exchange(100);
                producer = workload.producerId();
                consumer = workload.consumerId();
                recorded.awaitMore(workload, producer, consumer, 2, BrokerWithPlugin.ARRIVAL);
                await().atMost(BrokerWithPlugin.ARRIVAL)
                        .until(() -> !broker.points(consumer).isEmpty());

                broker.receiver().close();
                int before = broker.requests().size();
                workload.exchange(250);
                recorded.awaitMore(workload, producer, consumer, 4, BrokerWithPlugin.ARRIVAL);
                assertThat(broker.requests())
                        .as("nothing arrives during the outage")
                        .hasSize(before);

                try (OtlpReceiver back = receiverAt(port, after)) {
                    assertThat(back.grpcPort()).isEqualTo(port);
                    workload.exchange(50);
                    recorded.awaitMore(workload, producer, consumer, 2, BrokerWithPlugin.ARRIVAL);
                    sent = workload.producerTotal("producer-metrics", "record-send-total");
                    consumed = workload.consumerTotal("consumer-fetch-manager-metrics", "records-consumed-total");
                    workload.close();
                    List<ReceivedRequest> all = new ArrayList<>();
                    await().atMost(BrokerWithPlugin.ARRIVAL).untilAsserted(() -> {
                        all.clear();
                        all.addAll(broker.requests());
                        all.addAll(after);
                        assertTotals(recorded.sums(), ReceivedCounters.of(all));
                    });
                }
            }
            Map<RecordedPushes.Counter, Double> sums = recorded.sums();
            assertThat(sums.get(new RecordedPushes.Counter(
                            producer, "org.apache.kafka.producer.record.send.total", Map.of())))
                    .as("what the producer counted")
                    .isEqualTo(sent)
                    .isEqualTo(400);
            assertThat(sums.entrySet().stream()
                            .filter(sum -> sum.getKey().clientInstanceId().equals(consumer)
                                    && sum.getKey()
                                            .name()
                                            .equals("org.apache.kafka.consumer.fetch.manager.records.consumed.total")
                                    && !sum.getKey().attributes().containsKey("topic"))
                            .mapToDouble(Map.Entry::getValue)
                            .sum())
                    .as("what the consumer counted")
                    .isEqualTo(consumed)
                    .isEqualTo(400);
        }
    }

    private static OtlpReceiver receiverAt(int port, Queue<ReceivedRequest> requests) throws IOException {
        return OtlpReceiver.builder().grpcPort(port).listener(requests::add).start();
    }

    private static void assertTotals(
            Map<RecordedPushes.Counter, Double> sums, Map<RecordedPushes.Counter, List<ReceivedPoint>> received) {
        assertThat(received.keySet()).isEqualTo(sums.keySet());
        sums.forEach((counter, sum) -> {
            List<ReceivedPoint> points = received.get(counter);
            assertThat(points.stream().map(ReceivedPoint::startTimeUnixNano).distinct())
                    .as("one sequence of %s", counter)
                    .hasSize(1);
            assertThat(points.get(points.size() - 1).value())
                    .as("%s", counter)
                    .isCloseTo(sum, within(Math.max(1, sum) * 1e-9));
        });
    }
}
