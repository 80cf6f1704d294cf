/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import dev.clienttelemetry.metrics.Counter;

/** What is counted while answering telemetry requests, since start. Thread-safe. */
public final class TelemetryRequestMetrics {
    private final Counter newInstances = new Counter();
    private final Counter unknownInstances = new Counter();
    private final Counter throttledPushes = new Counter();
    private final Counter unknownSubscriptions = new Counter();
    private final Counter unsupportedCompressions = new Counter();
    private final Counter tooLarge = new Counter();
    private final Counter undecompressable = new Counter();

    /** GetTelemetrySubscriptions without a client instance id: KIP-714's ClientMetricsNewInstanceCount. */
    public Counter newInstances() {
        return newInstances;
    }

    /** Telemetry requests for ids that are not known here: KIP-714's ClientMetricsUnknownInstanceCount. */
    public Counter unknownInstances() {
        return unknownInstances;
    }

    /** Throttled pushes: KIP-714's ClientMetricsThrottleCount. */
    public Counter throttledPushes() {
        return throttledPushes;
    }

    /** Pushes with a SubscriptionId that is not the instance's present one. */
    public Counter unknownSubscriptions() {
        return unknownSubscriptions;
    }

    /** Pushes with a compression that there is not. */
    public Counter unsupportedCompressions() {
        return unsupportedCompressions;
    }

    /** Pushes whose payload is too large, as it is sent or decompressed, or has too many compressed blocks. */
    public Counter tooLarge() {
        return tooLarge;
    }

    /** Pushes whose payload is not what its compression type says; they never reach the exporter. */
    public Counter undecompressable() {
        return undecompressable;
    }
}
