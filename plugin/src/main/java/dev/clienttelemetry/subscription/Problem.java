/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

/**
 * One thing that is wrong with a subscription.
 *
 * @param key the config key it is about
 * @param found what was found, escaped and bounded
 * @param expected what would be right
 */
record Problem(String key, String found, String expected) {
    @Override
    public String toString() {
        return key + ": found " + found + ", expected " + expected;
    }
}
