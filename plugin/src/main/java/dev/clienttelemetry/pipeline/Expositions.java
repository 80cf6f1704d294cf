/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.export.OtlpConnection;
import dev.clienttelemetry.metrics.JmxExposition;
import dev.clienttelemetry.metrics.OpenTelemetryExposition;
import dev.clienttelemetry.metrics.ServiceIdentity;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.time.Duration;

/**
 * Where a pipeline's metrics show: JMX, where the host is a broker, and OpenTelemetry. Opened at most once, closed at the
 * pipeline's end. Thread-safe.
 */
final class Expositions {
    private static final String BROKERS_REGISTRY = "org.apache.kafka.server.metrics.KafkaYammerMetrics";

    private final TelemetryMetrics metrics;
    private final OtlpConnection connection;
    private final Duration interval;
    private JmxExposition jmx;
    private OpenTelemetryExposition openTelemetry;
    private boolean opened;

    Expositions(TelemetryMetrics metrics, OtlpConnection connection, Duration interval) {
        this.metrics = metrics;
        this.connection = connection;
        this.interval = interval;
    }

    synchronized void open(ServiceIdentity identity) {
        if (opened) {
            return;
        }
        opened = true;
        if (isBroker()) {
            jmx = new JmxExposition(metrics);
        }
        openTelemetry = new OpenTelemetryExposition(
                metrics, connection.ownMetricsExporter(), connection.serverAddress(), identity, interval);
    }

    /** Sends the last values and takes everything away again; none is opened afterwards. */
    synchronized void close(Duration timeout) {
        opened = true;
        try {
            if (openTelemetry != null) {
                openTelemetry.close(timeout);
            }
        } finally {
            if (jmx != null) {
                jmx.close();
            }
        }
    }

    /** Other hosts than brokers do not have what {@link JmxExposition} needs; there it must not be loaded. */
    private static boolean isBroker() {
        try {
            Class.forName(BROKERS_REGISTRY, false, Expositions.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException anotherHost) {
            return false;
        }
    }
}
