/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.examples.broker.FreePorts;
import dev.clienttelemetry.examples.proxy.KroxyliciousProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Kroxylicious makes of a wrong filter configuration: its own parser passes over what it does not know. */
class RefusedConfigurationIT {
    private static final Path JAR = Path.of(System.getProperty("gateway.jar"));

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "telemetryMaxByte: 5 | Unknown configuration telemetryMaxByte: expected 'telemetryMaxBytes'",
                "workers: 2.7 | Invalid value 2.7 for configuration workers: must be a whole number",
                "waitingMaxBytes: 134217728 | waitingMaxBytes: must be at most half of the heap",
                "exporterConfig: secret | exporterConfig must be a map of keys and values, not one value",
            })
    void theProxyDoesNotStartAndTellsTheKey(String setting, String expected) throws Exception {
        Path subscriptions = directory.resolve("subscriptions.yaml");
        Files.writeString(subscriptions, "subscriptions: []\n");
        String configuration = """
                virtualClusters:
                - name: cluster
                  targetCluster:
                    bootstrapServers: localhost:1
                  gateways:
                  - name: clients
                    portIdentifiesNode:
                      bootstrapAddress: localhost:%d
                filterDefinitions:
                - name: telemetry
                  type: ClientTelemetryGateway
                  config:
                    subscriptions:
                      path: %s
                    %s
                defaultFilters:
                - telemetry
                """.formatted(FreePorts.next(), subscriptions, setting);

        assertThatThrownBy(() -> KroxyliciousProxy.start(
                                directory, configuration, List.of(JAR), List.of("-Xmx128m"), artifact -> {})
                        .close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(expected)
                .hasMessageNotContaining("secret");
    }
}
