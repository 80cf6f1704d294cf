/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import dev.clienttelemetry.examples.broker.KafkaVersion;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the user wants.
 *
 * @param kafka the broker's version
 * @param duration how long the clients run, null to go on until Ctrl-C
 * @param endpoint the user's own collector, null for the built-in receiver
 * @param protocol {@code otel.exporter.otlp.protocol}
 * @param pluginJar the packaged plugin
 * @param serverProperties the broker's configuration
 */
record QuickstartSettings(
        KafkaVersion kafka, Duration duration, URI endpoint, String protocol, Path pluginJar, Path serverProperties) {

    /** Returns the user's endpoint without what may be secret in it. */
    String shownEndpoint() {
        return EndpointText.shown(endpoint);
    }

    /** Returns the file that the broker's subscriptions come from. */
    Path subscriptions() {
        return serverProperties.resolveSibling("client-metrics.yaml").toAbsolutePath();
    }
}
