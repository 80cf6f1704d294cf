/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import dev.clienttelemetry.gateway.Gateway;
import dev.clienttelemetry.gateway.GatewaySettings;
import io.kroxylicious.proxy.filter.FilterContext;
import io.kroxylicious.proxy.filter.FilterDispatchExecutor;
import io.kroxylicious.proxy.filter.RequestFilterResult;
import io.kroxylicious.proxy.filter.RequestFilterResultBuilder;
import io.kroxylicious.proxy.filter.filterresultbuilder.CloseOrTerminalStage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** One connection's filter as a host calls it. Stands on the API's interfaces only, so that it serves every version. */
final class FilterHost implements AutoCloseable {
    final String name = UUID.randomUUID().toString();
    final Gateway gateway;
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final GatewayMeters meters;
    final ClientTelemetryFilter filter;
    private int correlationId;

    FilterHost(Path directory, boolean headerRule, boolean passHeaderId, int workers, long waitingMaxBytes)
            throws IOException {
        Path subscriptions = directory.resolve("subscriptions.yaml");
        Files.writeString(subscriptions, "subscriptions:\n- name: all\n  metrics: ['*']\n  interval: 1m\n");
        gateway = Gateway.start(new GatewaySettings(
                name,
                RecordingPlugin.class.getName(),
                Map.of("recording.name", name),
                new GatewaySettings.Subscriptions(
                        "dev.clienttelemetry.subscription.ClientMetricsConfigProvider",
                        Map.of(),
                        subscriptions.toString(),
                        30_000),
                1000,
                100,
                headerRule,
                passHeaderId,
                true,
                workers,
                waitingMaxBytes,
                null,
                null));
        meters = GatewayMeters.register(registry, gateway);
        filter = connection();
    }

    /** Returns the filter of another connection. */
    ClientTelemetryFilter connection() {
        return new ClientTelemetryFilter(gateway, meters, eventLoop());
    }

    RecordingPlugin plugin() {
        return RecordingPlugin.named(name);
    }

    static RequestHeaderData header(ApiKeys api, int version) {
        return new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion((short) version)
                .setClientId("client-1");
    }

    /** Hands a request to the filter as Kroxylicious up to 0.18 does. */
    CompletableFuture<RequestFilterResult> request(RequestHeaderData header, ApiMessage request) {
        return request(filter, header, request);
    }

    /** The same on another connection. */
    CompletableFuture<RequestFilterResult> request(
            ClientTelemetryFilter connection, RequestHeaderData header, ApiMessage request) {
        header.setCorrelationId(++correlationId);
        return connection
                .onRequest(ApiKeys.forId(request.apiKey()), header, request, context())
                .toCompletableFuture();
    }

    /** A context that gives results as the host's does. */
    static FilterContext context() {
        return proxy(FilterContext.class, (self, method, arguments) -> switch (method.getName()) {
            case "forwardRequest" ->
                CompletableFuture.completedFuture(
                        result((ApiMessage) arguments[0], (ApiMessage) arguments[1], false, false));
            case "forwardResponse" ->
                CompletableFuture.completedFuture(proxy(
                        io.kroxylicious.proxy.filter.ResponseFilterResult.class,
                        results((ResponseHeaderData) arguments[0], (ApiMessage) arguments[1], false, false)));
            case "requestFilterResultBuilder" -> builder();
            default -> throw new UnsupportedOperationException(method.toString());
        });
    }

    private static RequestFilterResultBuilder builder() {
        return proxy(RequestFilterResultBuilder.class, (self, method, arguments) -> switch (method.getName()) {
            case "shortCircuitResponse" -> stage(result(null, (ApiMessage) arguments[0], true, false));
            case "withCloseConnection" -> stage(result(null, null, false, true));
            default -> throw new UnsupportedOperationException(method.toString());
        });
    }

    private static Object stage(RequestFilterResult result) {
        return proxy(CloseOrTerminalStage.class, (self, method, arguments) -> switch (method.getName()) {
            case "build" -> result;
            case "completed" -> CompletableFuture.completedFuture(result);
            default -> throw new UnsupportedOperationException(method.toString());
        });
    }

    private static RequestFilterResult result(
            ApiMessage header, ApiMessage message, boolean shortCircuit, boolean close) {
        return proxy(RequestFilterResult.class, results(header, message, shortCircuit, close));
    }

    private static InvocationHandler results(
            ApiMessage header, ApiMessage message, boolean shortCircuit, boolean close) {
        return (self, method, arguments) -> switch (method.getName()) {
            case "header" -> header;
            case "message" -> message;
            case "shortCircuitResponse" -> shortCircuit;
            case "closeConnection" -> close;
            case "drop" -> false;
            case "toString" -> "header=" + header + " message=" + message + " close=" + close;
            default -> throw new UnsupportedOperationException(method.toString());
        };
    }

    private static FilterDispatchExecutor eventLoop() {
        return proxy(FilterDispatchExecutor.class, (self, method, arguments) -> {
            if (method.getName().equals("completeOnFilterDispatchThread")) {
                return ((CompletionStage<?>) arguments[0]).thenApply(value -> value);
            }
            throw new UnsupportedOperationException(method.toString());
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                return handler.invoke(self, method, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    @Override
    public void close() {
        meters.close();
        gateway.close();
    }
}
