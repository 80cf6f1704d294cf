/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import dev.clienttelemetry.subscription.CompiledSubscription;
import dev.clienttelemetry.subscription.SubscriptionSet;
import org.apache.kafka.common.protocol.Errors;

/**
 * What the gateway remembers of one client instance: its compiled subscription and what throttling needs. A changed set
 * of subscriptions makes a new state, as in Apache Kafka, so that the client may fetch the new one at once.
 */
final class InstanceState {
    private static final long MIN_LIFE_MS = 60_000;

    private final ClientIdentity client;
    private final SubscriptionSet compiledFrom;
    private final CompiledSubscription subscription;
    private final long lifeMs;

    // Guarded by InstanceStates' lock.
    private long expiresAtMs;

    // Guarded by this. No request yet is told apart from one at time 0: the clock may be anywhere.
    private boolean subscribed;
    private long subscribedAtMs;
    private boolean pushed;
    private long pushedAtMs;
    private boolean terminated;
    private Errors lastError = Errors.NONE;

    InstanceState(
            ClientIdentity client,
            SubscriptionSet compiledFrom,
            CompiledSubscription subscription,
            boolean terminated) {
        this.client = client;
        this.compiledFrom = compiledFrom;
        this.subscription = subscription;
        this.lifeMs = Math.max(MIN_LIFE_MS, 3L * subscription.intervalMs());
        this.terminated = terminated;
    }

    ClientIdentity client() {
        return client;
    }

    boolean compiledFrom(SubscriptionSet set) {
        return compiledFrom == set;
    }

    CompiledSubscription subscription() {
        return subscription;
    }

    void seen(long nowMs) {
        expiresAtMs = nowMs + lifeMs;
    }

    boolean expired(long nowMs) {
        return nowMs - expiresAtMs >= 0;
    }

    synchronized boolean terminated() {
        return terminated;
    }

    synchronized void terminate() {
        terminated = true;
    }

    synchronized void lastError(Errors error) {
        lastError = error;
    }

    /**
     * Returns whether a GetTelemetrySubscriptions is due: a push interval after the last request, or at once when the
     * client has just been told that its subscription or its compression is not the right one.
     */
    synchronized boolean admitsSubscribing(long nowMs) {
        if ((!subscribed || elapsed(subscribedAtMs, nowMs)) && (!pushed || elapsed(pushedAtMs, nowMs))) {
            subscribed = true;
            subscribedAtMs = nowMs;
            return true;
        }
        return lastError == Errors.UNKNOWN_SUBSCRIPTION_ID || lastError == Errors.UNSUPPORTED_COMPRESSION_TYPE;
    }

    /**
     * Returns whether a push is due: a push interval after the last one, or at once when it is the first after a
     * subscription, since clients spread that one over 0.5 to 1.5 intervals.
     */
    synchronized boolean admitsPush(long nowMs) {
        boolean firstAfterSubscribing = subscribed && (!pushed || subscribedAtMs - pushedAtMs > 0);
        if (firstAfterSubscribing || !pushed || elapsed(pushedAtMs, nowMs)) {
            pushed = true;
            pushedAtMs = nowMs;
            return true;
        }
        return false;
    }

    private boolean elapsed(long sinceMs, long nowMs) {
        return nowMs - sinceMs >= subscription.intervalMs();
    }
}
