/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/** What the plugin says of itself in the metrics about it that arrived. Thread-safe. */
final class ReceivedPluginMetrics {
    private static final String SCOPE = "dev.clienttelemetry";
    private static final String PUSHES = "client_telemetry.push.received";
    private static final String REFUSED = "client_telemetry.plugin.errors";
    private static final String DROPPED = "client_telemetry.push.dropped";
    private static final String EXPORTED = "otel.sdk.exporter.metric_data_point.exported";

    private final Map<String, Map<Map<String, String>, Double>> latest = new HashMap<>();

    /** Takes note of what arrived. */
    synchronized void received(ReceivedRequest request) {
        for (ReceivedPoint point : request.points()) {
            if (point.scope().equals(SCOPE)) {
                latest.computeIfAbsent(point.name(), name -> new HashMap<>()).put(point.attributes(), point.value());
            }
        }
    }

    /** Returns the plugin's own numbers in one line. */
    synchronized String line() {
        if (latest.isEmpty()) {
            return "the plugin has sent no metrics of its own so far";
        }
        return "the plugin counted " + sum(PUSHES) + " pushes, " + sum(REFUSED) + " refused, " + sum(DROPPED)
                + " dropped; " + sum(EXPORTED, succeeded()) + " data points sent";
    }

    /** What ended without success carries an {@code error.type}, by OpenTelemetry's semantic conventions. */
    private static Predicate<Map<String, String>> succeeded() {
        return attributes -> !attributes.containsKey("error.type");
    }

    private long sum(String name) {
        return sum(name, all -> true);
    }

    private long sum(String name, Predicate<Map<String, String>> which) {
        return (long) latest.getOrDefault(name, Map.of()).entrySet().stream()
                .filter(series -> which.test(series.getKey()))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
