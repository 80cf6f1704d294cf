/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.gateway.GatewaySettings;
import dev.clienttelemetry.gateway.kroxylicious.ClientTelemetryGatewayConfig.SubscriptionsConfig;
import io.kroxylicious.proxy.plugin.PluginConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class ClientTelemetryGatewayConfigTest {
    private static final SubscriptionsConfig AT_PATH = new SubscriptionsConfig(null, null, "/etc/subscriptions", null);

    private final Map<String, Object> exporterConfig = new HashMap<>();
    private String exporter;
    private String brokerId;
    private String clusterId;
    private Boolean headerRule;
    private Boolean passHeaderId;
    private Integer telemetryMaxBytes;
    private Long waitingMaxBytes;

    private ClientTelemetryGatewayConfig config() {
        return new ClientTelemetryGatewayConfig(
                null,
                exporter,
                exporterConfig,
                AT_PATH,
                telemetryMaxBytes,
                null,
                headerRule,
                passHeaderId,
                null,
                null,
                waitingMaxBytes,
                brokerId,
                clusterId);
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
        assertThatThrownBy(() -> new ClientTelemetryGatewayConfig(
                                null, null, null, null, null, null, null, null, null, null, null, null, null)
                        .settings())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("subscriptions");
    }

    @Test
    void theLabelsOfBrokerAndClusterComeWithTheirValues() {
        brokerId = "gateway-1";
        clusterId = "production";

        assertThat(config().settings().exporterConfig().get("client.telemetry.labels"))
                .endsWith(", broker_id, cluster_id");
        exporterConfig.put("client.telemetry.labels", List.of("client_id"));
        assertThat(config().settings().exporterConfig()).containsEntry("client.telemetry.labels", "client_id");
    }

    @Test
    void anotherPluginsConfigurationIsLeftAlone() {
        exporter = "com.example.Plugin";
        exporterConfig.put("number", 7);
        exporterConfig.put("flag", true);
        exporterConfig.put("list", List.of("a", "b"));

        assertThat(config().settings().exporterConfig())
                .containsEntry("number", "7")
                .containsEntry("flag", "true")
                .containsEntry("list", "a,b")
                .doesNotContainKey("client.telemetry.labels");
    }

    @Test
    void aWrongValueIsRefusedByItsKey() {
        exporterConfig.put("client.telemetry.subscriptions.path", "/x");
        assertRefused("client.telemetry.subscriptions.path");
        exporterConfig.clear();
        exporterConfig.put("otel", Map.of("exporter", "x"));
        assertRefused("otel");
        exporterConfig.clear();
        headerRule = false;
        passHeaderId = false;
        assertRefused("passHeaderId");
        headerRule = true;
        telemetryMaxBytes = 0;
        assertRefused("telemetryMaxBytes");
        telemetryMaxBytes = 2_000;
        waitingMaxBytes = 1_999L;
        assertRefused("waitingMaxBytes");
    }

    private void assertRefused(String key) {
        assertThatThrownBy(() -> config().settings())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key);
    }

    @Test
    void secretsShowNowhere() {
        exporterConfig.put("otel.exporter.otlp.headers", "authorization=secret");

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
