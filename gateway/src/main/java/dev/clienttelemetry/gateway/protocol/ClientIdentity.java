/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

/**
 * What the gateway can know of a client.
 *
 * @param clientId the {@code client.id} in its request headers, or null
 * @param softwareName its client library as ApiVersions told it, or {@code unknown}
 * @param softwareVersion the library's version as ApiVersions told it, or {@code unknown}
 */
public record ClientIdentity(String clientId, String softwareName, String softwareVersion) {}
