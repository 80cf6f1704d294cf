/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import org.apache.kafka.common.Uuid;

/**
 * A client as match selectors see it. A component is null where the host cannot know it; a selector on it then matches
 * nothing.
 *
 * @param clientInstanceId the client instance id
 * @param clientId the request header's client id
 * @param softwareName {@code client.software.name} of ApiVersions; {@code unknown} where empty, as for a broker
 * @param softwareVersion {@code client.software.version} of ApiVersions; {@code unknown} where empty, as for a broker
 * @param sourceAddress the client's address as {@code InetAddress.getHostAddress()} writes it
 * @param sourcePort the client's port, decimal
 */
public record ClientAttributes(
        Uuid clientInstanceId,
        String clientId,
        String softwareName,
        String softwareVersion,
        String sourceAddress,
        String sourcePort) {

    /** Creates the attributes of a client. */
    public ClientAttributes {
        softwareName = orUnknown(softwareName);
        softwareVersion = orUnknown(softwareVersion);
    }

    private static String orUnknown(String software) {
        return software != null && software.isEmpty() ? "unknown" : software;
    }

    /**
     * Returns the value of one attribute as a selector is held against it.
     *
     * @param attribute which attribute
     * @return the value, null where the host cannot know it
     */
    public String value(ClientAttribute attribute) {
        return switch (attribute) {
            case CLIENT_INSTANCE_ID -> clientInstanceId == null ? null : clientInstanceId.toString();
            case CLIENT_ID -> clientId;
            case CLIENT_SOFTWARE_NAME -> softwareName;
            case CLIENT_SOFTWARE_VERSION -> softwareVersion;
            case CLIENT_SOURCE_ADDRESS -> sourceAddress;
            case CLIENT_SOURCE_PORT -> sourcePort;
        };
    }
}
