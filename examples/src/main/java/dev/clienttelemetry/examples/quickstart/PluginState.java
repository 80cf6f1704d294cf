/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.io.IOException;

/**
 * How far the plugin is.
 *
 * @param clients client instances that push
 * @param pushes pushes accepted
 * @param pointsSent data points that the endpoint took
 * @param reachable whether the endpoint takes requests
 */
record PluginState(long clients, long pushes, long pointsSent, boolean reachable) {

    static PluginState read(PluginMetrics metrics) throws IOException {
        return new PluginState(
                metrics.value("ClientMetricsActiveInstanceCount").orElse(0),
                metrics.value("ClientMetricsPushCount").orElse(0),
                metrics.value("ClientMetricsPointSentCount").orElse(0),
                metrics.value("ClientMetricsBackendReachable").orElse(0) == 1);
    }

    String line() {
        return clients + " client instances, " + pushes + " pushes, " + pointsSent
                + " data points taken by the endpoint" + (reachable ? "" : " (not reachable now)");
    }
}
