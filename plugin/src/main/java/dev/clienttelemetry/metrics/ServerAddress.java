/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/**
 * Where pushes are sent to: {@code server.address} and {@code server.port} of OpenTelemetry's semantic conventions.
 *
 * @param host a host's name or an address, an IPv6 one without brackets
 * @param port its port
 */
public record ServerAddress(String host, int port) {}
