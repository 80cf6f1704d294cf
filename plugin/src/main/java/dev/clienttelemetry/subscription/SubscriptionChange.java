/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What has to change in one subscription of a cluster.
 *
 * @param name the subscription
 * @param kind what becomes of it
 * @param fields the fields that change, in the order of {@link Subscription#KEYS}; what is equal is left out
 */
public record SubscriptionChange(String name, Kind kind, List<Field> fields) {

    /** What becomes of a subscription. */
    public enum Kind {
        /** The cluster does not have it yet. */
        CREATE,
        /** The cluster has it with other values. */
        UPDATE,
        /** The cluster has it and should not. */
        DELETE
    }

    /**
     * One field that changes.
     *
     * @param key the config key
     * @param from the cluster's value, null where it has none
     * @param to the value it shall have, null where it shall have none
     */
    public record Field(String key, String from, String to) {}

    /** Copies the list. */
    public SubscriptionChange {
        fields = List.copyOf(fields);
    }

    /**
     * Returns what makes a cluster equal to a set. Values that mean the same to Kafka are equal: lists in another order,
     * an empty value and none.
     *
     * @param wanted the set
     * @param cluster the configs of the cluster's subscriptions by name, dynamic entries only
     * @param prune whether subscriptions that are not in the set are deleted; else they are left alone
     * @return the changes, sorted by name
     */
    public static List<SubscriptionChange> between(
            SubscriptionSet wanted, Map<String, Map<String, String>> cluster, boolean prune) {
        List<SubscriptionChange> changes = new ArrayList<>();
        Set<String> names = new TreeSet<>(wanted.byName().keySet());
        names.addAll(cluster.keySet());
        for (String name : names) {
            Subscription subscription = wanted.byName().get(name);
            Map<String, String> present = cluster.get(name);
            if (subscription == null && !prune) {
                continue;
            }
            Map<String, String> values = subscription == null ? Map.of() : subscription.toConfig();
            List<Field> fields = fields(present == null ? Map.of() : present, values);
            if (subscription == null) {
                changes.add(new SubscriptionChange(name, Kind.DELETE, fields));
            } else if (present == null) {
                changes.add(new SubscriptionChange(name, Kind.CREATE, fields));
            } else if (!fields.isEmpty()) {
                changes.add(new SubscriptionChange(name, Kind.UPDATE, fields));
            }
        }
        return changes;
    }

    private static List<Field> fields(Map<String, String> from, Map<String, String> to) {
        List<Field> fields = new ArrayList<>();
        Set<String> keys = new LinkedHashSet<>(Subscription.KEYS);
        // A later Kafka may know more keys; what nobody supplies is deleted.
        keys.addAll(new TreeSet<>(from.keySet()));
        for (String key : keys) {
            String present = from.get(key);
            String wanted = to.get(key);
            boolean same = meaning(key, present).equals(meaning(key, wanted));
            if (!same || (to.isEmpty() && present != null)) {
                fields.add(new Field(key, present, wanted));
            }
        }
        return fields;
    }

    private static Object meaning(String key, String value) {
        String text = value == null ? "" : value.trim();
        if (text.isEmpty()) {
            return Set.of();
        }
        try {
            Subscription subscription = Subscription.fromConfig(key, Map.of(key, text));
            return switch (key) {
                case Subscription.METRICS -> Set.copyOf(subscription.metrics());
                case Subscription.MATCH -> Set.copyOf(subscription.match());
                default -> subscription.intervalMs();
            };
        } catch (InvalidSubscriptionException e) {
            // From an older Kafka, which accepts more, or a newer one, which knows more keys.
            return text;
        }
    }
}
