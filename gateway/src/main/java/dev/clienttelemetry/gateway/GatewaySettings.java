/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import dev.clienttelemetry.otlp.Label;
import dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigException;

/**
 * The gateway's settings, checked. {@code src/site/markdown/gateway.md} lists the keys.
 *
 * @param name what tells this gateway's metrics from those of another one in the same process
 * @param exporter the class of the telemetry plugin that gets the pushes
 * @param exporterConfig the plugin's configuration; it may hold secrets, so it never shows in {@link #toString}
 * @param subscriptions where subscriptions come from
 * @param telemetryMaxBytes the most bytes of a push, compressed and decompressed
 * @param instancesMax the most client instances remembered
 * @param headerRule whether KIP-1313's rule for request headers is applied
 * @param passHeaderId whether the client instance id in request headers is passed on to the upstream
 * @param echoClientInstanceId whether clients without a header id get their own id back where KIP-1313 says zero
 * @param workers how many threads decompress pushes and call the plugin
 * @param waitingMaxBytes the most bytes of requests that may wait for these threads
 * @param brokerId the value of the label {@code broker_id}, or null for none
 * @param clusterId the value of the label {@code cluster_id}, or null for none
 */
public record GatewaySettings(
        String name,
        String exporter,
        Map<String, String> exporterConfig,
        Subscriptions subscriptions,
        int telemetryMaxBytes,
        int instancesMax,
        boolean headerRule,
        boolean passHeaderId,
        boolean echoClientInstanceId,
        int workers,
        long waitingMaxBytes,
        String brokerId,
        String clusterId) {
    /** The default of {@code name}. */
    public static final String DEFAULT_NAME = "client-telemetry";
    /** The default of {@code exporter}: our own plugin. */
    public static final String DEFAULT_EXPORTER = ClientTelemetryReceiverReporter.class.getName();
    /** The default of {@code telemetryMaxBytes}, as in Apache Kafka. */
    public static final int DEFAULT_TELEMETRY_MAX_BYTES = 1024 * 1024;
    /** The default of {@code instancesMax}, as in Apache Kafka. */
    public static final int DEFAULT_INSTANCES_MAX = 16384;
    /** The default of {@code workers}. */
    public static final int DEFAULT_WORKERS = 2;
    /** The default of {@code waitingMaxBytes}. */
    public static final long DEFAULT_WAITING_MAX_BYTES = 64L * 1024 * 1024;

    private static final String MAX_BYTES_KEY = "telemetry.max.bytes";
    private static final String LABELS_KEY = "client.telemetry.labels";
    private static final String KNOWN_LABELS = String.join(
            ", ",
            Label.CLIENT_INSTANCE_ID.key(),
            Label.CLIENT_ID.key(),
            Label.CLIENT_SOFTWARE_NAME.key(),
            Label.CLIENT_SOFTWARE_VERSION.key());
    private static final String[] PLUGINS_OWN_SUBSCRIPTIONS = {
        "client.telemetry.subscriptions.", "client.telemetry.admin."
    };

    /**
     * Where subscriptions come from.
     *
     * @param provider the class of the ConfigProvider
     * @param parameters its parameters
     * @param path the path handed to it
     * @param refreshMs how often it is asked again where it gives no TTL, in milliseconds
     */
    public record Subscriptions(String provider, Map<String, String> parameters, String path, long refreshMs) {
        /** The default of {@code refreshMs}, as in the plugin. */
        public static final long DEFAULT_REFRESH_MS = 30_000;

        /**
         * Checks the settings.
         *
         * @throws ConfigException naming the key and what would be right
         */
        public Subscriptions {
            parameters = Map.copyOf(parameters);
            if (path == null || path.isBlank()) {
                throw new ConfigException("subscriptions.path", path, "must be a path that the provider understands");
            }
            atLeast("subscriptions.refreshMs", refreshMs, 100);
        }
    }

    /**
     * Checks the settings.
     *
     * @throws ConfigException naming the key and what would be right
     */
    public GatewaySettings {
        if (name == null || name.isBlank()) {
            throw new ConfigException("name", name, "must not be empty");
        }
        atLeast("telemetryMaxBytes", telemetryMaxBytes, 1);
        atLeast("instancesMax", instancesMax, 1);
        atLeast("workers", workers, 1);
        atLeast("waitingMaxBytes", waitingMaxBytes, telemetryMaxBytes);
        if (!headerRule && !passHeaderId) {
            throw new ConfigException(
                    "passHeaderId",
                    false,
                    "must be true where headerRule is false: without the rule requests are passed on undecoded");
        }
        exporterConfig = checked(exporter, exporterConfig, telemetryMaxBytes, brokerId, clusterId);
    }

    private static Map<String, String> checked(
            String exporter, Map<String, String> config, int telemetryMaxBytes, String brokerId, String clusterId) {
        for (String key : new TreeSet<>(config.keySet())) {
            for (String prefix : PLUGINS_OWN_SUBSCRIPTIONS) {
                if (key.startsWith(prefix)) {
                    throw new ConfigException("exporterConfig: " + key
                            + " has no meaning in the gateway, which answers clients itself; use subscriptions");
                }
            }
        }
        Map<String, String> checked = new LinkedHashMap<>(config);
        checked.putIfAbsent(MAX_BYTES_KEY, String.valueOf(telemetryMaxBytes));
        if (exporter.equals(DEFAULT_EXPORTER)) {
            // What is known here; the plugin's own default is for a broker, which has no label for the cluster.
            checked.putIfAbsent(
                    LABELS_KEY,
                    KNOWN_LABELS
                            + (brokerId == null ? "" : ", " + Label.BROKER_ID.key())
                            + (clusterId == null ? "" : ", " + Label.CLUSTER_ID.key()));
        }
        return Map.copyOf(checked);
    }

    /** Returns whether so much may wait that it could fill a heap: what waits and what else there is need their halves. */
    public boolean isWaitingLargeFor(long heapBytes) {
        return waitingMaxBytes > heapBytes / 2;
    }

    private static void atLeast(String key, long value, long least) {
        if (value < least) {
            throw new ConfigException(key, value, "must be at least " + least);
        }
    }

    /** Returns the settings without the values of {@code exporterConfig} and the provider's parameters. */
    @Override
    public String toString() {
        return "name=" + name + ", exporter=" + exporter + ", exporterConfig=" + exporterConfig.keySet()
                + ", subscriptions=" + subscriptions.provider() + " at " + subscriptions.path();
    }
}
