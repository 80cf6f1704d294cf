/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.metrics.RefusalReason;

/**
 * Bytes that are no sound OTLP. Carries no stack trace: a hostile client decides how often it is thrown. Its message is
 * bounded and holds nothing that the client wrote.
 */
public final class MalformedPushException extends Exception {
    private final transient RefusalReason reason;

    /**
     * Creates the exception.
     *
     * @param reason the kind of fault
     * @param message what was found and where
     */
    public MalformedPushException(RefusalReason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    /** Returns the kind of fault, for the error metric. */
    public RefusalReason reason() {
        return reason;
    }
}
