/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import io.opentelemetry.sdk.metrics.export.MetricExporter;

/**
 * The OTLP endpoint with everything that is needed to talk to it (protocol, headers, TLS, compression, timeout), as
 * OpenTelemetry's own exporter reads it from the configuration. Thread-safe.
 */
public final class OtlpConnection implements AutoCloseable {
    private OtlpConnection() {}

    /**
     * Checks the configuration and prepares the connection; connects to nothing. Until {@link #close} the log records of
     * the bundled libraries go to SLF4J.
     *
     * @param properties the configuration
     * @throws org.apache.kafka.common.config.ConfigException naming the key, the value (unless it may be secret) and what
     *     would be right
     */
    public static OtlpConnection open(OtelProperties properties) {
        throw new UnsupportedOperationException();
    }

    /**
     * Returns the connection in one line for the log: endpoint and protocol, names of headers, whether TLS client
     * certificates and compression are used. No secrets.
     */
    public String description() {
        throw new UnsupportedOperationException();
    }

    /** Returns whether the endpoint takes requests, fed by everything that is sent on this connection. */
    public Reachability reachability() {
        throw new UnsupportedOperationException();
    }

    /**
     * Creates an OpenTelemetry exporter for the plugin's own metrics, on the same settings with a sender of its own. Its
     * failures are told by {@link #reachability} instead of by OpenTelemetry's log records. The caller shuts it down.
     */
    public MetricExporter ownMetricsExporter() {
        throw new UnsupportedOperationException();
    }

    /** Frees the connection's threads and sockets and gives the libraries' log records back. Repeatable. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
