/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import io.grpc.Status;
import java.time.Duration;
import java.util.Map;

/** What the receiver says to a request. */
public sealed interface Answer {

    /** The success that a collector gives. */
    Answer ACCEPT = new PartialSuccess(0, "");

    /**
     * Success, with some points refused.
     *
     * @param rejectedDataPoints how many; 0 with a message is OTLP's way to warn
     * @param message why
     */
    record PartialSuccess(long rejectedDataPoints, String message) implements Answer {}

    /**
     * An HTTP status; a request over gRPC gets UNKNOWN instead.
     *
     * @param code the status code
     * @param headers headers to add, such as {@code Retry-After}
     * @param body the body, as plain text
     */
    record Http(int code, Map<String, String> headers, String body) implements Answer {}

    /**
     * A gRPC status; a request over HTTP gets 500 instead.
     *
     * @param status code and description
     * @param retryDelay the delay of a {@code google.rpc.RetryInfo} in the status' details, null for a status without
     */
    record Grpc(Status status, Duration retryDelay) implements Answer {}

    /**
     * No answer as long as the receiver lives.
     *
     * @param withinBody over HTTP: whether status 200 and the start of a body come before the silence
     */
    record Stall(boolean withinBody) implements Answer {}
}
