/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import org.apache.kafka.common.Uuid;

/**
 * A push that passed the checks, for the exporter.
 *
 * @param clientInstanceId who pushes
 * @param client what is known of the client
 * @param terminating whether the client says that it is its last
 * @param metrics the OTLP {@code MetricsData}, decompressed
 * @param pushIntervalMs the interval that the client was told, in milliseconds
 */
public record PushedMetrics(
        Uuid clientInstanceId, ClientIdentity client, boolean terminating, byte[] metrics, int pushIntervalMs) {}
