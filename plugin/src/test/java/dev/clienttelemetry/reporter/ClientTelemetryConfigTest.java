/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.otlp.Label;
import dev.clienttelemetry.pipeline.PipelineSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientTelemetryConfigTest {
    private static final String EXPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReporter";
    private static final String RECEIVER = "dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter";
    private static final String JMX = "org.apache.kafka.common.metrics.JmxReporter";

    @Test
    void withoutSettingsTheDefaultsHold() {
        PipelineSettings settings = settings(Map.of());

        assertThat(settings)
                .isEqualTo(new PipelineSettings(
                        Set.of(
                                Label.CLIENT_INSTANCE_ID,
                                Label.CLIENT_ID,
                                Label.CLIENT_SOFTWARE_NAME,
                                Label.CLIENT_SOFTWARE_VERSION,
                                Label.CLIENT_SOURCE_ADDRESS,
                                Label.PRINCIPAL,
                                Label.BROKER_ID),
                        "client_id",
                        67_108_864,
                        2_097_152,
                        500,
                        900_000,
                        8,
                        16_384,
                        1_000_000,
                        5000,
                        true,
                        null,
                        Map.of()));
    }

    @Test
    void aBufferOfMoreThanHalfOfTheHeapIsRefusedButTheDefaultIsNot() {
        String key = "client.telemetry.buffer.max.bytes";
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of(key, String.valueOf(Long.MAX_VALUE))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("half of the heap");
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of(key, "10000000")).refuseMoreThanTheHeap(16_000_000))
                .hasMessageEndingWith("must be at most half of the heap, which is 16000000 bytes (-Xmx): 8000000");
        new ClientTelemetryConfig(Map.of(key, "8000000")).refuseMoreThanTheHeap(16_000_000);
        new ClientTelemetryConfig(Map.of()).refuseMoreThanTheHeap(16_000_000);
    }

    @Test
    void theLeastBufferNeedsNoOtherSetting() {
        Map<String, String> least = Map.of("client.telemetry.buffer.max.bytes", "1048576");

        assertThat(settings(least).batchMaxBytes()).isEqualTo(1_048_576);
        assertThat(settings(Map.of("client.telemetry.buffer.max.bytes", "2097153"))
                        .batchMaxBytes())
                .isEqualTo(2_097_152);
    }

    @Test
    void aRunningBrokersParsedTypesGiveTheSameAsTheStringsAtItsStart() {
        Map<String, Object> strings = Map.of(
                "client.telemetry.labels", "client_id, principal",
                "client.telemetry.buffer.max.bytes", "8388608",
                "client.telemetry.batch.linger.ms", "7",
                "client.telemetry.subscriptions.prune", "true",
                "otel.exporter.otlp.headers", "a=b",
                "telemetry.max.bytes", "2000000",
                "node.id", "4",
                "process.roles", "broker,controller",
                "metric.reporters", JMX + "," + EXPORTER);
        Map<String, Object> parsed = Map.of(
                "client.telemetry.labels",
                List.of("client_id", "principal"),
                "client.telemetry.buffer.max.bytes",
                8_388_608,
                "client.telemetry.batch.linger.ms",
                7L,
                "client.telemetry.subscriptions.prune",
                true,
                "otel.exporter.otlp.headers",
                new Password("a=b"),
                "telemetry.max.bytes",
                2_000_000,
                "node.id",
                4,
                "process.roles",
                List.of("broker", "controller"),
                "metric.reporters",
                List.of(JMX, EXPORTER));

        ClientTelemetryConfig atStart = new ClientTelemetryConfig(strings);
        ClientTelemetryConfig later = new ClientTelemetryConfig(parsed);

        assertThat(later.pipelineSettings()).isEqualTo(atStart.pipelineSettings());
        assertThat(later.pipelineSettings().otel()).isEqualTo(Map.of("otel.exporter.otlp.headers", "a=b"));
        for (ClientTelemetryConfig config : List.of(atStart, later)) {
            assertThat(config.telemetryMaxBytes()).isEqualTo(2_000_000);
            assertThat(config.nodeId()).isEqualTo("4");
            assertThat(config.isControllerOnly()).isFalse();
            assertThat(config.isJmxReporterMissing()).isFalse();
        }
    }

    @Test
    void nullCountsAsAbsent() {
        Map<String, Object> withNull = new HashMap<>();
        withNull.put("client.telemetry.batch.linger.ms", null);
        withNull.put("client.telemetry.labels", null);
        withNull.put("otel.exporter.otlp.endpoint", null);
        withNull.put("metric.reporters", null);
        withNull.put("process.roles", null);

        assertThat(settings(withNull)).isEqualTo(settings(Map.of()));
    }

    @Test
    void noLabelsIsAChoice() {
        assertThat(settings(Map.of("client.telemetry.labels", "")).labels()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client.telemetry.service.name            | clientid        | must be one of client_instance_id, client_id
            client.telemetry.service.name            | =               | or = and a literal
            client.telemetry.service.name            | ''              | must be one of client_instance_id, client_id
            client.telemetry.buffer.max.bytes        | 64m             | must be a whole number of at least 1048576 (bytes)
            client.telemetry.buffer.max.bytes        | 1048575         | must be a whole number of at least 1048576 (bytes)
            client.telemetry.batch.max.bytes         | 100             | must be a whole number from 1024 to 1073741824 (bytes)
            client.telemetry.batch.max.bytes         | 4294967296      | must be a whole number from 1024 to 1073741824 (bytes)
            client.telemetry.batch.linger.ms         | -1              | must be a whole number from 0 to 60000 (milliseconds)
            client.telemetry.batch.linger.ms         | 0.5             | must be a whole number from 0 to 60000 (milliseconds)
            client.telemetry.batch.max.age.ms        | 999             | must be a whole number of at least 1000 (milliseconds)
            client.telemetry.batch.max.age.ms        | 9999999999999999 | must be a whole number of at most 9223372036854 (milliseconds)
            client.telemetry.series.max              | 3000000000      | must be a whole number of at most 2147483647 (series)
            client.telemetry.buffer.max.bytes        | 9223372036854775808 | must be a whole number of at most 9223372036854775807 (bytes)
            client.telemetry.requests.in.flight.max  | 0               | must be a whole number from 1 to 1024 (requests)
            client.telemetry.instances.max           | 0               | must be a whole number of at least 1 (client instances)
            client.telemetry.series.max              | none            | must be a whole number of at least 1 (series)
            client.telemetry.series.max.per.instance | -5              | must be a whole number of at least 1 (series)
            client.telemetry.nan.gauges              | keep            | must be drop or pass
            client.telemetry.subscriptions.prune     | yes             | must be true or false
            client.telemetry.subscriptions.refresh.ms | 1              | must be a whole number of at least 100 (milliseconds)
            client.telemetry.subscriptions.provider  | git             | must be a name listed in config.providers, which is not set
            """)
    void aWrongValueIsNamedWithItsKeyAndWhatWouldBeRight(String key, String value, String right) {
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of(key, value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("Invalid value " + String.join(", ", value.split(",")))
                .hasMessageContaining(right);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client_id,principle  | Invalid value 'principle' for configuration client.telemetry.labels: is no label, the nearest is principal: must be a list of client_instance_id, client_id, client_software_name, client_software_version, client_source_address, principal, broker_id, client_source_port, listener_name, security_protocol, cluster_id
            client_id,clientid   | Invalid value 'clientid' for configuration client.telemetry.labels: is no label, the nearest is client_id: must be a list of client_instance_id
            client_id,frobnicate | Invalid value 'frobnicate' for configuration client.telemetry.labels: is no label: must be a list of client_instance_id
            client_id,,principal | Invalid value '' for configuration client.telemetry.labels: is no label: must be a list of client_instance_id
            """)
    void anUnknownLabelIsToldWithTheNearestKnownOne(String value, String message) {
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of("client.telemetry.labels", value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @CsvSource({
        "client.telemetry.batch.linger, client.telemetry.batch.linger.ms",
        "client.telemetry.label, client.telemetry.labels",
        "client.telemetry.service_name, client.telemetry.service.name",
        "client.telemetry.Labels, client.telemetry.labels",
        "Client.Telemetry.labels, client.telemetry.labels",
        "client-telemetry.labels, client.telemetry.labels",
        "client_telemetry_service_name, client.telemetry.service.name",
        "CLIENT.TELEMETRY.SUBSCRIPTIONS.PATH, client.telemetry.subscriptions.path",
        "Client.Telemetry.admin.client.id, client.telemetry.admin.client.id",
        "client.telemetry.admin., client.telemetry.admin.*",
        "client.telemetry.admin, client.telemetry.admin.*",
        "client.telemetry.amdin.security.protocol, client.telemetry.admin.security.protocol",
        "client.telemetry.subscription.path, client.telemetry.subscriptions.path",
    })
    void anUnknownKeyIsNamedWithTheNearestKnownOneAndNotWithItsValue(String key, String nearest) {
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of(key, "s3cret")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("Unknown configuration " + key + ": the nearest known key is " + nearest)
                .hasMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client.telemetry.frobnicate",
                "client.telemetry.queue.capacity.of.the.whole.broker",
                "client.telemetry.",
                "client.telemetry",
                "client-telemetry"
            })
    void anUnknownKeyThatIsNearNoneIsToldTheKnownOnes(String key) {
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of(key, "s3cret")))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("Unknown configuration " + key + ": no known key is near it; they are client.")
                .hasMessageContaining("client.telemetry.labels, client.telemetry.service.name, ")
                .hasMessageEndingWith(", client.telemetry.admin.*")
                .hasMessageNotContaining("otel.")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void settingsOfTheAdminClientWithoutAProviderAreRefusedWithoutTheirValues() {
        Map<String, String> admin = Map.of("client.telemetry.admin.sasl.jaas.config", "s3cret");
        assertThatThrownBy(() -> new ClientTelemetryConfig(admin))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client.telemetry.admin.sasl.jaas.config is set")
                .hasMessageContaining("client.telemetry.subscriptions.provider")
                .hasMessageNotContaining("s3cret");
        Map<String, String> withProvider = new HashMap<>(admin);
        withProvider.put("config.providers", "file");
        withProvider.put("client.telemetry.subscriptions.provider", "file");
        withProvider.put("client.telemetry.subscriptions.path", "subscriptions.yaml");
        new ClientTelemetryConfig(withProvider);
    }

    @Test
    void keysOfOthersAreNotLookedAt() {
        new ClientTelemetryConfig(Map.of(
                "client.telemetryx", "1",
                "log.retention.ms", "-1",
                "client.quota.callback.class", "y"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                EXPORTER + "," + RECEIVER,
                RECEIVER + ", " + JMX + " ," + RECEIVER,
                JMX + "," + EXPORTER + "," + EXPORTER
            })
    void metricReportersMayNameThePluginOnce(String reporters) {
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of("metric.reporters", reporters)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("metric.reporters")
                .hasMessageContaining("must name this plugin once")
                .hasMessageContaining(EXPORTER + " on Kafka 4.2 and later");
        assertThatThrownBy(
                        () -> new ClientTelemetryConfig(Map.of("metric.reporters", List.of(reporters.split(" *, *")))))
                .isInstanceOf(ConfigException.class);
    }

    @Test
    void aBatchFitsIntoTheBuffer() {
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of(
                        "client.telemetry.buffer.max.bytes", "1048576",
                        "client.telemetry.batch.max.bytes", "1048577")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Invalid value 1048577 for configuration client.telemetry.batch.max.bytes")
                .hasMessageContaining("must be at most client.telemetry.buffer.max.bytes, which is 1048576");
    }

    @Test
    void subscriptionsNeedAProviderAndAPath() {
        Map<String, String> provider =
                Map.of("config.providers", "file,git", "client.telemetry.subscriptions.provider", "git");
        Map<String, String> both = new HashMap<>(provider);
        both.put("client.telemetry.subscriptions.path", "/etc/kafka/client-metrics.yaml");
        Map<String, String> other = new HashMap<>(both);
        other.put("client.telemetry.subscriptions.provider", "gti");

        new ClientTelemetryConfig(both);
        assertThatThrownBy(() -> new ClientTelemetryConfig(provider))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client.telemetry.subscriptions.path")
                .hasMessageContaining("must be set, since client.telemetry.subscriptions.provider is git");
        assertThatThrownBy(() -> new ClientTelemetryConfig(other))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Invalid value gti for configuration client.telemetry.subscriptions.provider")
                .hasMessageContaining("config.providers, which has file, git");
        assertThatThrownBy(() -> new ClientTelemetryConfig(Map.of("client.telemetry.subscriptions.path", "x")))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "client.telemetry.subscriptions.path is set, but client.telemetry.subscriptions.provider is not:"
                                + " it must be a name listed in config.providers");
    }

    @Test
    void theHostsRoleIsReadFromItsOwnKeys() {
        ClientTelemetryConfig controller =
                new ClientTelemetryConfig(Map.of("process.roles", "controller", "node.id", "9"));
        ClientTelemetryConfig zooKeeper = new ClientTelemetryConfig(
                Map.of("zookeeper.connect", "zk:2181", "broker.id", "3", "metric.reporters", EXPORTER));
        ClientTelemetryConfig migrating =
                new ClientTelemetryConfig(Map.of("zookeeper.connect", "zk:2181", "process.roles", "controller"));
        ClientTelemetryConfig gateway = new ClientTelemetryConfig(Map.of());

        assertThat(controller.isControllerOnly()).isTrue();
        assertThat(controller.isZooKeeperMode()).isFalse();
        assertThat(zooKeeper.isZooKeeperMode()).isTrue();
        assertThat(zooKeeper.nodeId()).isEqualTo("3");
        assertThat(zooKeeper.isJmxReporterMissing()).isTrue();
        assertThat(migrating.isZooKeeperMode()).isFalse();
        assertThat(gateway.isControllerOnly()).isFalse();
        assertThat(gateway.isZooKeeperMode()).isFalse();
        assertThat(gateway.isJmxReporterMissing()).isFalse();
        assertThat(gateway.nodeId()).isNull();
        assertThat(gateway.telemetryMaxBytes()).isEqualTo(1_048_576);
    }

    private static PipelineSettings settings(Map<String, ?> configs) {
        return new ClientTelemetryConfig(configs).pipelineSettings();
    }
}
