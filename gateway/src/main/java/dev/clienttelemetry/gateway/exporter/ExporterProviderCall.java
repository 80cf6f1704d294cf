/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;

/**
 * Calls a plugin through KIP-1217's interfaces, which kafka-clients has from 4.2 on. They are looked up by name, since
 * the gateway is compiled against a kafka-clients without them.
 */
final class ExporterProviderCall implements TelemetryPlugin.PluginCall {
    private static final String PACKAGE = "org.apache.kafka.server.telemetry.";
    private static final Class<?> PROVIDER = find("ClientTelemetryExporterProvider");

    /** Whether this Kafka has the interfaces. */
    static final boolean AVAILABLE = PROVIDER != null;

    private final Class<?> contextInterface;
    private final MethodHandle exportMetrics;

    private ExporterProviderCall(Class<?> contextInterface, MethodHandle exportMetrics) {
        this.contextInterface = contextInterface;
        this.exportMetrics = exportMetrics;
    }

    /**
     * Returns how to call a plugin, or empty where it is no {@code ClientTelemetryExporterProvider}.
     *
     * @throws ConfigException where it gives no exporter
     */
    static Optional<TelemetryPlugin.PluginCall> of(Object plugin) {
        if (!AVAILABLE || !PROVIDER.isInstance(plugin)) {
            return Optional.empty();
        }
        try {
            Object exporter = PROVIDER.getMethod("clientTelemetryExporter").invoke(plugin);
            if (exporter == null) {
                throw new ConfigException(
                        "exporter",
                        plugin.getClass().getName(),
                        "must give an exporter, but clientTelemetryExporter() gave null");
            }
            Class<?> context = find("ClientTelemetryContext");
            MethodHandle export = MethodHandles.publicLookup()
                    .unreflect(find("ClientTelemetryExporter")
                            .getMethod("exportMetrics", context, ClientTelemetryPayload.class))
                    .bindTo(exporter);
            return Optional.of(new ExporterProviderCall(context, export));
        } catch (ReflectiveOperationException e) {
            throw new ConfigException(
                    "exporter", plugin.getClass().getName(), "cannot be called as this Kafka's exporters are: " + e);
        }
    }

    @Override
    public void export(AuthorizableRequestContext context, OtlpPayload payload, int pushIntervalMs) {
        InvocationHandler answers = (proxy, method, arguments) -> switch (method.getName()) {
            case "pushIntervalMs" -> pushIntervalMs;
            case "authorizableRequestContext" -> context;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            case "toString" -> "push interval " + pushIntervalMs + " ms, " + context;
            default -> throw new UnsupportedOperationException(method.toString());
        };
        Object telemetryContext =
                Proxy.newProxyInstance(contextInterface.getClassLoader(), new Class<?>[] {contextInterface}, answers);
        try {
            exportMetrics.invoke(telemetryContext, payload);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(PACKAGE + name, false, ExporterProviderCall.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
