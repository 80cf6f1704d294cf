/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;

/**
 * Something about a set of subscriptions that Kafka accepts and that is likely to hurt.
 *
 * @param subscription the subscription's name
 * @param kind what it is about
 * @param reason what is wrong with it
 * @param remedy what can be done
 */
public record SubscriptionWarning(String subscription, Kind kind, String reason, String remedy) {

    /** What a warning is about. */
    public enum Kind {
        /** librdkafka clients of some versions would abort or lose their connection. */
        LIBRDKAFKA,
        /** Pushes of Kafka Streams may exceed {@code telemetry.max.bytes}. */
        BROAD,
        /** More pushes than is bearable. */
        LOAD,
        /** No known client has such a metric. */
        UNKNOWN_METRIC,
        /** No client can match. */
        NEVER_MATCHES,
        /** The interval never takes effect. */
        LONG_INTERVAL,
        /** No metrics are asked for. */
        NO_METRICS,
        /** A client can make the broker's match of a pattern very slow. */
        OPEN_PATTERN,
        /** Judging the set was cut short. */
        NOT_JUDGED
    }

    @Override
    public String toString() {
        return "Subscription " + Quoted.text(subscription) + ": " + reason + ". " + remedy;
    }
}
