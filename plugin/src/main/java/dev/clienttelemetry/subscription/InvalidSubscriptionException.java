/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.List;

/** Thrown for a subscription that Apache Kafka would refuse. The message names the field, what was found and what would be right. */
public final class InvalidSubscriptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /**
     * Creates the exception.
     *
     * @param subscription the subscription's name
     * @param problems everything that is wrong with it
     */
    public InvalidSubscriptionException(String subscription, List<String> problems) {
        super("Subscription '" + Quoted.text(subscription) + "': " + String.join("; ", problems));
        this.problems = List.copyOf(problems);
    }

    /** Returns everything that is wrong, one sentence each. */
    public List<String> problems() {
        return problems;
    }
}
