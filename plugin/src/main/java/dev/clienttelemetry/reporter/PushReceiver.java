/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.otlp.MalformedPushException;
import dev.clienttelemetry.pipeline.Pipeline;
import java.nio.ByteBuffer;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;

/**
 * The request thread's part of a push: check, copy, hand over. Thread-safe, never blocks.
 *
 * <p>Kafka never forgets the object that it got from a reporter, and goes on calling it when the reporter is closed:
 * from then on it does nothing and holds nothing.
 */
final class PushReceiver {
    private static final byte[] NOTHING = new byte[0];

    private record Target(Pipeline pipeline, PushPayload payloads) {}

    private final boolean maybeCompressed;
    private volatile Target target;

    /**
     * Creates a receiver that is not open.
     *
     * @param maybeCompressed whether the host hands payloads over as clients compressed them
     */
    PushReceiver(boolean maybeCompressed) {
        this.maybeCompressed = maybeCompressed;
    }

    void open(Pipeline pipeline, int maxPayloadBytes) {
        target = new Target(pipeline, new PushPayload(maxPayloadBytes, maybeCompressed));
    }

    void close() {
        target = null;
    }

    /**
     * Takes a push in.
     *
     * @param context the request's context
     * @param payload the push. Its content type is not looked at: KIP-714 knows one, and the bytes are checked
     * @param pushIntervalMs the push interval in milliseconds where the host tells it, else 0
     * @throws InvalidRecordException only where the bytes are no sound OTLP. The broker answers INVALID_RECORD, for which
     *     clients stop pushing for good, and so it would for anything else that is thrown here: hence nothing is
     */
    void push(AuthorizableRequestContext context, ClientTelemetryPayload payload, int pushIntervalMs) {
        Target open = target;
        if (open == null) {
            return;
        }
        Pipeline pipeline = open.pipeline;
        InvalidRecordException refusal = null;
        long start = System.nanoTime();
        try {
            try {
                refusal = take(open, context, payload, pushIntervalMs);
            } finally {
                pipeline.metrics().exportTime().record(System.nanoTime() - start);
            }
        } catch (Throwable unexpected) {
            pipeline.failed(unexpected);
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private static InvalidRecordException take(
            Target open, AuthorizableRequestContext context, ClientTelemetryPayload payload, int pushIntervalMs) {
        Pipeline pipeline = open.pipeline;
        Uuid id = payload.clientInstanceId();
        long most = id.getMostSignificantBits();
        long least = id.getLeastSignificantBits();
        boolean terminating = payload.isTerminating();
        ByteBuffer data = payload.data();
        byte[] bytes;
        try {
            bytes = data == null || !data.hasRemaining() ? NOTHING : open.payloads.sound(data);
        } catch (MalformedPushException malformed) {
            pipeline.metrics().refusals().increment(malformed.reason());
            if (terminating) {
                pipeline.ended(most, least);
            }
            // ApiException has no stack trace. An id is safe to show, and so is what the check says.
            return new InvalidRecordException(
                    "The push of client instance " + id + " is refused: " + malformed.getMessage());
        }
        ClientInstance known = pipeline.live(most, least);
        Client client = RequestClient.of(context, known == null ? null : known.client());
        ClientInstance instance = pipeline.pushed(known, most, least, client, pushIntervalMs, terminating);
        if (bytes == null) {
            pipeline.drop(instance, PushDropReason.TOO_LARGE, terminating);
        } else {
            pipeline.accept(instance, client, bytes, terminating);
        }
        return null;
    }
}
