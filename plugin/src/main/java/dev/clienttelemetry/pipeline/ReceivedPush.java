/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.export.Unconverted;
import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;

/**
 * A checked push on its way from a request thread to the worker.
 *
 * @param instance whose push it is
 * @param client the client as the host knew it with this push
 * @param payload the payload, exactly as long as the push
 * @param terminating whether it is the instance's last push
 * @param receivedNanos when it was received, by the monotonic clock
 */
record ReceivedPush(ClientInstance instance, Client client, byte[] payload, boolean terminating, long receivedNanos)
        implements Unconverted {
    @Override
    public int size() {
        return payload.length;
    }
}
