/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A Kroxylicious proxy in a process of its own, from its released artifacts. Uses {@code broker} for laying out artifacts
 * and for processes.
 */
package dev.clienttelemetry.examples.proxy;
