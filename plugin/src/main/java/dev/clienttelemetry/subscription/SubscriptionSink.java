/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

/** Takes subscriptions as they are read from a file. */
interface SubscriptionSink {
    /**
     * Takes one.
     *
     * @param subscription the subscription
     * @param line where it was found, from 1
     * @param column where it was found, from 1
     */
    void add(Subscription subscription, int line, int column);
}
