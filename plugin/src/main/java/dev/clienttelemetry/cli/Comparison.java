/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.SubscriptionChange;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.util.List;
import java.util.Map;

/** Compares files with a cluster and judges what would be in force. */
final class Comparison {
    private Comparison() {}

    static ChangeReport of(
            SubscriptionSet wanted, Map<String, Map<String, String>> cluster, boolean prune, ReviewOptions review) {
        List<String> unsupplied = prune
                ? List.of()
                : cluster.keySet().stream()
                        .filter(name -> !wanted.byName().containsKey(name))
                        .toList();
        return new ChangeReport(
                SubscriptionChange.between(wanted, cluster, prune),
                unsupplied,
                review.review(prune ? wanted : wanted.with(cluster)));
    }
}
