/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

/** Takes the pushes that passed the checks. Called by several threads at once, for one client instance in order. */
@FunctionalInterface
public interface PushExporter {
    /**
     * Takes a push.
     *
     * @throws RuntimeException when it is refused; the client gets INVALID_RECORD
     */
    void export(PushedMetrics push);
}
