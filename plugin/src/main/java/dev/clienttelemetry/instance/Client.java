/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

/**
 * A client as the host knows it from a request: the values behind the labels. A component is null where the host
 * cannot know it, and is then left out as a label.
 *
 * @param clientId the request header's client id
 * @param softwareName {@code client.software.name} of ApiVersions
 * @param softwareVersion {@code client.software.version} of ApiVersions
 * @param sourceAddress the client's address as {@code InetAddress.getHostAddress()} writes it
 * @param sourcePort the client's port, decimal
 * @param principal the authenticated principal, for example {@code User:alice}
 * @param listenerName the listener that the client is connected to
 * @param securityProtocol the listener's security protocol, for example {@code SASL_SSL}
 */
public record Client(
        String clientId,
        String softwareName,
        String softwareVersion,
        String sourceAddress,
        String sourcePort,
        String principal,
        String listenerName,
        String securityProtocol) {}
