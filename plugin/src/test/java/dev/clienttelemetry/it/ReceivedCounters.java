/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/** What an OTLP receiver got, as counters that can be compared with {@link RecordedPushes}. */
final class ReceivedCounters {
    /** What the plugin adds by default. */
    static final Set<String> LABELS = Set.of(
            "client_instance_id",
            "client_id",
            "client_software_name",
            "client_software_version",
            "client_source_address",
            "principal",
            "broker_id",
            "service.name",
            "service.instance.id");

    private ReceivedCounters() {}

    /** Returns the points of each counter in the order of their times. */
    static Map<RecordedPushes.Counter, List<ReceivedPoint>> of(Collection<ReceivedRequest> requests) {
        Map<RecordedPushes.Counter, List<ReceivedPoint>> counters = new HashMap<>();
        for (ReceivedRequest request : requests) {
            for (ReceivedPoint point : request.points()) {
                if (point.temporality() == AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
                        && point.monotonic()
                        && point.resource().containsKey("client_instance_id")) {
                    Map<String, String> attributes = new TreeMap<>(point.resource());
                    attributes.keySet().removeAll(LABELS);
                    attributes.putAll(point.attributes());
                    Uuid id = Uuid.fromString(point.resource().get("service.instance.id"));
                    counters.computeIfAbsent(
                                    new RecordedPushes.Counter(id, point.name(), attributes), c -> new ArrayList<>())
                            .add(point);
                }
            }
        }
        counters.values().forEach(points -> points.sort(Comparator.comparingLong(ReceivedPoint::timeUnixNano)));
        return counters;
    }
}
