/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

/**
 * A push ready to be sent: the {@code resource_metrics} fields of an ExportMetricsServiceRequest, so that the bytes of
 * several pushes one after the other are one request.
 *
 * @param bytes the bytes, exactly as long as the push
 * @param points the number of data points in it
 */
public record ConvertedPush(byte[] bytes, int points) {}
