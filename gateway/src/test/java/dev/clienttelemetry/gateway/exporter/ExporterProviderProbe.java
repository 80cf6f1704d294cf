/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import dev.clienttelemetry.gateway.protocol.ClientIdentity;
import dev.clienttelemetry.gateway.protocol.PushedMetrics;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/** What {@link TelemetryPluginTest} runs in a class loader with a newer kafka-clients. */
public final class ExporterProviderProbe {
    private ExporterProviderProbe() {}

    /** Hands a plugin one push. */
    public static void run(String className) {
        try (TelemetryPlugin plugin = TelemetryPlugin.start(className, Map.of(), null, null)) {
            plugin.export(new PushedMetrics(
                    Uuid.randomUuid(), new ClientIdentity("client-1", "n", "1"), false, new byte[] {1}, 1234));
        }
    }
}
