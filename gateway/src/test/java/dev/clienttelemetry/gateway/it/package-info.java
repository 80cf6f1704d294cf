/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The packaged filter in a real Kroxylicious, before real brokers and behind real clients, each a process of its own. */
package dev.clienttelemetry.gateway.it;
