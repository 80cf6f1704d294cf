/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static io.opentelemetry.proto.metrics.v1.AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import java.time.Duration;
import java.util.Arrays;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Kafka 3.7, the first that has client telemetry: it hands pushes over as the client compressed them. */
class OldBrokerIT {
    private static final byte GZIP = 1;

    @Test
    void newClientsPushThroughKafka37() throws Exception {
        try (BrokerWithPlugin broker = BrokerWithPlugin.builder()
                .version("3.7.2")
                .property("client.telemetry.labels", "client_id,client_source_port,broker_id,cluster_id")
                .property("telemetry.max.bytes", "100000")
                .property("otel.metric.export.interval", "500")
                .start()) {
            try (KafkaProducer<String, String> producer = broker.producer("new-client")) {
                for (int i = 0; i < 42; i++) {
                    producer.send(new ProducerRecord<>("old", "value"));
                }
                producer.flush();
                Uuid id = producer.clientInstanceId(Duration.ofSeconds(30));

                ReceivedPoint point = broker.awaitPoint(
                        candidate -> candidate.name().equals("org.apache.kafka.producer.record.send.total")
                                && candidate.value() == 42);

                assertThat(point.temporality()).isEqualTo(AGGREGATION_TEMPORALITY_CUMULATIVE);
                assertThat(point.resource())
                        .containsEntry("service.instance.id", id.toString())
                        .containsEntry("service.name", "new-client")
                        .containsEntry("client_id", "new-client")
                        .containsEntry("broker_id", "1")
                        .containsEntry("cluster_id", broker.clusterId())
                        .as("3.7 does not tell the port")
                        .doesNotContainKey("client_source_port");
            }
            assertThat(broker.node().log().lines().filter(line -> line.contains("Kafka Client Telemetry ")))
                    .hasSize(1);
            byte[] tooLarge = RawClient.gzip(new byte[100_001]);
            assertThat(pushOnce(broker, tooLarge, GZIP)).isEqualTo(Errors.NONE);
            assertThat(pushOnce(broker, Arrays.copyOf(RawClient.gzip(Lies.payload()), 60), GZIP))
                    .isEqualTo(Errors.INVALID_RECORD);
            assertThat(pushOnce(broker, Lies.payload(), (byte) 0)).isEqualTo(Errors.NONE);
            broker.awaitPoint(point -> point.name().equals(Lies.METRIC));
            broker.awaitPoint(point -> point.name().equals("client_telemetry.push.dropped")
                    && "too_large".equals(point.attributes().get("error.type"))
                    && point.value() == 1);
            assertThat(broker.node().standardError()).doesNotContain("dev.clienttelemetry");
        }
    }

    private static Errors pushOnce(BrokerWithPlugin broker, byte[] payload, byte compressionType) throws Exception {
        try (RawClient client = new RawClient(broker.cluster().bootstrapServers(), "raw")) {
            client.subscribe();
            return client.push(payload, compressionType, false);
        }
    }
}
