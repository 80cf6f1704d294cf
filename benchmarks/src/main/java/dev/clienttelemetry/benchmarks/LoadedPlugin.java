/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.reporter.ClientTelemetryReporter;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryContext;
import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;

/** The plugin as a broker loads it, and pushes handed to it as a broker hands them over. */
final class LoadedPlugin implements AutoCloseable {
    private final ClientTelemetryReporter reporter = new ClientTelemetryReporter();
    private final ClientTelemetryExporter exporter;
    private final ClientTelemetryContext context;

    LoadedPlugin(Map<String, String> properties) {
        Map<String, Object> configuration = new HashMap<>(properties);
        configuration.put("process.roles", "broker");
        configuration.put("node.id", "1");
        configuration.put(
                "metric.reporters",
                "org.apache.kafka.common.metrics.JmxReporter," + ClientTelemetryReporter.class.getName());
        reporter.configure(configuration);
        reporter.contextChange(
                new KafkaMetricsContext("kafka.server", Map.of("kafka.cluster.id", "cluster", "kafka.node.id", "1")));
        exporter = reporter.clientTelemetryExporter();
        context = context();
    }

    /** Calls the plugin as a request thread of a broker does. */
    void push(long instance, ByteBuffer payload) {
        exporter.exportMetrics(context, new Push(new Uuid(0x3f1d2c4b5a697887L, instance + 1), payload));
    }

    /** Returns what the plugin counted. */
    TelemetryMetrics metrics() {
        return reporter.metrics();
    }

    @Override
    public void close() {
        reporter.close();
    }

    private static ClientTelemetryContext context() {
        try {
            RequestContext request = new RequestContext(
                    new RequestHeader(ApiKeys.PUSH_TELEMETRY, (short) 0, Host.CLIENT.clientId(), 1),
                    "connection",
                    InetAddress.getByName(Host.CLIENT.sourceAddress()),
                    Optional.of(50123),
                    new KafkaPrincipal(KafkaPrincipal.USER_TYPE, "orders"),
                    ListenerName.normalised("SASL_SSL"),
                    SecurityProtocol.SASL_SSL,
                    new ClientInformation(Host.CLIENT.softwareName(), Host.CLIENT.softwareVersion()),
                    false);
            return new Context(request);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Context(AuthorizableRequestContext authorizableRequestContext) implements ClientTelemetryContext {
        @Override
        public int pushIntervalMs() {
            return 2000;
        }
    }

    private record Push(Uuid clientInstanceId, ByteBuffer data) implements ClientTelemetryPayload {
        @Override
        public boolean isTerminating() {
            return false;
        }

        @Override
        public String contentType() {
            return "application/x-protobuf";
        }
    }
}
