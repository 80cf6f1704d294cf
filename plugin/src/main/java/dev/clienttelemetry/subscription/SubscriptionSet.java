/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** All subscriptions that are in force together, by name. Immutable and thread-safe. */
public final class SubscriptionSet {
    /** The set without a subscription. */
    public static final SubscriptionSet EMPTY = new SubscriptionSet(List.of());

    private final Map<String, Subscription> byName;

    /**
     * Creates a set.
     *
     * @param subscriptions the subscriptions, in any order
     * @throws IllegalArgumentException if two have the same name
     */
    public SubscriptionSet(Collection<Subscription> subscriptions) {
        Map<String, Subscription> sorted = new TreeMap<>();
        for (Subscription subscription : subscriptions) {
            if (sorted.put(subscription.name(), subscription) != null) {
                throw new IllegalArgumentException("two subscriptions are named " + Quoted.text(subscription.name()));
            }
        }
        byName = Collections.unmodifiableMap(sorted);
    }

    /** Returns the subscriptions by name, sorted. */
    public Map<String, Subscription> byName() {
        return byName;
    }

    /** Returns the subscriptions, sorted by name. */
    public Collection<Subscription> subscriptions() {
        return byName.values();
    }

    /**
     * Compiles the set for a client (KIP-714, "Client metrics subscription"): the metrics of all matching subscriptions
     * and the least interval.
     *
     * @param client the client
     * @return what the client is to be asked for; no metrics and the default interval where nothing matches
     */
    public CompiledSubscription compile(ClientAttributes client) {
        List<Subscription> matching = new ArrayList<>();
        for (Subscription subscription : byName.values()) {
            if (subscription.matches(client)) {
                matching.add(subscription);
            }
        }
        return compiled(matching);
    }

    static CompiledSubscription compiled(Collection<Subscription> matching) {
        TreeSet<String> prefixes = new TreeSet<>();
        int intervalMs = Subscription.DEFAULT_INTERVAL_MS;
        for (Subscription subscription : matching) {
            prefixes.addAll(subscription.metrics());
            intervalMs = Math.min(intervalMs, subscription.effectiveIntervalMs());
        }
        return new CompiledSubscription(withoutCovered(prefixes), intervalMs);
    }

    private static List<String> withoutCovered(TreeSet<String> sorted) {
        if (sorted.contains(Subscription.ALL_METRICS)) {
            return List.of(Subscription.ALL_METRICS);
        }
        List<String> kept = new ArrayList<>(sorted.size());
        String last = null;
        for (String prefix : sorted) {
            // Sorted, everything that starts with a prefix follows it at once.
            if (last == null || !prefix.startsWith(last)) {
                kept.add(prefix);
                last = prefix;
            }
        }
        return kept;
    }

    /**
     * Returns this set and those of a cluster's subscriptions that are not in it: what is in force where nothing is
     * deleted. A config that Kafka 4.4 would refuse is left out.
     *
     * @param cluster the configs of the cluster's subscriptions by name
     */
    public SubscriptionSet with(Map<String, Map<String, String>> cluster) {
        Map<String, Subscription> all = new TreeMap<>(byName);
        cluster.forEach((name, config) -> {
            if (!all.containsKey(name)) {
                try {
                    all.put(name, Subscription.fromConfig(name, config));
                } catch (InvalidSubscriptionException e) {
                    // Set by an older Kafka, which accepts more. It cannot be judged or compiled with certainty.
                    return;
                }
            }
        });
        return new SubscriptionSet(all.values());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SubscriptionSet set && set.byName.equals(byName);
    }

    @Override
    public int hashCode() {
        return byName.hashCode();
    }

    @Override
    public String toString() {
        return byName.values().toString();
    }
}
