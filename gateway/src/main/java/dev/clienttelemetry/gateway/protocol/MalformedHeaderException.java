/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

/** A request header whose client instance id cannot be read. Carries no stack trace: clients can provoke it at will. */
public final class MalformedHeaderException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedHeaderException(String found) {
        super("The request's header has " + found, null, false, false);
    }
}
