/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import java.util.List;

/**
 * What the subscriptions that match a client ask of it together.
 *
 * @param metrics the prefixes of the metrics asked for; empty for none, {@code *} for all
 * @param pushIntervalMs the shortest interval of the matching subscriptions, in milliseconds
 * @param id the SubscriptionId, which changes with the two above
 */
public record CompiledSubscription(List<String> metrics, int pushIntervalMs, int id) {
    /** Copies the list. */
    public CompiledSubscription {
        metrics = List.copyOf(metrics);
    }
}
