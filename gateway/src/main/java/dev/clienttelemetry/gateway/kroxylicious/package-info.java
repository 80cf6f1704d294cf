/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The Kroxylicious filter: decides which requests are decoded, takes them to the gateway and brings the answers back,
 * off the event loop where there is work to do. Everything that Kroxylicious defines stays in here.
 */
package dev.clienttelemetry.gateway.kroxylicious;
