/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import dev.clienttelemetry.gateway.protocol.ClientIdentity;
import dev.clienttelemetry.gateway.protocol.PushExporter;
import dev.clienttelemetry.gateway.protocol.PushedMetrics;
import dev.clienttelemetry.message.RepeatedFailure;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter;
import java.lang.reflect.InvocationTargetException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka telemetry plugin, created, configured, told of its context and called as a broker does it with an entry of
 * {@code metric.reporters}. Thread-safe once created.
 */
@SuppressWarnings({"deprecation", "removal"}) // Kafka 4.2 has another interface, which is looked up by name.
public final class TelemetryPlugin implements PushExporter, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TelemetryPlugin.class);
    private static final String METRICS_NAMESPACE = "kafka.server";

    private final Object plugin;
    private final PluginCall call;
    private final Function<ClientIdentity, AuthorizableRequestContext> contexts;
    private final ExportCalls calls = new ExportCalls();
    private final RepeatedFailure refusal = new RepeatedFailure(
            LOG, "The telemetry plugin refused a push; its client gets INVALID_RECORD", System::nanoTime);

    private TelemetryPlugin(
            Object plugin, PluginCall call, Function<ClientIdentity, AuthorizableRequestContext> contexts) {
        this.plugin = plugin;
        this.call = call;
        this.contexts = contexts;
    }

    /** How a plugin is handed a push. */
    interface PluginCall {
        void export(AuthorizableRequestContext context, OtlpPayload payload, int pushIntervalMs);
    }

    /**
     * Creates and starts a plugin.
     *
     * @param className a class that is a {@code ClientTelemetry}, or a {@code ClientTelemetryExporterProvider} where this
     *     Kafka has that interface
     * @param config its configuration
     * @param brokerId the value of {@code broker_id}, or null for none
     * @param clusterId the value of {@code cluster_id}, or null for none
     * @throws ConfigException for a class that there is not or that is neither, and from the plugin
     */
    public static TelemetryPlugin start(
            String className, Map<String, String> config, String brokerId, String clusterId) {
        Object plugin = instance(className);
        try {
            if (plugin instanceof Configurable configurable) {
                configurable.configure(config);
            }
            if (plugin instanceof MetricsReporter reporter) {
                Map<String, String> labels = new LinkedHashMap<>();
                if (brokerId != null) {
                    labels.put("kafka.node.id", brokerId);
                }
                if (clusterId != null) {
                    labels.put("kafka.cluster.id", clusterId);
                }
                reporter.contextChange(new KafkaMetricsContext(METRICS_NAMESPACE, labels));
                reporter.init(List.of());
            }
            return new TelemetryPlugin(plugin, call(className, plugin), contexts(plugin));
        } catch (RuntimeException | Error e) {
            close(plugin);
            throw e;
        }
    }

    private static Object instance(String className) {
        try {
            return Class.forName(className, true, TelemetryPlugin.class.getClassLoader())
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassNotFoundException e) {
            throw new ConfigException("exporter", className, "must be a class on the proxy's class path");
        } catch (InvocationTargetException e) {
            throw new ConfigException("exporter", className, "cannot be created: " + e.getCause());
        } catch (ExceptionInInitializerError e) {
            throw new ConfigException("exporter", className, "cannot be initialized: " + e.getCause());
        } catch (LinkageError e) {
            throw new ConfigException("exporter", className, "cannot be loaded: " + e);
        } catch (ReflectiveOperationException e) {
            throw new ConfigException("exporter", className, "must have a public constructor without parameters: " + e);
        }
    }

    private static PluginCall call(String className, Object plugin) {
        Optional<PluginCall> exporter = ExporterProviderCall.of(plugin);
        if (exporter.isPresent()) {
            return exporter.get();
        }
        if (plugin instanceof ClientTelemetry telemetry) {
            ClientTelemetryReceiver receiver = telemetry.clientReceiver();
            if (receiver == null) {
                throw new ConfigException(
                        "exporter", className, "must give a receiver, but clientReceiver() gave null");
            }
            return (context, payload, pushIntervalMs) -> receiver.exportMetrics(context, payload);
        }
        throw new ConfigException(
                "exporter",
                className,
                "must be an org.apache.kafka.server.telemetry.ClientTelemetry"
                        + (ExporterProviderCall.AVAILABLE ? " or ClientTelemetryExporterProvider" : ""));
    }

    private static Function<ClientIdentity, AuthorizableRequestContext> contexts(Object plugin) {
        return isOurs(plugin) ? KnownClientContext::new : BrokerLikeContext::of;
    }

    private static boolean isOurs(Object plugin) {
        return plugin instanceof ClientTelemetryReceiverReporter;
    }

    @Override
    public void export(PushedMetrics push) {
        AuthorizableRequestContext context = contexts.apply(push.client());
        long start = System.nanoTime();
        try {
            call.export(context, new OtlpPayload(push), push.pushIntervalMs());
        } catch (Throwable e) {
            // Whatever it is, a checked exception of another language or an Error: a broker takes it for a refusal.
            calls.failed();
            if (!isOurs(plugin)) {
                // Ours counts by reason, and a client can make it refuse at will.
                refusal.happened(e);
            }
            throw e instanceof RuntimeException refused ? refused : new IllegalStateException(e);
        } finally {
            calls.record(System.nanoTime() - start);
        }
    }

    /** Returns the counts of the calls. */
    public ExportCalls calls() {
        return calls;
    }

    /** Returns the plugin's own instruments where it is ours, which counts its calls itself. */
    public Optional<TelemetryMetrics> ownMetrics() {
        return plugin instanceof ClientTelemetryReceiverReporter ours ? Optional.of(ours.metrics()) : Optional.empty();
    }

    /** Closes the plugin. */
    @Override
    public void close() {
        close(plugin);
    }

    private static void close(Object plugin) {
        if (plugin instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                LOG.warn(
                        "The telemetry plugin {} failed to close",
                        plugin.getClass().getName(),
                        e);
            }
        }
    }
}
