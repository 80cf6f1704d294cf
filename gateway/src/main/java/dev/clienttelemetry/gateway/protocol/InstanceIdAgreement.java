/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import org.apache.kafka.common.Uuid;

/**
 * What follows from the client instance ids in the header and the body of a telemetry request: the tables "Pre-KIP-1313"
 * and "Post-KIP-1313" of KIP-1313 for GetTelemetrySubscriptions v0, and the same for PushTelemetry v0.
 */
public final class InstanceIdAgreement {
    private final boolean headerAware;
    private final boolean echo;

    /**
     * Creates the tables for a broker.
     *
     * @param headerAware whether the broker expects the id in request headers (post KIP-1313) or ignores it there (pre)
     * @param echo whether to answer a client's own id where the table says zero, to clients without a header id: all
     *     released Java clients refuse a zero there
     */
    public InstanceIdAgreement(boolean headerAware, boolean echo) {
        this.headerAware = headerAware;
        this.echo = echo;
    }

    /** What a GetTelemetrySubscriptions v0 asks for. */
    enum Subscribing {
        /** A new client instance id, to be made and answered. */
        INITIAL,
        /** The client names its id. */
        NON_INITIAL,
        /** Header and body disagree: INVALID_REQUEST. */
        NOT_ALLOWED
    }

    /**
     * Looks a GetTelemetrySubscriptions v0 up.
     *
     * @param headerId the id in the header, zero where there is none
     * @param requestId the id in the body
     */
    Subscribing subscribing(Uuid headerId, Uuid requestId) {
        if (!pushAllowed(headerId, requestId)) {
            return Subscribing.NOT_ALLOWED;
        }
        return isZero(requestId) ? Subscribing.INITIAL : Subscribing.NON_INITIAL;
    }

    /**
     * Returns the id to answer to a client that named its own.
     *
     * @param headerId the id in the header, zero where there is none
     * @param requestId the id in the body
     */
    Uuid answered(Uuid headerId, Uuid requestId) {
        return echo && isZero(seen(headerId)) ? requestId : Uuid.ZERO_UUID;
    }

    /**
     * Returns whether a body may carry its id under this header.
     *
     * @param headerId the id in the header, zero where there is none
     * @param requestId the id in the body
     */
    boolean pushAllowed(Uuid headerId, Uuid requestId) {
        Uuid seen = seen(headerId);
        return isZero(seen) || seen.equals(requestId);
    }

    private Uuid seen(Uuid headerId) {
        return headerAware ? headerId : Uuid.ZERO_UUID;
    }

    private static boolean isZero(Uuid id) {
        return Uuid.ZERO_UUID.equals(id);
    }
}
