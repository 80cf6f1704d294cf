/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import java.nio.ByteBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;

/** A push as a broker hands it over. */
record Push(Uuid clientInstanceId, boolean isTerminating, String contentType, ByteBuffer data)
        implements ClientTelemetryPayload {

    static Push of(Uuid clientInstanceId, byte[] payload) {
        return new Push(clientInstanceId, false, "OTLP", ByteBuffer.wrap(payload));
    }

    static Push last(Uuid clientInstanceId, byte[] payload) {
        return new Push(clientInstanceId, true, "OTLP", ByteBuffer.wrap(payload));
    }
}
