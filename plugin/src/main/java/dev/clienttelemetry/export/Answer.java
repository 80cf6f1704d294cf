/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import java.util.concurrent.TimeUnit;

/**
 * What came of one request.
 *
 * @param outcome what it means for the request's content
 * @param errorType {@code error.type} of OpenTelemetry's semantic conventions; empty for a success
 * @param detail why, in one line for the log, without secrets; empty for a plain success
 * @param retryAfterNanos how long the endpoint asked to wait before anything more is sent to it, or -1
 * @param rejectedPoints data points that the backend rejected in a partial success
 */
record Answer(Outcome outcome, String errorType, String detail, long retryAfterNanos, long rejectedPoints) {
    enum Outcome {
        /** The backend took it, perhaps but for {@link Answer#rejectedPoints}. */
        ACCEPTED,
        /** No fault of the content: the endpoint cannot be reached or cannot take it now. To be sent again later. */
        RETRY,
        /** No answer in time, which may be the content's fault. To be sent again later. */
        TIMEOUT,
        /** A connection kept from an earlier request was closed by the other side. To be sent again at once. */
        STALE_CONNECTION,
        /** The backend will never take this content. */
        CONTENT_REFUSED,
        /** The endpoint refuses, whatever the content: credentials, address or protocol are wrong. */
        ENDPOINT_REFUSES,
        /** Given up by {@link OtlpTransport#close}. */
        CANCELLED
    }

    static final long NO_RETRY_AFTER = -1;

    /** The {@code error.type} of an answer that says success and is none of OTLP. */
    static final String INVALID_RESPONSE = "invalid_response";

    /** The {@code error.type} of what was given up before there was an answer. */
    static final String CANCELLED = "cancelled";

    /**
     * The longest silence that an endpoint gets by asking for it: one push interval at the default. An endpoint that asks
     * for an hour may be well again in a minute, and a look every five minutes burdens none.
     */
    static final long MAX_SILENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** Where not even that can be said: {@code error.type}'s value for what is not known. */
    private static final Answer UNEXPECTED = of(Outcome.RETRY, "_OTHER", "a request failed unexpectedly");

    /** Returns the answer to an attempt that failed in a way that has no business to be. Never throws. */
    static Answer unexpected(Throwable failure) {
        try {
            String type = ErrorTypes.of(failure);
            return of(Outcome.RETRY, type, type + ": " + Quoted.line(failure.getMessage()));
        } catch (RuntimeException | Error e) {
            return UNEXPECTED;
        }
    }

    static Answer of(Outcome outcome, String errorType, String detail) {
        return new Answer(outcome, errorType, detail, NO_RETRY_AFTER, 0);
    }

    static Answer accepted(PartialSuccess partial) {
        return new Answer(Outcome.ACCEPTED, "", partial.message(), NO_RETRY_AFTER, partial.rejectedPoints());
    }

    /** The same with another detail. */
    Answer saying(String other) {
        return new Answer(outcome, errorType, other, retryAfterNanos, rejectedPoints);
    }

    /** The same with another outcome and something added to the detail. */
    Answer as(Outcome other, String addition) {
        return new Answer(other, errorType, detail + addition, retryAfterNanos, rejectedPoints);
    }
}
