/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import org.apache.kafka.common.Uuid;

/**
 * An immutable set of subscriptions. Another set is another object: client instances whose subscription was compiled
 * from an earlier one are compiled again at their next request.
 */
@FunctionalInterface
public interface SubscriptionSet {
    /**
     * Compiles what is asked of a client instance. Thread-safe.
     *
     * @param clientInstanceId the instance
     * @param client what is known of it
     */
    CompiledSubscription compile(Uuid clientInstanceId, ClientIdentity client);
}
