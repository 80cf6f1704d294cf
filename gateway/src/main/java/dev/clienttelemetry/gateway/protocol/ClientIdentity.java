/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import dev.clienttelemetry.instance.Client;

/**
 * What the gateway can know of a client. What is longer than {@link Client#MAX_VALUE_BYTES} is cut to it, since a client
 * chooses up to 32 KiB and every instance remembered holds them.
 *
 * @param clientId the {@code client.id} in its request headers, or null
 * @param softwareName its client library as ApiVersions told it, or {@code unknown}
 * @param softwareVersion the library's version as ApiVersions told it, or {@code unknown}
 */
public record ClientIdentity(String clientId, String softwareName, String softwareVersion) {
    /** Cuts what is too long. */
    public ClientIdentity {
        clientId = Client.cut(clientId);
        softwareName = Client.cut(softwareName);
        softwareVersion = Client.cut(softwareVersion);
    }
}
