/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Locale;

/** The labels that the host adds to a push as resource attributes; the names are KIP-714's. */
public enum Label {
    CLIENT_INSTANCE_ID,
    CLIENT_ID,
    CLIENT_SOFTWARE_NAME,
    CLIENT_SOFTWARE_VERSION,
    CLIENT_SOURCE_ADDRESS,
    PRINCIPAL,
    BROKER_ID,
    CLIENT_SOURCE_PORT,
    LISTENER_NAME,
    SECURITY_PROTOCOL,
    CLUSTER_ID;

    private final String key = name().toLowerCase(Locale.ROOT);

    /** Returns the attribute's key, for example {@code client_id}. */
    public String key() {
        return key;
    }
}
