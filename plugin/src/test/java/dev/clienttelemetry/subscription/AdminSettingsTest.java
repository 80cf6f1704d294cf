/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;

class AdminSettingsTest {
    @Test
    void goesToTheAdvertisedAddressOfTheInterBrokerListener() {
        Map<String, Object> settings = settings(Map.of(
                "listeners", "INTERNAL://0.0.0.0:9094,EXTERNAL://0.0.0.0:9092,CONTROLLER://:9093",
                "advertised.listeners", "EXTERNAL://public.example:9092, INTERNAL://localhost:9094",
                "inter.broker.listener.name", "INTERNAL",
                "listener.security.protocol.map", "EXTERNAL:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "metric.reporters", "some.Reporter"));

        assertThat(settings)
                .containsEntry("bootstrap.servers", "localhost:9094")
                .containsEntry("security.protocol", "PLAINTEXT")
                .containsEntry("metric.reporters", List.of())
                .containsEntry("enable.metrics.push", "false")
                .containsEntry("client.id", "id");
        Admin.create(settings).close();
    }

    @Test
    void takesTheListenersWhereNothingIsAdvertisedAndTheProtocolForTheName() {
        assertThat(settings(Map.of("listeners", List.of("PLAINTEXT://[::1]:9092", "SSL://b:9093"))))
                .containsEntry("bootstrap.servers", "[::1]:9092");
        assertThat(settings(Map.of("security.inter.broker.protocol", "SSL", "listeners", "PLAINTEXT://a:1,SSL://b:2")))
                .containsEntry("bootstrap.servers", "b:2")
                .containsEntry("security.protocol", "SSL");
        assertThat((String) settings(Map.of()).get("bootstrap.servers"))
                .endsWith(":9092")
                .doesNotStartWith(":");
    }

    @Test
    void takesTheListenersSslSettingsBeforeTheBrokers() {
        Map<String, Object> settings = settings(Map.of(
                "inter.broker.listener.name", "Secure",
                "listener.security.protocol.map", "SECURE:SSL",
                "listeners", "SECURE://a:1",
                "ssl.truststore.location", "/general",
                "ssl.keystore.location", "/general-key",
                "listener.name.secure.ssl.truststore.location", "/listener",
                "listener.name.secure.ssl.truststore.password", new Password("secret"),
                "listener.name.other.ssl.key.password", "other",
                "ssl.client.auth", "required"));

        assertThat(settings)
                .containsEntry("ssl.truststore.location", "/listener")
                .containsEntry("ssl.keystore.location", "/general-key")
                .containsEntry("ssl.truststore.password", new Password("secret"))
                .doesNotContainKeys("ssl.key.password", "ssl.client.auth");
    }

    @Test
    void needsToBeToldHowToLogIn() {
        Map<String, Object> broker = new HashMap<>(Map.of(
                "security.inter.broker.protocol", "SASL_SSL",
                "listeners", "SASL_SSL://a:1",
                "ssl.truststore.location", "/t"));
        assertThatThrownBy(() -> settings(broker))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client.telemetry.admin.sasl.jaas.config");
        broker.put("client.telemetry.admin.client.id", "mine");
        assertThatThrownBy(() -> settings(broker)).isInstanceOf(ConfigException.class);

        broker.put("client.telemetry.admin.sasl.mechanism", "PLAIN");
        assertThatThrownBy(() -> settings(broker)).as("a mechanism is no login").isInstanceOf(ConfigException.class);
        broker.put("client.telemetry.admin.sasl.jaas.config", "c");
        assertThat(settings(broker))
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("ssl.truststore.location", "/t")
                .containsEntry("sasl.mechanism", "PLAIN")
                .containsEntry("client.id", "mine");
    }

    @Test
    void needsALoginElsewhereTooWhereThatUsesSasl() {
        Map<String, String> broker = new HashMap<>(Map.of(
                "client.telemetry.admin.bootstrap.servers", "a:2",
                "client.telemetry.admin.security.protocol", "SASL_SSL"));
        assertThatThrownBy(() -> settings(broker))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client.telemetry.admin.security.protocol is SASL_SSL");
        broker.put("client.telemetry.admin.sasl.jaas.config", "c");
        assertThat(settings(broker)).containsEntry("security.protocol", "SASL_SSL");
    }

    @Test
    void aSlipInAKeyIsRefusedWithTheKeyThatWasMeantAndAKeyOfAnotherKindIsNot() {
        assertThatThrownBy(() -> settings(Map.of("client.telemetry.admin.sasl.jaas.confg", "secret")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client.telemetry.admin.sasl.jaas.confg")
                .hasMessageContaining("client.telemetry.admin.sasl.jaas.config")
                .hasMessageNotContaining("secret");
        assertThat(settings(Map.of("client.telemetry.admin.my.engine.factory.realm", "r")))
                .containsEntry("my.engine.factory.realm", "r");
    }

    @Test
    void goesElsewhereWhereToldTo() {
        assertThat(settings(Map.of(
                        "security.inter.broker.protocol", "SASL_SSL",
                        "listeners", "SASL_SSL://a:1,PLAINTEXT://a:2",
                        "client.telemetry.admin.bootstrap.servers", "a:2",
                        "client.telemetry.admin.metric.reporters", "some.Reporter",
                        "client.telemetry.admin.enable.metrics.push", "true")))
                .containsEntry("bootstrap.servers", "a:2")
                .doesNotContainKey("security.protocol")
                .containsEntry("metric.reporters", List.of())
                .containsEntry("enable.metrics.push", "false");
    }

    @Test
    void saysWhatIsMissing() {
        assertThatThrownBy(() -> settings(Map.of("inter.broker.listener.name", "X", "listeners", "PLAINTEXT://a:1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listener.security.protocol.map");
        assertThatThrownBy(() -> settings(Map.of("inter.broker.listener.name", "SSL", "listeners", "PLAINTEXT://a:1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client.telemetry.admin.bootstrap.servers");
    }

    private static Map<String, Object> settings(Map<String, ?> broker) {
        return AdminSettings.of(broker, "id");
    }
}
