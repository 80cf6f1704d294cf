/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.List;

/** Thrown when subscriptions cannot be taken from where they come from; nothing of the source then counts. */
public final class InvalidSourceException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<SourceError> errors;

    /**
     * Creates the exception from all errors of the files.
     *
     * @param errors the errors, at least one
     */
    public InvalidSourceException(List<SourceError> errors) {
        super(String.join("\n", errors.stream().map(SourceError::toString).toList()));
        this.errors = List.copyOf(errors);
    }

    InvalidSourceException(String message) {
        super(message);
        this.errors = List.of();
    }

    InvalidSourceException(String message, Throwable cause) {
        super(message, cause);
        this.errors = List.of();
    }

    /** Returns the errors in files, empty where the source is no file. */
    public List<SourceError> errors() {
        return errors;
    }
}
