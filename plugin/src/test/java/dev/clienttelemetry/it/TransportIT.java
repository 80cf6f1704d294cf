/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.examples.receiver.Certificates;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Everything that can be set about the way to the backend, for both protocols, and every label. */
class TransportIT {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"grpc, GRPC", "http/protobuf, HTTP_PROTOBUF"})
    void pushesGoOverMutualTlsWithHeadersCompressed(String protocol, Transport transport) throws Exception {
        Certificates certificates = new Certificates(directory);
        Certificates.Identity plugin = certificates.issue("plugin");
        try (BrokerWithPlugin broker = BrokerWithPlugin.builder()
                .protocol(protocol)
                .receiver(receiver -> receiver.tls(mutual(certificates)))
                .property(
                        "otel.exporter.otlp.certificate",
                        certificates.authorityPem().toString())
                .property(
                        "otel.exporter.otlp.client.certificate",
                        plugin.certificate().toString())
                .property("otel.exporter.otlp.client.key", plugin.key().toString())
                .property("otel.exporter.otlp.headers", "authorization=Bearer%20t0ken,x-tenant=kafka")
                .property("otel.exporter.otlp.compression", "gzip")
                .property(
                        "client.telemetry.labels",
                        "client_instance_id,client_id,client_software_name,client_software_version,"
                                + "client_source_address,client_source_port,principal,broker_id,listener_name,"
                                + "security_protocol,cluster_id")
                .property("client.telemetry.service.name", "principal")
                .cluster(cluster -> cluster.listener("CLIENTS", "SASL_PLAINTEXT")
                        .listener("PLAIN", "PLAINTEXT")
                        .property("sasl.enabled.mechanisms", "PLAIN")
                        .property("sasl.mechanism.inter.broker.protocol", "PLAIN")
                        .property(
                                "listener.name.clients.plain.sasl.jaas.config",
                                "org.apache.kafka.common.security.plain.PlainLoginModule required"
                                        + " username=\"broker\" password=\"b\" user_broker=\"b\" user_alice=\"a\";"))
                .interval(null)
                .start()) {
            Map<String, String> sasl = Map.of(
                    "security.protocol",
                    "SASL_PLAINTEXT",
                    "sasl.mechanism",
                    "PLAIN",
                    "sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" password=\"a\";");
            broker.subscribe(Duration.ofSeconds(1), "PLAIN");
            try (KafkaProducer<String, String> producer = broker.producer("secured", sasl)) {
                producer.send(new ProducerRecord<>("secured", "value"));
                Uuid id = producer.clientInstanceId(Duration.ofSeconds(30));

                ReceivedPoint point = broker.awaitPoint(id, "org.apache.kafka.producer.record.send.total");

                assertThat(point.resource())
                        .containsEntry("client_instance_id", id.toString())
                        .containsEntry("client_id", "secured")
                        .containsEntry("client_software_name", "apache-kafka-java")
                        .containsEntry("client_software_version", "4.4.0")
                        .containsEntry("client_source_address", "127.0.0.1")
                        .containsEntry("principal", "User:alice")
                        .containsEntry("broker_id", "1")
                        .containsEntry("listener_name", "CLIENTS")
                        .containsEntry("security_protocol", "SASL_PLAINTEXT")
                        .containsEntry("cluster_id", broker.clusterId())
                        .containsEntry("service.name", "User:alice")
                        .hasEntrySatisfying("client_source_port", port -> assertThat(Integer.parseInt(port))
                                .isBetween(1024, 65535));
                assertThat(broker.requests()).allSatisfy(request -> {
                    assertThat(request.transport()).isEqualTo(transport);
                    assertThat(request.headers())
                            .containsEntry("authorization", "Bearer t0ken")
                            .containsEntry("x-tenant", "kafka")
                            .containsEntry(transport == Transport.GRPC ? "grpc-encoding" : "content-encoding", "gzip");
                });
                assertThat(broker.node().log()).doesNotContain("t0ken");
            }
        }
    }

    private static dev.clienttelemetry.examples.receiver.ReceiverTls mutual(Certificates certificates) {
        try {
            return certificates.mutualTls();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
