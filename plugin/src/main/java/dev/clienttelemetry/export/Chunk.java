/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.instance.ClientInstance;
import java.io.IOException;
import java.io.OutputStream;

/**
 * One converted push on its way to the backend. Chunks one after the other are the body of one request.
 *
 * @param instance whose push it is: chunks of one instance are sent in order
 * @param head the first bytes to send; may be none
 * @param body holds the others, from {@code bodyStart} to its end
 * @param bodyStart where in the body they begin; what is before it is not worth counting
 * @param points the number of data points in the bytes
 * @param receivedNanos when the push was received, by the monotonic clock
 */
public record Chunk(ClientInstance instance, byte[] head, byte[] body, int bodyStart, int points, long receivedNanos) {
    private static final byte[] NOTHING = {};

    /** Creates a chunk of bytes in one array. */
    Chunk(ClientInstance instance, byte[] bytes, int points, long receivedNanos) {
        this(instance, NOTHING, bytes, 0, points, receivedNanos);
    }

    /** Returns the same chunk with nothing to send. */
    Chunk withoutBytes() {
        return new Chunk(instance, NOTHING, points, receivedNanos);
    }

    int size() {
        return head.length + body.length - bodyStart;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(head);
        out.write(body, bodyStart, body.length - bodyStart);
    }
}
