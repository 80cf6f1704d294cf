/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import dev.clienttelemetry.gateway.protocol.PushedMetrics;
import java.nio.ByteBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;

/** A push as Kafka's plugins see it: decompressed OTLP. */
final class OtlpPayload implements ClientTelemetryPayload {
    private static final String CONTENT_TYPE = "OTLP";

    private final PushedMetrics push;

    OtlpPayload(PushedMetrics push) {
        this.push = push;
    }

    @Override
    public Uuid clientInstanceId() {
        return push.clientInstanceId();
    }

    @Override
    public boolean isTerminating() {
        return push.terminating();
    }

    @Override
    public String contentType() {
        return CONTENT_TYPE;
    }

    @Override
    public ByteBuffer data() {
        return ByteBuffer.wrap(push.metrics()).asReadOnlyBuffer();
    }
}
