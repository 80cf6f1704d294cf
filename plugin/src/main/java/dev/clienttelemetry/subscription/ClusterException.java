/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

/** Thrown when a cluster does not answer, or does not allow what was asked. The message is one line for the operator. */
public final class ClusterException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what was asked and what came of it
     * @param cause what Kafka's client said, null where nothing
     */
    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
