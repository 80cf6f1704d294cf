/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

/** How a request came. */
public enum Transport {
    GRPC,
    HTTP_PROTOBUF
}
