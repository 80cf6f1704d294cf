/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;

/**
 * What only the broker can count: its own {@code client-metrics} group (Kafka 3.8 and later), from which some of
 * KIP-714's metrics are made. A broker that has no such group leaves them absent. Thread-safe; its methods take constant
 * time, since the broker calls them on network threads.
 *
 * <p>The broker counts throttled requests for each client instance in a metric of its own, which it removes when the
 * client disconnects (4.0 and later) or expires. KIP-714 wants a total since start: so what a removed one had last is
 * kept in the sum.
 */
public final class BrokerClientMetrics {
    private static final String GROUP = "client-metrics";
    private static final String INSTANCE_COUNT = "instance-count";
    private static final String UNKNOWN_SUBSCRIPTION_REQUESTS = "unknown-subscription-request-count";
    private static final String THROTTLES = "throttle-count";

    private final TelemetryMetrics metrics;
    private final ConcurrentMap<MetricName, KafkaMetric> throttles = new ConcurrentHashMap<>();
    private final LongAdder throttlesOfVanished = new LongAdder();
    private final AtomicLong highestThrottled = new AtomicLong();
    /** What the broker had counted before this object came, to be taken off. */
    private final LongAdder throttlesBefore = new LongAdder();

    private volatile long unknownSubscriptionsBefore;
    private volatile boolean hasGroup;

    /**
     * Creates the view of a broker that has shown no metric yet.
     *
     * @param metrics where the numbers are provided
     */
    public BrokerClientMetrics(TelemetryMetrics metrics) {
        this.metrics = metrics;
    }

    /**
     * Takes note of a metric of the broker that is there already: what it has counted until now is of no concern here. A
     * reporter that is added to a running broker counts from then on, whatever its predecessor counted.
     *
     * @param metric any metric; those of other groups are ignored
     */
    public void existed(KafkaMetric metric) {
        MetricName name = metric.metricName();
        if (GROUP.equals(name.group())) {
            if (name.name().equals(THROTTLES) && !throttles.containsKey(name)) {
                throttlesBefore.add(value(metric));
            } else if (name.name().equals(UNKNOWN_SUBSCRIPTION_REQUESTS)) {
                unknownSubscriptionsBefore = value(metric);
            }
        }
        changed(metric);
    }

    /**
     * Takes note of a metric of the broker that is new, or has changed.
     *
     * @param metric any metric; those of other groups are ignored
     */
    public void changed(KafkaMetric metric) {
        MetricName name = metric.metricName();
        if (!GROUP.equals(name.group())) {
            return;
        }
        if (!hasGroup) {
            hasGroup = true;
            metrics.provide(Instrument.THROTTLED, this::throttled);
        }
        switch (name.name()) {
            case INSTANCE_COUNT -> metrics.provide(Instrument.INSTANCES, () -> value(metric));
            case UNKNOWN_SUBSCRIPTION_REQUESTS ->
                metrics.provide(
                        Instrument.UNKNOWN_SUBSCRIPTIONS,
                        () -> Math.max(0, value(metric) - unknownSubscriptionsBefore));
            case THROTTLES -> {
                KafkaMetric replaced = throttles.put(name, metric);
                if (replaced != null && replaced != metric) {
                    throttlesOfVanished.add(value(replaced));
                }
            }
            default -> {
                // The group's rates, and what we count ourselves.
            }
        }
    }

    /**
     * Takes note of a metric of the broker that is gone.
     *
     * @param metric any metric; those of other groups are ignored
     */
    public void removed(KafkaMetric metric) {
        MetricName name = metric.metricName();
        if (!GROUP.equals(name.group())) {
            return;
        }
        switch (name.name()) {
            case INSTANCE_COUNT -> metrics.withdraw(Instrument.INSTANCES);
            case UNKNOWN_SUBSCRIPTION_REQUESTS -> {
                metrics.withdraw(Instrument.UNKNOWN_SUBSCRIPTIONS);
                unknownSubscriptionsBefore = 0;
            }
            case THROTTLES -> {
                if (throttles.remove(name, metric)) {
                    throttlesOfVanished.add(value(metric));
                }
            }
            default -> {
                // The group's rates, and what we count ourselves.
            }
        }
    }

    /**
     * Adds up. Whatever vanishes meanwhile may be missed, but is never counted twice, as the vanished are read first; and
     * a total that was shown is never taken back.
     */
    private long throttled() {
        long total = throttlesOfVanished.sum() - throttlesBefore.sum();
        for (KafkaMetric throttle : throttles.values()) {
            total += value(throttle);
        }
        return highestThrottled.accumulateAndGet(total, Math::max);
    }

    private static long value(KafkaMetric metric) {
        return metric.metricValue() instanceof Number number ? number.longValue() : 0;
    }
}
