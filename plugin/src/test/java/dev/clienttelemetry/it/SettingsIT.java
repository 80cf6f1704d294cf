/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.broker.KafkaNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wrong setting stops a real broker, and its log says why. All settings are tested without a broker elsewhere. */
class SettingsIT {
    private static final String REPORTERS = "org.apache.kafka.common.metrics.JmxReporter," + BrokerWithPlugin.REPORTER;

    private static KafkaCluster cluster;
    private static Map<String, String> rightProperties;

    @BeforeAll
    static void layOut() throws IOException {
        cluster = KafkaCluster.builder(KafkaDistribution.of("4.4.0"))
                .jars(BrokerWithPlugin.pluginJar())
                .property("metric.reporters", REPORTERS)
                .property("otel.exporter.otlp.endpoint", "http://localhost:4317")
                .build();
        rightProperties = new HashMap<>(cluster.node(1).properties());
    }

    @AfterAll
    static void remove() {
        cluster.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client.telemetry.batch.linger | 5 | Unknown configuration client.telemetry.batch.linger: the nearest known key is client.telemetry.batch.linger.ms
            otel.exporter.otlp.endpoint | collector:4317 | otel.exporter.otlp.endpoint
            metric.reporters | dev.clienttelemetry.reporter.ClientTelemetryReporter,dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter | must name this plugin once
            """)
    void aWrongSettingStopsTheBrokersStartAndIsNamed(String key, String value, String message) {
        KafkaNode node = cluster.node(1);
        node.properties().clear();
        node.properties().putAll(rightProperties);
        node.properties().put(key, value);

        assertThatThrownBy(node::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ended with exit code")
                .hasMessageContaining("ConfigException")
                .satisfies(failure -> assertThat(failure.getMessage().lines().findFirst())
                        .hasValueSatisfying(first -> assertThat(first).contains(" instead of starting: ", message)));
    }

    /** What only the Admin client would find, which is made when the broker has long started. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            bootstrap.servers | localhost | Invalid value localhost for configuration client.telemetry.admin.bootstrap.servers: must be host:port
            request.timeout.ms | abc | Invalid value abc for configuration client.telemetry.admin.request.timeout.ms: must be a whole number
            security.protocol | SASL | Invalid value SASL for configuration client.telemetry.admin.security.protocol: must be one of PLAINTEXT
            """)
    void aWrongSettingOfTheAdminClientDoesToo(String key, String value, String message) {
        rightProperties.put("config.providers", "telemetry");
        rightProperties.put(
                "config.providers.telemetry.class", "dev.clienttelemetry.subscription.ClientMetricsConfigProvider");
        rightProperties.put("client.telemetry.subscriptions.provider", "telemetry");
        rightProperties.put("client.telemetry.subscriptions.path", "client-metrics.yaml");

        aWrongSettingStopsTheBrokersStartAndIsNamed("client.telemetry.admin." + key, value, message);
    }
}
