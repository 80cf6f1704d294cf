/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a push says, without how it says it: the points of each metric by their attributes, in their order. Two pushes
 * with equal decoded points are the same to a backend.
 */
final class DecodedPoints {
    private DecodedPoints() {}

    /** Everything of a metric but its points, with attributes in one order: equal for what is the same metric. */
    record MetricIdentity(ByteString resource, ByteString scope, ByteString metric, String text) {
        @Override
        public boolean equals(Object other) {
            return other instanceof MetricIdentity that
                    && resource.equals(that.resource)
                    && scope.equals(that.scope)
                    && metric.equals(that.metric);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * resource.hashCode() + scope.hashCode()) + metric.hashCode();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Attributes of a point, in one order. */
    record Attributes(List<KeyValue> sorted) {
        static Attributes of(Message point) {
            return new Attributes(DecodedPoints.sorted(DecodedPoints.attributes(point)));
        }
    }

    static Map<MetricIdentity, Map<Attributes, List<Message>>> of(MetricsData data) {
        Map<MetricIdentity, Map<Attributes, List<Message>>> all = new LinkedHashMap<>();
        for (ResourceMetrics resource : data.getResourceMetricsList()) {
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                for (Metric metric : scope.getMetricsList()) {
                    for (Message point : points(metric)) {
                        all.computeIfAbsent(identity(resource, scope, metric), i -> new LinkedHashMap<>())
                                .computeIfAbsent(Attributes.of(point), a -> new ArrayList<>())
                                .add(withAttributes(point, Attributes.of(point).sorted));
                    }
                }
            }
        }
        return all;
    }

    /** What a series is: no description, no schema, no telling an empty scope from none. */
    record Series(
            ByteString resource,
            ByteString scope,
            String name,
            String unit,
            String type,
            boolean monotonic,
            Attributes attributes) {}

    /** Returns the points of each series in their order, wherever in the push they are, with what they are under. */
    static Map<Series, List<Map.Entry<MetricIdentity, Message>>> bySeries(MetricsData data) {
        Map<Series, List<Map.Entry<MetricIdentity, Message>>> all = new LinkedHashMap<>();
        for (ResourceMetrics resource : data.getResourceMetricsList()) {
            ByteString ofResource = canonical(resource.getResource()).toByteString();
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                ByteString ofScope = canonical(scope.getScope()).toByteString();
                for (Metric metric : scope.getMetricsList()) {
                    MetricIdentity under = identity(resource, scope, metric);
                    for (Message point : points(metric)) {
                        Attributes attributes = Attributes.of(point);
                        Series series = new Series(
                                ofResource,
                                ofScope,
                                metric.getName(),
                                metric.getUnit(),
                                dataField(metric).getName(),
                                metric.getSum().getIsMonotonic(),
                                attributes);
                        all.computeIfAbsent(series, s -> new ArrayList<>())
                                .add(Map.entry(under, withAttributes(point, attributes.sorted)));
                    }
                }
            }
        }
        return all;
    }

    static MetricIdentity identity(ResourceMetrics resource, ScopeMetrics scope, Metric metric) {
        ResourceMetrics r = identity(resource);
        ScopeMetrics s = identity(scope);
        Metric m = withPoints(metric, List.of());
        return new MetricIdentity(r.toByteString(), s.toByteString(), m.toByteString(), "\n" + r + s + m);
    }

    static ResourceMetrics identity(ResourceMetrics resource) {
        return resource.toBuilder()
                .clearScopeMetrics()
                .setResource(canonical(resource.getResource()))
                .build();
    }

    static ScopeMetrics identity(ScopeMetrics scope) {
        return scope.toBuilder()
                .clearMetrics()
                .setScope(canonical(scope.getScope()))
                .build();
    }

    static Resource canonical(Resource resource) {
        return resource.toBuilder()
                .clearAttributes()
                .addAllAttributes(sorted(resource.getAttributesList()))
                .build();
    }

    static InstrumentationScope canonical(InstrumentationScope scope) {
        return scope.toBuilder()
                .clearAttributes()
                .addAllAttributes(sorted(scope.getAttributesList()))
                .build();
    }

    static List<KeyValue> sorted(List<KeyValue> attributes) {
        return attributes.stream()
                .sorted(Comparator.comparing(KeyValue::toByteString, ByteString.unsignedLexicographicalComparator()))
                .toList();
    }

    static FieldDescriptor dataField(Metric metric) {
        return metric.getOneofFieldDescriptor(Metric.getDescriptor().getOneofs().get(0));
    }

    /** Returns the points of a metric of any type. */
    static List<Message> points(Metric metric) {
        FieldDescriptor field = dataField(metric);
        if (field == null) {
            return List.of();
        }
        Message data = (Message) metric.getField(field);
        List<Message> points = new ArrayList<>();
        for (Object point : (List<?>) data.getField(named(data, "data_points"))) {
            points.add((Message) point);
        }
        return points;
    }

    /** Returns a metric of any type with other points. */
    static Metric withPoints(Metric metric, List<Message> points) {
        FieldDescriptor field = dataField(metric);
        if (field == null) {
            return metric;
        }
        Message data = (Message) metric.getField(field);
        Message.Builder builder = data.toBuilder().clearField(named(data, "data_points"));
        points.forEach(point -> builder.addRepeatedField(named(data, "data_points"), point));
        return metric.toBuilder().setField(field, builder.build()).build();
    }

    static List<KeyValue> attributes(Message point) {
        List<KeyValue> attributes = new ArrayList<>();
        for (Object attribute : (List<?>) point.getField(named(point, "attributes"))) {
            attributes.add((KeyValue) attribute);
        }
        return attributes;
    }

    static Message withAttributes(Message point, List<KeyValue> attributes) {
        return point.toBuilder()
                .setField(named(point, "attributes"), attributes)
                .build();
    }

    static long time(Message point) {
        return (long) point.getField(named(point, "time_unix_nano"));
    }

    private static FieldDescriptor named(Message message, String name) {
        return message.getDescriptorForType().findFieldByName(name);
    }

    static int count(MetricsData data) {
        int count = 0;
        for (ResourceMetrics resource : data.getResourceMetricsList()) {
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                for (Metric metric : scope.getMetricsList()) {
                    count += points(metric).size();
                }
            }
        }
        return count;
    }
}
