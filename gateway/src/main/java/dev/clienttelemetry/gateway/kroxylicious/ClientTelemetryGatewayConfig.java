/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.clienttelemetry.gateway.GatewaySettings;
import dev.clienttelemetry.subscription.ClientMetricsConfigProvider;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * The {@code config} of the filter's definition, as it is written: everything but {@code subscriptions} may be absent.
 * {@link GatewaySettings} says what the keys mean.
 *
 * <p>Takes the map as it stands in the file rather than having Jackson fill fields: Kroxylicious has Jackson pass over
 * keys that it does not know, cut 2.7 to 2 and take 1 for true.
 */
public final class ClientTelemetryGatewayConfig {
    private static final String WAITING_MAX_BYTES = "waitingMaxBytes";
    static final List<String> KEYS = List.of(
            "exporter",
            "exporterConfig",
            "subscriptions",
            "clusterId",
            "brokerId",
            "headerRule",
            "passHeaderId",
            "echoClientInstanceId",
            "telemetryMaxBytes",
            "instancesMax",
            "workers",
            WAITING_MAX_BYTES,
            "name");
    static final List<String> SUBSCRIPTIONS_KEYS = List.of("path", "provider", "parameters", "refreshMs");

    private final Map<String, Object> values;

    /**
     * Takes a configuration, unchecked: what is wrong is told when the gateway starts.
     *
     * @param values the keys with their values as YAML has them
     */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public ClientTelemetryGatewayConfig(Map<String, Object> values) {
        this.values = Collections.unmodifiableMap(values);
    }

    GatewaySettings settings() {
        return settings(Runtime.getRuntime().maxMemory());
    }

    GatewaySettings settings(long heapBytes) {
        ConfigSection config = new ConfigSection("", values, KEYS);
        Map<?, ?> subscriptions = config.map("subscriptions");
        if (subscriptions == null) {
            throw new ConfigException("subscriptions", null, "must name at least the path of the subscriptions");
        }
        GatewaySettings settings = new GatewaySettings(
                config.text("name", GatewaySettings.DEFAULT_NAME),
                config.text("exporter", GatewaySettings.DEFAULT_EXPORTER),
                config.properties("exporterConfig"),
                settings(new ConfigSection("subscriptions.", subscriptions, SUBSCRIPTIONS_KEYS)),
                config.wholeNumber("telemetryMaxBytes", GatewaySettings.DEFAULT_TELEMETRY_MAX_BYTES),
                config.wholeNumber("instancesMax", GatewaySettings.DEFAULT_INSTANCES_MAX),
                config.flag("headerRule", true),
                config.flag("passHeaderId", true),
                config.flag("echoClientInstanceId", true),
                config.wholeNumber("workers", GatewaySettings.DEFAULT_WORKERS),
                config.wholeNumber(WAITING_MAX_BYTES, GatewaySettings.DEFAULT_WAITING_MAX_BYTES),
                config.text("brokerId", null),
                config.text("clusterId", null));
        if (values.get(WAITING_MAX_BYTES) != null && settings.isWaitingLargeFor(heapBytes)) {
            throw new ConfigException(
                    WAITING_MAX_BYTES,
                    settings.waitingMaxBytes(),
                    "must be at most half of the heap, which is " + heapBytes + " bytes (-Xmx): " + heapBytes / 2);
        }
        return settings;
    }

    private static GatewaySettings.Subscriptions settings(ConfigSection subscriptions) {
        return new GatewaySettings.Subscriptions(
                subscriptions.text("provider", ClientMetricsConfigProvider.class.getName()),
                subscriptions.properties("parameters"),
                subscriptions.text("path", null),
                subscriptions.wholeNumber("refreshMs", GatewaySettings.Subscriptions.DEFAULT_REFRESH_MS));
    }

    /** Returns no values, since Kroxylicious puts this into error messages and some of the values are secrets. */
    @Override
    public String toString() {
        return "ClientTelemetryGatewayConfig";
    }
}
