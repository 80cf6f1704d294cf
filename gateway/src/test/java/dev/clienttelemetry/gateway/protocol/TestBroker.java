/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import dev.clienttelemetry.subscription.ClientAttributes;
import dev.clienttelemetry.subscription.CompiledSubscription;
import dev.clienttelemetry.subscription.Subscription;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;

/** The gateway's broker side with subscriptions, a clock and an exporter that tests hold. */
final class TestBroker {
    static final ClientIdentity CLIENT = new ClientIdentity("client-1", "apache-kafka-java", "4.0.0");
    static final int MAX_BYTES = 1000;

    final TelemetryRequestMetrics metrics = new TelemetryRequestMetrics();
    final List<PushedMetrics> exported = new ArrayList<>();
    final TelemetryRequests requests;
    // Far from zero on either side, since a monotonic clock may start anywhere.
    private final AtomicLong nowMs = new AtomicLong(-5_000_000);
    private SubscriptionSet set = new SubscriptionSet(List.of(subscription("all", "*", 10_000)));
    private PushExporter exporter = exported::add;

    TestBroker() {
        this(new InstanceIdAgreement(true, true));
    }

    TestBroker(InstanceIdAgreement agreement) {
        this(agreement, 100);
    }

    TestBroker(InstanceIdAgreement agreement, int maxInstances) {
        requests = new TelemetryRequests(
                agreement, () -> set, push -> exporter.export(push), MAX_BYTES, maxInstances, nowMs::get, metrics);
    }

    static Subscription subscription(String name, String metrics, int intervalMs) {
        return Subscription.fromConfig(name, Map.of("metrics", metrics, "interval.ms", Integer.toString(intervalMs)));
    }

    static Subscription subscription(String name, String metrics, int intervalMs, String match) {
        return Subscription.fromConfig(
                name, Map.of("metrics", metrics, "interval.ms", Integer.toString(intervalMs), "match", match));
    }

    void subscribe(Subscription... subscriptions) {
        set = new SubscriptionSet(List.of(subscriptions));
    }

    void exportTo(PushExporter other) {
        exporter = other;
    }

    void pass(long ms) {
        nowMs.addAndGet(ms);
    }

    private CompiledSubscription compiled(Uuid id) {
        return set.compile(new ClientAttributes(
                id, CLIENT.clientId(), CLIENT.softwareName(), CLIENT.softwareVersion(), null, null));
    }

    int intervalMs() {
        return compiled(Uuid.ONE_UUID).intervalMs();
    }

    int subscriptionId(Uuid id) {
        return compiled(id).subscriptionId(id);
    }
}
