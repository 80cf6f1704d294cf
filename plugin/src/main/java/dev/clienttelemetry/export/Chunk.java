/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.instance.ClientInstance;

/**
 * One converted push on its way to the backend. Chunks one after the other are the body of one request.
 *
 * @param instance whose push it is: chunks of one instance are sent in order
 * @param bytes what to send
 * @param points the number of data points in the bytes
 * @param receivedNanos when the push was received, by the monotonic clock
 */
public record Chunk(ClientInstance instance, byte[] bytes, int points, long receivedNanos) {
    int size() {
        return bytes.length;
    }
}
