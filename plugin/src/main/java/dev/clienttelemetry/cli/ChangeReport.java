/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.subscription.SubscriptionChange;
import dev.clienttelemetry.subscription.SubscriptionWarning;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What is to be changed in a cluster, and what there is to say about it.
 *
 * @param changes the changes
 * @param unsupplied subscriptions of the cluster that the files do not have and that are left alone
 * @param warnings what would hurt
 */
record ChangeReport(List<SubscriptionChange> changes, List<String> unsupplied, List<SubscriptionWarning> warnings) {

    void print(PrintWriter out) {
        warnings.forEach(warning -> out.println("WARNING " + warning));
        for (SubscriptionChange change : changes) {
            out.println(switch (change.kind()) {
                        case CREATE -> "+ ";
                        case UPDATE -> "~ ";
                        case DELETE -> "- ";
                    }
                    + Quoted.text(change.name()));
            for (SubscriptionChange.Field field : change.fields()) {
                if (field.from() != null) {
                    out.println("    - " + field.key() + ": " + Quoted.text(field.from()));
                }
                if (field.to() != null) {
                    out.println("    + " + field.key() + ": " + Quoted.text(field.to()));
                }
            }
        }
        for (String name : unsupplied) {
            out.println("  " + Quoted.text(name) + " (only in the cluster; --prune would delete it)");
        }
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("equal", changes.isEmpty());
        json.put("changes", changes.stream().map(ChangeReport::json).toList());
        json.put("onlyInCluster", unsupplied);
        json.put("warnings", warnings.stream().map(ReviewOptions::json).toList());
        return json;
    }

    private static Map<String, Object> json(SubscriptionChange change) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("subscription", change.name());
        json.put("change", change.kind().name().toLowerCase(Locale.ROOT));
        Map<String, Object> fields = new LinkedHashMap<>();
        for (SubscriptionChange.Field field : change.fields()) {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("from", field.from());
            values.put("to", field.to());
            fields.put(field.key(), values);
        }
        json.put("fields", fields);
        return json;
    }
}
