/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.Optional;

/** What a match selector can look at: the client attributes of KIP-714, "Client matching". */
public enum ClientAttribute {
    /** The client instance id as Kafka's 22 characters. */
    CLIENT_INSTANCE_ID("client_instance_id"),
    /** The client id of the request header. */
    CLIENT_ID("client_id"),
    /** The software name that the client sends with ApiVersions. */
    CLIENT_SOFTWARE_NAME("client_software_name"),
    /** The software version that the client sends with ApiVersions. */
    CLIENT_SOFTWARE_VERSION("client_software_version"),
    /** The client's address as text. */
    CLIENT_SOURCE_ADDRESS("client_source_address"),
    /** The client's port, decimal. */
    CLIENT_SOURCE_PORT("client_source_port");

    private final String key;

    ClientAttribute(String key) {
        this.key = key;
    }

    /** Returns the attribute's name in a CLIENT_METRICS {@code match} entry. */
    public String key() {
        return key;
    }

    /**
     * Finds an attribute by its name.
     *
     * @param key the name, exactly as in a {@code match} entry
     * @return the attribute, empty where Kafka knows none of that name
     */
    static Optional<ClientAttribute> forKey(String key) {
        for (ClientAttribute attribute : values()) {
            if (attribute.key.equals(key)) {
                return Optional.of(attribute);
            }
        }
        return Optional.empty();
    }
}
