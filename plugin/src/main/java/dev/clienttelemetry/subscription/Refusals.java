/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a cluster refused, in few lines: what keeps one change back mostly keeps all of them back. */
public final class Refusals {
    private static final int MAX_REASONS = 20;
    private static final int MAX_NAMES = 5;

    private Refusals() {}

    /**
     * Returns a line for each reason, with the names that it was given for: a few, and how many more.
     *
     * @param refused the reasons by name, as {@link ClusterSubscriptions#apply} returns them
     */
    public static List<String> lines(Map<String, String> refused) {
        Map<String, List<String>> namesByReason = new TreeMap<>();
        refused.forEach((name, reason) ->
                namesByReason.computeIfAbsent(reason, r -> new ArrayList<>()).add(name));
        List<String> lines = new ArrayList<>();
        int told = 0;
        for (Map.Entry<String, List<String>> entry : namesByReason.entrySet()) {
            if (lines.size() == MAX_REASONS) {
                lines.add((refused.size() - told) + " more, for other reasons");
                break;
            }
            told += entry.getValue().size();
            lines.add(names(entry.getValue()) + ": " + entry.getKey());
        }
        return lines;
    }

    private static String names(List<String> names) {
        List<String> some = names.stream().limit(MAX_NAMES).map(Quoted::text).toList();
        int more = names.size() - some.size();
        return String.join(", ", some) + (more == 0 ? "" : " and " + more + " more");
    }
}
