/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * The client instances behind the metrics that arrived. Bounded: of more instances or metrics than a demo has, only the
 * data points are counted. Thread-safe.
 */
final class ReceivedClients {
    static final int MAX_INSTANCES = 100;
    static final int MAX_METRICS = 2_000;

    private static final String SENT = "org.apache.kafka.producer.record.send.total";
    private static final String CONSUMED = "org.apache.kafka.consumer.fetch.manager.records.consumed.total";
    private static final String LAG = "org.apache.kafka.consumer.fetch.manager.records.lag.max";
    private static final String PRODUCE_LATENCY = "org.apache.kafka.producer.request.latency.avg";
    private static final String FETCH_LATENCY = "org.apache.kafka.consumer.fetch.manager.fetch.latency.avg";

    private final Map<String, Instance> instances = new LinkedHashMap<>();
    private final Set<String> metrics = new TreeSet<>();
    private final LongSupplier clockMillis;
    private long points;

    /**
     * Creates an empty object.
     *
     * @param clockMillis milliseconds since 1970
     */
    ReceivedClients(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
    }

    /** Takes note of what arrived. */
    synchronized void received(ReceivedRequest request) {
        long now = clockMillis.getAsLong();
        for (ReceivedPoint point : request.points()) {
            String instanceId = point.resource().get("client_instance_id");
            if (instanceId == null) {
                // The plugin's own metrics.
                continue;
            }
            points++;
            add(metrics, point.name());
            Instance instance = instances.get(instanceId);
            if (instance == null && instances.size() < MAX_INSTANCES) {
                instance = new Instance();
                instances.put(instanceId, instance);
            }
            if (instance != null) {
                instance.received(point, now);
            }
        }
    }

    /** Returns the instances, by client id. */
    synchronized List<ReceivedClient> clients() {
        List<ReceivedClient> clients = new ArrayList<>();
        instances.forEach((id, instance) -> clients.add(instance.snapshot(id)));
        clients.sort(Comparator.comparing(ReceivedClient::clientId).thenComparing(ReceivedClient::instanceId));
        return clients;
    }

    /** Returns whether a client with this client id was seen. */
    synchronized boolean saw(String clientId) {
        return instances.values().stream().anyMatch(instance -> instance.clientId.equals(clientId));
    }

    /** Returns the number of data points of clients. */
    synchronized long points() {
        return points;
    }

    /** Returns the number of different metrics of clients. */
    synchronized int metrics() {
        return metrics.size();
    }

    /** Returns what arrived of clients in one line. */
    synchronized String line() {
        return "received " + points + " data points of " + metrics.size() + " metrics from " + instances.size()
                + " client instances";
    }

    private static void add(Set<String> names, String name) {
        if (names.size() < MAX_METRICS) {
            names.add(name);
        }
    }

    private static final class Instance {
        private final Set<String> metrics = new TreeSet<>();
        private final CounterRate sent = new CounterRate();
        private final CounterRate consumed = new CounterRate();
        private String clientId = "";
        private String software = "";
        private long points;
        private long lastPushMillis;
        private double lag = Double.NaN;
        private double latency = Double.NaN;

        void received(ReceivedPoint point, long nowMillis) {
            Map<String, String> labels = point.resource();
            clientId = labels.getOrDefault("client_id", "");
            software = (labels.getOrDefault("client_software_name", "") + " "
                            + labels.getOrDefault("client_software_version", ""))
                    .strip();
            points++;
            lastPushMillis = nowMillis;
            add(metrics, point.name());
            // A point with attributes is about one topic, partition or node.
            if (point.attributes().isEmpty()) {
                note(point);
            }
        }

        private void note(ReceivedPoint point) {
            switch (point.name()) {
                case SENT -> sent.next(point);
                case CONSUMED -> consumed.next(point);
                case LAG -> lag = point.value();
                case PRODUCE_LATENCY, FETCH_LATENCY -> latency = point.value();
                default -> {
                    // Only counted.
                }
            }
        }

        ReceivedClient snapshot(String instanceId) {
            return new ReceivedClient(
                    clientId,
                    instanceId,
                    software,
                    Set.copyOf(metrics),
                    points,
                    lastPushMillis,
                    sent.perSecond(),
                    consumed.perSecond(),
                    lag,
                    latency);
        }
    }
}
