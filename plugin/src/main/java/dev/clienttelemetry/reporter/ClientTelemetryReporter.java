/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider;

/**
 * The plugin for Kafka 4.2 and later (KIP-1217), to be named in {@code metric.reporters}. The broker tells the push
 * interval with each push.
 */
public final class ClientTelemetryReporter extends BrokerReporter implements ClientTelemetryExporterProvider {
    /** Creates a reporter that waits to be configured. */
    public ClientTelemetryReporter() {
        // Its interface came long after brokers began to decompress.
        super(false);
    }

    @Override
    public ClientTelemetryExporter clientTelemetryExporter() {
        PushReceiver receiver = receiver();
        return (context, payload) -> receiver.push(
                context == null ? null : context.authorizableRequestContext(),
                payload,
                context == null ? 0 : context.pushIntervalMs());
    }
}
