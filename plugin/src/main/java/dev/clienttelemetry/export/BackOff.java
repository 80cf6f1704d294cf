/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import io.opentelemetry.sdk.common.export.RetryPolicy;
import java.util.function.DoubleSupplier;

/** How long to wait before the next attempt: OpenTelemetry's retry policy, whose number of attempts is a batch's life. */
final class BackOff {
    private static final double JITTER = 0.2;

    private final RetryPolicy policy;
    private final DoubleSupplier random;

    /**
     * Creates a back-off.
     *
     * @param policy initial and longest wait and how it grows
     * @param random from 0 (inclusive) to 1 (exclusive)
     */
    BackOff(RetryPolicy policy, DoubleSupplier random) {
        this.policy = policy;
        this.random = random;
    }

    /**
     * Returns the nanoseconds to wait, within a fifth around the policy's value, as OpenTelemetry's exporters do.
     *
     * @param attempts how many attempts failed, at least 1
     */
    long nanos(int attempts) {
        double longest = policy.getMaxBackoff().toNanos();
        double wait = policy.getInitialBackoff().toNanos() * Math.pow(policy.getBackoffMultiplier(), attempts - 1);
        return (long) (Math.min(wait, longest) * (1 - JITTER + 2 * JITTER * random.getAsDouble()));
    }
}
