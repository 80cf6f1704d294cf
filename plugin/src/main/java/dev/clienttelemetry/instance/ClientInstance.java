/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

/**
 * One client instance (KIP-714): the identity under which a client pushes from its start to its end. Thread-safe.
 * Identity is the object's own: an instance that comes back after it ended is another object.
 */
public final class ClientInstance {
    private final long idMostSignificantBits;
    private final long idLeastSignificantBits;
    private volatile Client client;
    private volatile boolean ended;

    ClientInstance(long idMostSignificantBits, long idLeastSignificantBits, Client client) {
        this.idMostSignificantBits = idMostSignificantBits;
        this.idLeastSignificantBits = idLeastSignificantBits;
        this.client = client;
    }

    /** Returns the upper half of the client instance id. */
    public long idMostSignificantBits() {
        return idMostSignificantBits;
    }

    /** Returns the lower half of the client instance id. */
    public long idLeastSignificantBits() {
        return idLeastSignificantBits;
    }

    /** Returns the client as the host saw it with the latest push. */
    public Client client() {
        return client;
    }

    /** Returns whether the instance has expired, was evicted or has sent its terminating push. */
    public boolean ended() {
        return ended;
    }

    void seen(Client client) {
        this.client = client;
    }

    void end() {
        ended = true;
    }
}
