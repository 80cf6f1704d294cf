/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.gateway.GatewaySettings;
import io.kroxylicious.proxy.plugin.PluginConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientTelemetryGatewayConfigTest {
    private final Map<String, Object> exporterConfig = new HashMap<>();
    private final Map<String, Object> values = new HashMap<>();

    @BeforeEach
    void theLeast() {
        values.put("subscriptions", Map.of("path", "/etc/subscriptions"));
        values.put("exporterConfig", exporterConfig);
    }

    private ClientTelemetryGatewayConfig config() {
        return new ClientTelemetryGatewayConfig(values);
    }

    @Test
    void onlyThePathOfTheSubscriptionsHasToBeSet() {
        GatewaySettings settings = config().settings();

        assertThat(settings.exporter()).isEqualTo("dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter");
        assertThat(settings.subscriptions().path()).isEqualTo("/etc/subscriptions");
        assertThat(settings.subscriptions().refreshMs()).isEqualTo(30_000);
        assertThat(settings.telemetryMaxBytes()).isEqualTo(1_048_576);
        assertThat(settings.instancesMax()).isEqualTo(16_384);
        assertThat(settings.headerRule()).isTrue();
        assertThat(settings.passHeaderId()).isTrue();
        assertThat(settings.echoClientInstanceId()).isTrue();
        assertThat(settings.exporterConfig())
                .containsEntry("telemetry.max.bytes", "1048576")
                .containsEntry(
                        "client.telemetry.labels",
                        "client_instance_id, client_id, client_software_name, client_software_version");
        values.remove("subscriptions");
        assertRefused("subscriptions");
    }

    @Test
    void theLabelsOfBrokerAndClusterComeWithTheirValues() {
        values.put("brokerId", "gateway-1");
        values.put("clusterId", "production");

        assertThat(config().settings().exporterConfig().get("client.telemetry.labels"))
                .endsWith(", broker_id, cluster_id");
        exporterConfig.put("client.telemetry.labels", List.of("client_id"));
        assertThat(config().settings().exporterConfig()).containsEntry("client.telemetry.labels", "client_id");
    }

    @Test
    void anotherPluginsConfigurationIsLeftAlone() {
        values.put("exporter", "com.example.Plugin");
        exporterConfig.put("number", 7);
        exporterConfig.put("flag", true);
        exporterConfig.put("list", List.of("a", "b"));
        exporterConfig.put("empty", null);

        assertThat(config().settings().exporterConfig())
                .containsEntry("number", "7")
                .containsEntry("flag", "true")
                .containsEntry("list", "a,b")
                .doesNotContainKeys("empty", "client.telemetry.labels");
    }

    @Test
    void aWrongValueIsRefusedByItsKey() {
        exporterConfig.put("client.telemetry.subscriptions.path", "/x");
        assertRefused("client.telemetry.subscriptions.path");
        exporterConfig.clear();
        exporterConfig.put("client.telemetry.admin.client.id", "x");
        assertRefused("client.telemetry.admin.client.id");
        exporterConfig.clear();
        exporterConfig.put("otel", Map.of("exporter", "x"));
        assertRefused("otel");
        exporterConfig.clear();
        values.put("headerRule", false);
        values.put("passHeaderId", false);
        assertRefused("passHeaderId");
        values.put("headerRule", true);
        values.put("telemetryMaxBytes", 0);
        assertRefused("telemetryMaxBytes");
        values.put("telemetryMaxBytes", 2_000);
        values.put("waitingMaxBytes", 1_999);
        assertRefused("waitingMaxBytes");
    }

    @Test
    void anUnknownKeyIsRefusedWithTheOneThatWasMeant() {
        values.put("telemetryMaxByte", "secret");
        assertThatThrownBy(() -> config().settings())
                .isInstanceOf(ConfigException.class)
                .hasMessage("Unknown configuration telemetryMaxByte: expected 'telemetryMaxBytes'");
        values.put("somethingElse", null);
        assertThatThrownBy(() -> config().settings())
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("Unknown configuration somethingElse: expected one of exporter, ")
                .hasMessageEndingWith("(and 1 more)")
                .hasMessageNotContaining("secret");
        values.remove("telemetryMaxByte");
        values.remove("somethingElse");
        values.put("subscriptions", Map.of("path", "/x", "refreshMS", 7));
        assertThatThrownBy(() -> config().settings())
                .isInstanceOf(ConfigException.class)
                .hasMessage("Unknown configuration subscriptions.refreshMS: expected 'refreshMs'");
    }

    @Test
    void aValueOfAnotherTypeIsRefusedByItsKey() {
        List<String> maps = List.of("exporterConfig", "subscriptions", "parameters");
        for (String key : ClientTelemetryGatewayConfig.KEYS) {
            Object before = values.get(key);
            values.put(key, List.of("secret"));
            assertRefused(key, "not a list");
            values.put(key, maps.contains(key) ? "secret" : Map.of("secret", "secret"));
            assertRefused(key, maps.contains(key) ? "not one value" : "not a map");
            values.put(key, before);
        }
        for (String key : ClientTelemetryGatewayConfig.SUBSCRIPTIONS_KEYS) {
            Map<String, Object> subscriptions = new HashMap<>(Map.of("path", "/x"));
            values.put("subscriptions", subscriptions);
            subscriptions.put(key, List.of("secret"));
            assertRefused("subscriptions." + key, "not a list");
            subscriptions.put(key, maps.contains(key) ? "secret" : Map.of("secret", "secret"));
            assertRefused("subscriptions." + key, maps.contains(key) ? "not one value" : "not a map");
        }
    }

    @Test
    void theSubscriptionsNeedAPathAndAPatientRefresh() {
        values.put("subscriptions", Map.of("refreshMs", 100));
        assertRefused("subscriptions.path", "must be a path");
        values.put("subscriptions", Map.of("path", " "));
        assertRefused("subscriptions.path", "must be a path");
        values.put("subscriptions", Map.of("path", "/x", "refreshMs", 99));
        assertRefused("subscriptions.refreshMs", "must be at least 100");
    }

    @ParameterizedTest
    @CsvSource({
        "telemetryMaxBytes, many, a whole number",
        "telemetryMaxBytes, 2.7, a whole number",
        "telemetryMaxBytes, 2147483648, at most 2147483647",
        "telemetryMaxBytes, -1, not be negative",
        "telemetryMaxBytes, -3000000000, not be negative",
        "telemetryMaxBytes, 0, at least 1",
        "instancesMax, 0, at least 1",
        "workers, 0, at least 1",
        "name, ' ', not be empty",
        "waitingMaxBytes, 1e30, at most 9223372036854775807",
        "headerRule, 1, true or false",
        "headerRule, yes, true or false",
    })
    void aNumberOrFlagThatIsNoneIsRefused(String key, String value, String expected) {
        values.put(key, value);

        assertThatThrownBy(() -> config().settings())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key)
                .hasMessageContaining(value)
                .hasMessageContaining(expected);
    }

    @Test
    void numbersAndFlagsMayBeQuoted() {
        values.put("telemetryMaxBytes", "2000");
        values.put("echoClientInstanceId", "false");
        values.put("headerRule", "true");
        values.put("waitingMaxBytes", 5_000_000_000L);
        values.put("brokerId", 7);

        GatewaySettings settings = config().settings(Long.MAX_VALUE);

        assertThat(settings.telemetryMaxBytes()).isEqualTo(2000);
        assertThat(settings.echoClientInstanceId()).isFalse();
        assertThat(settings.headerRule()).isTrue();
        assertThat(settings.waitingMaxBytes()).isEqualTo(5_000_000_000L);
        assertThat(settings.brokerId()).isEqualTo("7");
    }

    @Test
    void moreThanHalfOfTheHeapIsRefusedForWhatWaitsButTheDefaultIsNot() {
        long heapBytes = 100_000_000;
        assertThat(config().settings(heapBytes).isWaitingLargeFor(heapBytes)).isTrue();
        values.put("waitingMaxBytes", 50_000_000);
        assertThat(config().settings(heapBytes).isWaitingLargeFor(heapBytes)).isFalse();

        values.put("waitingMaxBytes", 50_000_001);

        assertThatThrownBy(() -> config().settings(heapBytes))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "Invalid value 50000001 for configuration waitingMaxBytes: must be at most half of the heap,"
                                + " which is 100000000 bytes (-Xmx): 50000000");
    }

    @Test
    void theDocumentationHasEveryKeyAndNoOther() throws IOException {
        List<String> documented = Files.readAllLines(Path.of("..", "src", "site", "markdown", "gateway.md")).stream()
                .dropWhile(line -> !line.equals("## Settings"))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .toList();
        List<String> keys = new ArrayList<>(ClientTelemetryGatewayConfig.KEYS);
        keys.remove("subscriptions");
        ClientTelemetryGatewayConfig.SUBSCRIPTIONS_KEYS.forEach(key -> keys.add("subscriptions." + key));

        assertThat(documented).containsExactlyInAnyOrderElementsOf(keys);
    }

    private void assertRefused(String... parts) {
        assertThatThrownBy(() -> config().settings())
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(parts)
                .hasMessageNotContaining("secret");
    }

    @Test
    void secretsShowNowhere() {
        exporterConfig.put("otel.exporter.otlp.headers", "authorization=secret");
        values.put("subscriptions", Map.of("path", "/x", "parameters", Map.of("password", "secret")));

        assertThat(config().toString()).doesNotContain("secret");
        assertThat(config().settings().toString()).doesNotContain("secret").contains("otel.exporter.otlp.headers");
    }

    @Test
    void theProxyDoesNotStartWithSubscriptionsThatCannotBeRead() {
        assertThatThrownBy(() -> new ClientTelemetryGateway().initialize(null, config()))
                .isInstanceOf(PluginConfigurationException.class)
                .hasMessageContaining("/etc/subscriptions");
        assertThatThrownBy(() -> new ClientTelemetryGateway().initialize(null, null))
                .isInstanceOf(PluginConfigurationException.class);
    }
}
