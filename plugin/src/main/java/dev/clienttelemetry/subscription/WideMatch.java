/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.List;

/** Tells selectors that let nearly all clients through, by values that have nothing in common but what they are. */
final class WideMatch {
    private static final List<String> CLIENT_IDS =
            List.of("producer-1", "consumer-orders-7", "BILLING", "x", "42", "a b_c.d-e", "rdkafka");

    private WideMatch() {}

    static boolean isWide(MatchSelector selector) {
        List<String> values =
                switch (selector.attribute()) {
                    case CLIENT_ID -> CLIENT_IDS;
                    case CLIENT_INSTANCE_ID -> OpenPattern.INSTANCE_IDS;
                    // One family of addresses is often all of them.
                    case CLIENT_SOURCE_ADDRESS -> List.of("10.0.0.7", "172.31.222.133", "192.168.100.254", "8.8.8.8");
                    case CLIENT_SOURCE_PORT -> List.of("32768", "45678", "54321", "60999", "65535");
                    case CLIENT_SOFTWARE_NAME, CLIENT_SOFTWARE_VERSION -> List.of();
                };
        return !values.isEmpty()
                && values.stream()
                        .allMatch(
                                value -> selector.test(value, MatchSelector.MAX_STEPS) == MatchSelector.Outcome.MATCH);
    }
}
