/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;

/**
 * The plugin for Kafka 3.7 to 4.1 (KIP-714), to be named in {@code metric.reporters}; works on later ones too, where
 * {@link ClientTelemetryReporter} is the better choice.
 */
@SuppressWarnings({"deprecation", "removal"}) // Kafka 4.2 has another interface, which the other reporter is for.
public final class ClientTelemetryReceiverReporter extends BrokerReporter implements ClientTelemetry {
    /** Creates a reporter that waits to be configured. */
    public ClientTelemetryReceiverReporter() {
        this(Codec.isLeftToPlugins());
    }

    ClientTelemetryReceiverReporter(boolean compressionIsLeftToPlugins) {
        super(compressionIsLeftToPlugins);
    }

    @Override
    public ClientTelemetryReceiver clientReceiver() {
        PushReceiver receiver = receiver();
        return (context, payload) -> receiver.push(context, payload, 0);
    }
}
