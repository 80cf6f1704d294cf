/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import org.apache.kafka.common.Uuid;

/**
 * KIP-1313's rule for one connection: the first request whose header has room for a client instance id decides. With an
 * id, every later one must carry the same; without, none may carry one. A zero id is no id.
 *
 * <p>From which header version on there is room is a parameter: KIP-1313 as published puts the id into header v2, later
 * revisions into a v3. Requests with an older header are exempt.
 *
 * <p>Not thread-safe: a connection's requests come one after the other.
 */
public final class ConnectionClientInstanceId {
    /** The first header version with room for the id, as published. */
    public static final short HEADER_VERSION = 2;

    private final short firstHeaderVersion;
    private Uuid decided;

    /**
     * Creates the rule for a new connection.
     *
     * @param firstHeaderVersion the first header version that has room for the id
     */
    public ConnectionClientInstanceId(short firstHeaderVersion) {
        this.firstHeaderVersion = firstHeaderVersion;
    }

    /** Returns whether requests with this header are subject to the rule. */
    public boolean concerns(short headerVersion) {
        return headerVersion >= firstHeaderVersion;
    }

    /**
     * Takes the connection's next request.
     *
     * @param headerVersion the version of its header
     * @param id the id in its header, zero where there is none
     * @return whether the rule allows it
     */
    public boolean allows(short headerVersion, Uuid id) {
        if (!concerns(headerVersion)) {
            return true;
        }
        if (decided == null) {
            decided = id;
            return true;
        }
        return decided.equals(id);
    }
}
