/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.Map;

/**
 * How a broker keeps the cluster's subscriptions equal to a source.
 *
 * @param provider a name in {@code config.providers}
 * @param path the path handed to that provider
 * @param prune whether subscriptions that are not supplied are deleted
 * @param refreshMs how often the source is read again where it gives no TTL, and how often the cluster is compared at
 *     least, in milliseconds
 * @param broker the broker's whole configuration: the providers, the inter-broker listener, {@code
 *     client.telemetry.admin.*}. Holds secrets
 */
public record SynchronizerSettings(String provider, String path, boolean prune, long refreshMs, Map<String, ?> broker) {

    /** Leaves the configuration out. */
    @Override
    public String toString() {
        return "SynchronizerSettings[provider=" + provider + ", path=" + path + ", prune=" + prune + ", refreshMs="
                + refreshMs + "]";
    }
}
