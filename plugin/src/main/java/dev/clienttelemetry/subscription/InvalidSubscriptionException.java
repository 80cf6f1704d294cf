/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.util.List;

/** Thrown for a subscription that Apache Kafka would refuse. */
public final class InvalidSubscriptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /**
     * Creates the exception.
     *
     * @param subscription the subscription's name
     * @param problems everything that is wrong with it
     */
    InvalidSubscriptionException(String subscription, List<Problem> problems) {
        super("Subscription '" + Quoted.text(subscription) + "': "
                + String.join("; ", problems.stream().map(Problem::toString).toList()));
        this.problems = List.copyOf(problems);
    }

    /** Returns everything that is wrong. */
    List<Problem> problems() {
        return problems;
    }
}
