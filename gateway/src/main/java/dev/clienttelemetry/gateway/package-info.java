/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The gateway's assembly: its settings and the one object with a lifecycle that ties the protocol, the subscriptions and
 * the exporter together. Uses {@code protocol} and {@code exporter} and the plugin's classes; knows nothing of the host.
 */
package dev.clienttelemetry.gateway;
