/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * What the answers of OTLP endpoints mean, by the OTLP specification ("Failures", "Retryable Response Codes", "OTLP/gRPC
 * Throttling", "OTLP/HTTP Throttling").
 */
final class OtlpAnswers {
    private static final String RETRY_INFO = "/google.rpc.RetryInfo";

    private static final int CANCELLED = 1;
    private static final int INVALID_ARGUMENT = 3;
    private static final int DEADLINE_EXCEEDED = 4;
    private static final int NOT_FOUND = 5;
    private static final int PERMISSION_DENIED = 7;
    private static final int RESOURCE_EXHAUSTED = 8;
    private static final int ABORTED = 10;
    private static final int OUT_OF_RANGE = 11;
    private static final int UNIMPLEMENTED = 12;
    private static final int UNAVAILABLE = 14;
    private static final int DATA_LOSS = 15;
    private static final int UNAUTHENTICATED = 16;
    private static final String[] GRPC_NAMES = {
        "OK",
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED"
    };

    private static final String CHECK_CREDENTIALS = "; check the credentials in otel.exporter.otlp.headers";
    static final String CHECK_ADDRESS =
            "; check host, port and path in otel.exporter.otlp.endpoint, and otel.exporter.otlp.protocol";

    private static final String CHECK_BACKEND = "; see the backend's log";

    private OtlpAnswers() {}

    /**
     * Returns what a response without gRPC status means.
     *
     * @param status the HTTP status
     * @param retryAfter the Retry-After header, or null
     * @param message what the endpoint says, in one line
     * @param now the wall clock, for a Retry-After that is a date
     */
    static Answer http(int status, String retryAfter, String message, Instant now) {
        String said = "HTTP " + status + (message.isEmpty() ? "" : ": " + message);
        Answer.Outcome outcome;
        String remedy = "";
        long retryAfterNanos = Answer.NO_RETRY_AFTER;
        switch (status) {
            case 429, 502, 503 -> {
                outcome = Answer.Outcome.RETRY;
                retryAfterNanos = retryAfterNanos(retryAfter, now);
            }
            case 504 -> {
                outcome = Answer.Outcome.TIMEOUT;
                retryAfterNanos = retryAfterNanos(retryAfter, now);
            }
            case 400, 413, 422 -> outcome = Answer.Outcome.CONTENT_REFUSED;
            case 401, 403, 407 -> {
                outcome = Answer.Outcome.ENDPOINT_REFUSES;
                remedy = CHECK_CREDENTIALS;
            }
            default -> {
                outcome = Answer.Outcome.ENDPOINT_REFUSES;
                remedy = status < 500 ? CHECK_ADDRESS : CHECK_BACKEND;
            }
        }
        return new Answer(
                outcome, Integer.toString(status), said + remedy + askedToWait(retryAfterNanos), retryAfterNanos, 0);
    }

    /**
     * Returns what a gRPC status other than OK means.
     *
     * @param code the status code
     * @param message {@code grpc-message}, decoded, in one line
     * @param details {@code grpc-status-details-bin}, or null
     */
    static Answer grpc(int code, String message, String details) {
        String name = code >= 0 && code < GRPC_NAMES.length ? GRPC_NAMES[code] : "code " + code;
        String said = "gRPC " + name + (message.isEmpty() ? "" : ": " + message);
        Answer.Outcome outcome;
        String remedy = "";
        long retryAfterNanos = Answer.NO_RETRY_AFTER;
        switch (code) {
            case CANCELLED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS -> {
                outcome = Answer.Outcome.RETRY;
                retryAfterNanos = retryInfoNanos(details);
            }
            case DEADLINE_EXCEEDED -> {
                outcome = Answer.Outcome.TIMEOUT;
                retryAfterNanos = retryInfoNanos(details);
            }
            case RESOURCE_EXHAUSTED -> {
                retryAfterNanos = retryInfoNanos(details);
                outcome = retryAfterNanos == Answer.NO_RETRY_AFTER
                        ? Answer.Outcome.CONTENT_REFUSED
                        : Answer.Outcome.RETRY;
            }
            case INVALID_ARGUMENT -> outcome = Answer.Outcome.CONTENT_REFUSED;
            case PERMISSION_DENIED, UNAUTHENTICATED -> {
                outcome = Answer.Outcome.ENDPOINT_REFUSES;
                remedy = CHECK_CREDENTIALS;
            }
            case NOT_FOUND, UNIMPLEMENTED -> {
                outcome = Answer.Outcome.ENDPOINT_REFUSES;
                remedy = CHECK_ADDRESS;
            }
            default -> {
                outcome = Answer.Outcome.ENDPOINT_REFUSES;
                remedy = CHECK_BACKEND;
            }
        }
        return new Answer(outcome, name, said + remedy + askedToWait(retryAfterNanos), retryAfterNanos, 0);
    }

    /** Says for how long the endpoint wants silence, and how much of that it gets. */
    private static String askedToWait(long retryAfterNanos) {
        if (retryAfterNanos <= 0) {
            return "";
        }
        long second = TimeUnit.SECONDS.toNanos(1);
        String asked = "; it asks to wait "
                + (retryAfterNanos < second
                        ? TimeUnit.NANOSECONDS.toMillis(retryAfterNanos) + " ms"
                        : retryAfterNanos / second + (retryAfterNanos % second == 0 ? 0 : 1) + " s");
        return retryAfterNanos <= Answer.MAX_SILENCE_NANOS
                ? asked
                : asked + ", of which at most " + Answer.MAX_SILENCE_NANOS / second + " s are waited";
    }

    /** Returns the message of a {@code google.rpc.Status} (field 2), in one line. */
    static String statusMessage(byte[] status) {
        ProtoFields fields = new ProtoFields(status);
        String message = "";
        while (fields.next()) {
            if (fields.field() == 2) {
                message = fields.text();
            }
        }
        return Quoted.line(message);
    }

    /** Decodes {@code grpc-message}: percent-encoded UTF-8; what is malformed stays as it is. */
    static String grpcMessage(String encoded) {
        if (encoded == null) {
            return "";
        }
        byte[] in = encoded.getBytes(StandardCharsets.UTF_8);
        byte[] out = new byte[in.length];
        int length = 0;
        for (int i = 0; i < in.length; i++) {
            if (in[i] == '%' && i + 2 < in.length) {
                int high = Character.digit(in[i + 1], 16);
                int low = Character.digit(in[i + 2], 16);
                if (high >= 0 && low >= 0) {
                    out[length++] = (byte) (high << 4 | low);
                    i += 2;
                    continue;
                }
            }
            out[length++] = in[i];
        }
        return Quoted.line(new String(out, 0, length, StandardCharsets.UTF_8));
    }

    /** Retry-After (RFC 9110, 10.2.3): seconds or a date; -1 where it is neither. */
    static long retryAfterNanos(String value, Instant now) {
        if (value == null) {
            return Answer.NO_RETRY_AFTER;
        }
        String text = value.strip();
        try {
            if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return text.length() > 9 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(Long.parseLong(text));
            }
            Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return Math.max(0, Duration.between(now, date).toNanos());
        } catch (DateTimeException e) {
            return Answer.NO_RETRY_AFTER;
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /**
     * Returns {@code RetryInfo.retry_delay} from a base64 {@code google.rpc.Status}: details (field 3) are {@code Any}s of
     * type_url (1) and value (2), the delay (1) is a {@code Duration} of seconds (1) and nanos (2). -1 where there is none.
     */
    static long retryInfoNanos(String details) {
        if (details == null) {
            return Answer.NO_RETRY_AFTER;
        }
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(details.strip());
        } catch (IllegalArgumentException e) {
            return Answer.NO_RETRY_AFTER;
        }
        long delay = Answer.NO_RETRY_AFTER;
        ProtoFields status = new ProtoFields(decoded);
        while (status.next()) {
            if (status.field() == 3 && status.hasContent()) {
                delay = Math.max(delay, retryDelayNanos(status.content()));
            }
        }
        return delay;
    }

    private static long retryDelayNanos(byte[] detail) {
        String type = "";
        byte[] value = new byte[0];
        ProtoFields any = new ProtoFields(detail);
        while (any.next()) {
            if (any.field() == 1) {
                type = any.text();
            } else if (any.field() == 2) {
                value = any.content();
            }
        }
        if (!type.endsWith(RETRY_INFO)) {
            return Answer.NO_RETRY_AFTER;
        }
        long delay = 0;
        ProtoFields retryInfo = new ProtoFields(value);
        while (retryInfo.next()) {
            if (retryInfo.field() == 1) {
                ProtoFields duration = new ProtoFields(retryInfo.content());
                while (duration.next()) {
                    if (duration.field() == 1) {
                        delay += TimeUnit.SECONDS.toNanos(Math.max(0, duration.number()));
                    } else if (duration.field() == 2) {
                        delay += Math.max(0, Math.min(999_999_999, duration.number()));
                    }
                }
            }
        }
        return delay < 0 ? Long.MAX_VALUE : delay;
    }
}
