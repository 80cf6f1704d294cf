/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

/** How OTLP is spoken: {@code otel.exporter.otlp.protocol}. */
enum OtlpProtocol {
    GRPC("grpc", "OTLP over gRPC (usually port 4317)"),
    HTTP_PROTOBUF("http/protobuf", "OTLP over HTTP (usually port 4318)");

    private final String configured;
    private final String description;

    OtlpProtocol(String configured, String description) {
        this.configured = configured;
        this.description = description;
    }

    /** Returns the value of the setting. */
    String configured() {
        return configured;
    }

    String description() {
        return description;
    }
}
