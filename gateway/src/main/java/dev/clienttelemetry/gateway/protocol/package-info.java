/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The broker's side of KIP-714 and KIP-1313 as rules over Kafka's generated message classes: what a request is answered
 * with, and why. Knows no host and does no I/O; time comes in as an argument or a clock.
 */
package dev.clienttelemetry.gateway.protocol;
