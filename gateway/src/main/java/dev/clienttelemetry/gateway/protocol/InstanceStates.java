/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import dev.clienttelemetry.subscription.ClientAttributes;
import dev.clienttelemetry.subscription.CompiledSubscription;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;

/**
 * The live client instances, in memory only: each for MAX(60*1000, PushIntervalMs * 3) ms after its last request
 * (KIP-714), and not more than a bound; beyond it the least recently seen goes. Thread-safe.
 */
final class InstanceStates {
    private final int max;
    private final Supplier<SubscriptionSet> subscriptions;
    private final Map<Uuid, InstanceState> live = new LinkedHashMap<>(16, 0.75f, true);

    InstanceStates(int max, Supplier<SubscriptionSet> subscriptions) {
        this.max = max;
        this.subscriptions = subscriptions;
    }

    /** Returns a new id that no live instance has. */
    Uuid newId(long nowMs) {
        while (true) {
            Uuid id = Uuid.randomUuid();
            if (!known(id, nowMs)) {
                return id;
            }
        }
    }

    /** Returns whether an id belongs to a live instance. */
    boolean known(Uuid id, long nowMs) {
        synchronized (live) {
            InstanceState state = live.get(id);
            return state != null && !state.expired(nowMs);
        }
    }

    /** Returns the state of an instance, whose subscription is of the present set; a new one for an unknown id. */
    InstanceState seen(Uuid id, ClientIdentity client, long nowMs) {
        SubscriptionSet present = subscriptions.get();
        InstanceState known;
        synchronized (live) {
            known = live.get(id);
            if (known != null && known.expired(nowMs)) {
                live.remove(id);
                known = null;
            }
            if (known != null && known.compiledFrom(present)) {
                known.seen(nowMs);
                return known;
            }
        }
        // Outside the lock: match selectors are regular expressions.
        ClientIdentity identity = known == null ? client : known.client();
        CompiledSubscription compiled = present.compile(attributes(id, identity));
        synchronized (live) {
            InstanceState other = live.get(id);
            if (other != null && other.compiledFrom(present)) {
                other.seen(nowMs);
                return other;
            }
            InstanceState state = new InstanceState(identity, present, compiled, other != null && other.terminated());
            state.seen(nowMs);
            live.put(id, state);
            if (live.size() > max) {
                // No look for expired ones, which would take its time with every request of a flood of new ids.
                live.remove(live.keySet().iterator().next());
            }
            return state;
        }
    }

    /** What match selectors see: the gateway knows no address and no port. */
    private static ClientAttributes attributes(Uuid id, ClientIdentity client) {
        return new ClientAttributes(id, client.clientId(), client.softwareName(), client.softwareVersion(), null, null);
    }

    /** Forgets the instances whose time is up. */
    void expire(long nowMs) {
        synchronized (live) {
            live.values().removeIf(state -> state.expired(nowMs));
        }
    }

    /** Returns the number of live instances. */
    int count(long nowMs) {
        synchronized (live) {
            int count = 0;
            for (InstanceState state : live.values()) {
                if (!state.expired(nowMs)) {
                    count++;
                }
            }
            return count;
        }
    }

    /** Returns the number of live instances with a non-empty subscription. */
    int activeCount(long nowMs) {
        synchronized (live) {
            int count = 0;
            for (InstanceState state : live.values()) {
                if (!state.expired(nowMs) && !state.subscription().metrics().isEmpty()) {
                    count++;
                }
            }
            return count;
        }
    }
}
