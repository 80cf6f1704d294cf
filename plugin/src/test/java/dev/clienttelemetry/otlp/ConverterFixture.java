/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A converter with a clock that stands still unless told, one client, and the official classes at both ends. */
final class ConverterFixture {
    static final long MS = 1_000_000;

    final TelemetryMetrics metrics = new TelemetryMetrics();
    final ClientInstances instances = new ClientInstances(1_000_000, () -> this.nanos);
    final Client client = new Client(
            "orders", "apache-kafka-java", "4.4.0", "192.0.2.7", "41234", "User:alice", "EXTERNAL", "SASL_SSL");
    ClientInstance instance = instances.pushed(1, 2, client, 0, false);

    Set<Label> labels = EnumSet.noneOf(Label.class);
    String serviceName = "client_id";
    Temporality temporality = Temporality.CUMULATIVE;
    boolean dropNanGauges = true;
    int maxSeries = 1_000_000;
    int maxSeriesPerInstance = 5_000;
    private long nanos = 77_000_000_000L;
    private PushConverter converter;
    private ConvertedPush previous;
    private byte[] previousBytes;

    PushConverter converter() {
        if (converter == null) {
            converter = new PushConverter(
                    new ConversionSettings(
                            labels,
                            serviceName,
                            "3",
                            "cluster-1",
                            temporality,
                            dropNanGauges,
                            maxSeries,
                            maxSeriesPerInstance),
                    metrics);
        }
        return converter;
    }

    /** Starts the plugin anew: nothing of before is known. */
    void restart() {
        converter = null;
    }

    void pass(long time, TimeUnit unit) {
        nanos += unit.toNanos(time);
    }

    MetricsData convert(byte[] payload) {
        return convert(instance, client, payload);
    }

    MetricsData convert(MetricsData push) {
        return convert(instance, client, push.toByteArray());
    }

    MetricsData convert(ClientInstance from, Client client, byte[] payload) {
        try {
            PushCheck.check(payload, payload.length);
            ConvertedPush push = converter().convert(from, client, payload.clone(), nanos);
            if (previous != null && !java.util.Arrays.equals(previousBytes, previous.bytes())) {
                throw new AssertionError("What waits to be sent was changed");
            }
            previous = push;
            previousBytes = push.bytes();
            PushCheck.check(push.bytes(), push.bytes().length);
            MetricsData data = MetricsData.parseFrom(push.bytes());
            if (points(data) != push.points()) {
                throw new AssertionError("Has " + points(data) + " points, not " + push.points());
            }
            return data;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static int points(MetricsData data) {
        int points = 0;
        for (Metric metric : metrics(data)) {
            points += metric.getGauge().getDataPointsCount()
                    + metric.getSum().getDataPointsCount()
                    + metric.getHistogram().getDataPointsCount()
                    + metric.getExponentialHistogram().getDataPointsCount()
                    + metric.getSummary().getDataPointsCount();
        }
        return points;
    }

    static List<Metric> metrics(MetricsData data) {
        List<Metric> metrics = new ArrayList<>();
        for (ResourceMetrics resource : data.getResourceMetricsList()) {
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                metrics.addAll(scope.getMetricsList());
            }
        }
        return metrics;
    }

    /** Returns the number points of all metrics as "start-time:value", times in milliseconds. */
    static List<String> sums(MetricsData data) {
        List<String> points = new ArrayList<>();
        for (Metric metric : metrics(data)) {
            for (NumberDataPoint point : metric.getSum().getDataPointsList()) {
                points.add(text(point));
            }
        }
        return points;
    }

    private static String text(NumberDataPoint point) {
        String value = point.hasAsDouble() ? String.valueOf(point.getAsDouble()) : String.valueOf(point.getAsInt());
        return point.getStartTimeUnixNano() / MS + "-" + point.getTimeUnixNano() / MS + ":" + value;
    }

    /** A point of the interval between two times in milliseconds. */
    static NumberDataPoint.Builder point(long startMs, long timeMs) {
        return NumberDataPoint.newBuilder().setStartTimeUnixNano(startMs * MS).setTimeUnixNano(timeMs * MS);
    }

    static NumberDataPoint delta(long startMs, long timeMs, double value) {
        return point(startMs, timeMs).setAsDouble(value).build();
    }

    static NumberDataPoint delta(long startMs, long timeMs, long value) {
        return point(startMs, timeMs).setAsInt(value).build();
    }

    static KeyValue attribute(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    static Metric counter(String name, NumberDataPoint... points) {
        return sum(name, true, AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA, points);
    }

    static Metric sum(String name, boolean monotonic, AggregationTemporality temporality, NumberDataPoint... points) {
        return Metric.newBuilder()
                .setName(name)
                .setSum(Sum.newBuilder()
                        .addAllDataPoints(List.of(points))
                        .setAggregationTemporality(temporality)
                        .setIsMonotonic(monotonic))
                .build();
    }

    static Metric gauge(String name, NumberDataPoint... points) {
        return Metric.newBuilder()
                .setName(name)
                .setGauge(Gauge.newBuilder().addAllDataPoints(List.of(points)))
                .build();
    }

    static MetricsData push(Metric... metrics) {
        return push(resource(), metrics);
    }

    static Resource resource(KeyValue... attributes) {
        return Resource.newBuilder().addAllAttributes(List.of(attributes)).build();
    }

    static MetricsData push(Resource resource, Metric... metrics) {
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(resource)
                        .addScopeMetrics(ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics))))
                .build();
    }
}
