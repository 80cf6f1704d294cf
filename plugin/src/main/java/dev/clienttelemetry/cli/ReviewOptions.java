/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.SubscriptionReview;
import dev.clienttelemetry.subscription.SubscriptionReview.Circumstances;
import dev.clienttelemetry.subscription.SubscriptionSet;
import dev.clienttelemetry.subscription.SubscriptionWarning;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** How a set is judged. */
final class ReviewOptions {
    @Option(names = "--strict", description = "Take warnings for errors.")
    private boolean strict;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "How many clients the cluster has, to judge intervals by; 1000 are assumed.")
    private long clients;

    @Option(
            names = "--kafka-version",
            paramLabel = "VERSION",
            description = "The brokers' version, to judge broad subscriptions by; the newest is assumed.")
    private String kafkaVersion;

    boolean strict() {
        return strict;
    }

    List<SubscriptionWarning> review(SubscriptionSet inForce) {
        return SubscriptionReview.of(
                inForce, new Circumstances(Circumstances.boundsDecompressedPushes(kafkaVersion), clients));
    }

    static Map<String, Object> json(SubscriptionWarning warning) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("subscription", warning.subscription());
        json.put("kind", warning.kind().name().toLowerCase(Locale.ROOT));
        json.put("reason", warning.reason());
        json.put("remedy", warning.remedy());
        return json;
    }
}
