/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.clienttelemetry.gateway.GatewaySettings;
import dev.clienttelemetry.subscription.ClientMetricsConfigProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;

/**
 * The {@code config} of the filter's definition, as it is written: everything but {@code subscriptions} may be absent.
 * {@link GatewaySettings} says what the keys mean.
 */
public record ClientTelemetryGatewayConfig(
        @JsonProperty String name,
        @JsonProperty String exporter,
        @JsonProperty Map<String, Object> exporterConfig,
        @JsonProperty(required = true) SubscriptionsConfig subscriptions,
        @JsonProperty Integer telemetryMaxBytes,
        @JsonProperty Integer instancesMax,
        @JsonProperty Boolean headerRule,
        @JsonProperty Boolean passHeaderId,
        @JsonProperty Boolean echoClientInstanceId,
        @JsonProperty Integer workers,
        @JsonProperty Long waitingMaxBytes,
        @JsonProperty String brokerId,
        @JsonProperty String clusterId) {

    /** The {@code subscriptions} of the filter's configuration; everything but {@code path} may be absent. */
    public record SubscriptionsConfig(
            @JsonProperty String provider,
            @JsonProperty Map<String, Object> parameters,
            @JsonProperty(required = true) String path,
            @JsonProperty Long refreshMs) {

        GatewaySettings.Subscriptions settings() {
            return new GatewaySettings.Subscriptions(
                    orElse(provider, ClientMetricsConfigProvider.class.getName()),
                    text("subscriptions.parameters", parameters),
                    path,
                    orElse(refreshMs, GatewaySettings.Subscriptions.DEFAULT_REFRESH_MS));
        }
    }

    GatewaySettings settings() {
        if (subscriptions == null) {
            throw new ConfigException("subscriptions", null, "must name at least the path of the subscriptions");
        }
        return new GatewaySettings(
                orElse(name, GatewaySettings.DEFAULT_NAME),
                orElse(exporter, GatewaySettings.DEFAULT_EXPORTER),
                text("exporterConfig", exporterConfig),
                subscriptions.settings(),
                orElse(telemetryMaxBytes, GatewaySettings.DEFAULT_TELEMETRY_MAX_BYTES),
                orElse(instancesMax, GatewaySettings.DEFAULT_INSTANCES_MAX),
                orElse(headerRule, true),
                orElse(passHeaderId, true),
                orElse(echoClientInstanceId, true),
                orElse(workers, GatewaySettings.DEFAULT_WORKERS),
                orElse(waitingMaxBytes, GatewaySettings.DEFAULT_WAITING_MAX_BYTES),
                brokerId,
                clusterId);
    }

    private static <T> T orElse(T value, T absent) {
        return value == null ? absent : value;
    }

    /** YAML has numbers, booleans and lists where a broker's properties have text. */
    private static Map<String, String> text(String key, Map<String, Object> values) {
        Map<String, String> text = new LinkedHashMap<>();
        if (values != null) {
            values.forEach((name, value) -> {
                if (value instanceof List<?> list) {
                    text.put(name, list.stream().map(String::valueOf).collect(Collectors.joining(",")));
                } else if (value instanceof Map) {
                    throw new ConfigException(
                            key + ": " + name + " must be one value; write keys in full, with their dots");
                } else if (value != null) {
                    text.put(name, value.toString());
                }
            });
        }
        return text;
    }

    /** Returns no values, since Kroxylicious puts this into error messages and some of the values are secrets. */
    @Override
    public String toString() {
        return "ClientTelemetryGatewayConfig";
    }
}
