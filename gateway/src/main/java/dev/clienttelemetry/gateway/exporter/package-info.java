/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The Kafka telemetry plugin that the gateway hands pushes to, configured and called as a broker would. Uses
 * {@code protocol} for what a push is.
 */
package dev.clienttelemetry.gateway.exporter;
