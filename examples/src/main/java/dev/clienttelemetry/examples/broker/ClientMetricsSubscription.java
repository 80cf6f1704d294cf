/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/**
 * A CLIENT_METRICS subscription (KIP-714).
 *
 * @param name the resource's name
 * @param metrics prefixes of metric names; {@code *} for all
 * @param interval the push interval, 100 ms to 300 s
 * @param match match selectors such as {@code client_id=demo-.*}; none matches every client
 */
public record ClientMetricsSubscription(String name, List<String> metrics, Duration interval, List<String> match) {
    private static final int TIMEOUT_SECONDS = 30;

    /** Returns a subscription of every client to every metric. */
    public static ClientMetricsSubscription ofAllMetrics(String name, Duration interval) {
        return new ClientMetricsSubscription(name, List.of("*"), interval, List.of());
    }

    /**
     * Makes the cluster have this subscription.
     *
     * @throws ExecutionException where the cluster refuses it
     * @throws TimeoutException where the cluster does not answer
     * @throws InterruptedException where the thread is interrupted
     */
    public void apply(Admin admin) throws ExecutionException, InterruptedException, TimeoutException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, name);
        Collection<AlterConfigOp> changes = List.of(
                set("metrics", String.join(",", metrics)),
                set("interval.ms", Long.toString(interval.toMillis())),
                match.isEmpty()
                        ? new AlterConfigOp(new ConfigEntry("match", null), AlterConfigOp.OpType.DELETE)
                        : set("match", String.join(",", match)));
        admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private static AlterConfigOp set(String key, String value) {
        return new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
    }
}
