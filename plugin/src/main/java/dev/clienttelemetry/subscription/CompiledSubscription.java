/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.Uuid;

/**
 * What one client is asked for: the set of subscriptions compiled for it. Immutable.
 *
 * @param metrics the requested metric name prefixes, sorted, without duplicates or prefixes that others cover; exactly
 *     {@code *} where everything is asked for; empty where nothing matches
 * @param intervalMs the push interval in milliseconds, at most {@value Subscription#DEFAULT_INTERVAL_MS}
 */
public record CompiledSubscription(List<String> metrics, int intervalMs) {

    /** Copies the list. */
    public CompiledSubscription {
        metrics = List.copyOf(metrics);
    }

    /**
     * Returns the SubscriptionId: CRC32C over metrics and interval, XORed with the hash of the client instance id. The
     * same input gives the same id in every JVM, so clients survive a restart of the host without a new subscription.
     * Apache Kafka computes it alike but over a set in no particular order, so the values differ.
     *
     * @param clientInstanceId the client instance
     */
    public int subscriptionId(Uuid clientInstanceId) {
        CRC32C crc = new CRC32C();
        for (String metric : metrics) {
            crc.update(metric.getBytes(StandardCharsets.UTF_8));
            crc.update(',');
        }
        for (int shift = 24; shift >= 0; shift -= 8) {
            crc.update(intervalMs >>> shift);
        }
        long bits = clientInstanceId.getMostSignificantBits() ^ clientInstanceId.getLeastSignificantBits();
        return (int) crc.getValue() ^ (int) (bits ^ (bits >>> 32));
    }
}
