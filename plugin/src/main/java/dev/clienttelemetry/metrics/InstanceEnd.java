/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/** Why a client instance is no longer remembered. */
public enum InstanceEnd {
    /** It sent its terminating push. */
    TERMINATED,
    /** It did not push for so long that it counts as gone. */
    EXPIRED,
    /** {@code client.telemetry.instances.max} was reached and it was the one seen least recently. */
    EVICTED
}
