/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A data point of a gauge or a sum with all that identifies it.
 *
 * @param resource the resource's attributes; where a key comes twice, the last value
 * @param scope the instrumentation scope's name, empty where there is none
 * @param name the metric's name
 * @param unit the metric's unit, empty where there is none
 * @param temporality the sum's temporality, null for a gauge
 * @param monotonic whether it is a monotonic sum
 * @param attributes the point's attributes; where a key comes twice, the last value
 * @param startTimeUnixNano start of the interval, 0 where there is none
 * @param timeUnixNano time of the value
 * @param value the value, NaN where there is none
 */
public record ReceivedPoint(
        Map<String, String> resource,
        String scope,
        String name,
        String unit,
        AggregationTemporality temporality,
        boolean monotonic,
        Map<String, String> attributes,
        long startTimeUnixNano,
        long timeUnixNano,
        double value) {

    static List<ReceivedPoint> of(ExportMetricsServiceRequest message) {
        List<ReceivedPoint> points = new ArrayList<>();
        for (ResourceMetrics resourceMetrics : message.getResourceMetricsList()) {
            Map<String, String> resource =
                    attributes(resourceMetrics.getResource().getAttributesList());
            for (ScopeMetrics scopeMetrics : resourceMetrics.getScopeMetricsList()) {
                String scope = scopeMetrics.getScope().getName();
                for (Metric metric : scopeMetrics.getMetricsList()) {
                    add(points, resource, scope, metric);
                }
            }
        }
        return points;
    }

    private static void add(List<ReceivedPoint> points, Map<String, String> resource, String scope, Metric metric) {
        boolean sum = metric.hasSum();
        List<NumberDataPoint> dataPoints =
                sum ? metric.getSum().getDataPointsList() : metric.getGauge().getDataPointsList();
        for (NumberDataPoint point : dataPoints) {
            points.add(new ReceivedPoint(
                    resource,
                    scope,
                    metric.getName(),
                    metric.getUnit(),
                    sum ? metric.getSum().getAggregationTemporality() : null,
                    sum && metric.getSum().getIsMonotonic(),
                    attributes(point.getAttributesList()),
                    point.getStartTimeUnixNano(),
                    point.getTimeUnixNano(),
                    value(point)));
        }
    }

    private static double value(NumberDataPoint point) {
        return switch (point.getValueCase()) {
            case AS_DOUBLE -> point.getAsDouble();
            case AS_INT -> point.getAsInt();
            case VALUE_NOT_SET -> Double.NaN;
        };
    }

    private static Map<String, String> attributes(List<KeyValue> attributes) {
        Map<String, String> map = new LinkedHashMap<>();
        for (KeyValue attribute : attributes) {
            map.put(attribute.getKey(), text(attribute.getValue()));
        }
        return map;
    }

    private static String text(AnyValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
            case INT_VALUE -> Long.toString(value.getIntValue());
            case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
            default -> value.toString();
        };
    }
}
