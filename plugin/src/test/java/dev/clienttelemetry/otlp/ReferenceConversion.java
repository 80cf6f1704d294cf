/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.PointDropReason;
import dev.clienttelemetry.metrics.SequenceRestart;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.DataPointFlags;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.resource.v1.Resource;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What conversion must amount to, said with decoded objects and maps: no coalescing (what is compared with does not
 * depend on it), no care for speed or memory.
 */
final class ReferenceConversion {
    private static final long MILLISECOND = 1_000_000;
    private static final long FIVE_MINUTES = 300_000_000_000L;
    private static final Set<String> OTHERS_RESERVED =
            Set.of("job", "instance", "service_name", "service_namespace", "service_instance_id");

    private final ConversionSettings settings;
    private final Map<ClientInstance, Map<SeriesIdentity, Series>> state = new HashMap<>();
    private long nowNanos;

    // What was counted. Where two reasons hold for one point, either may be given.
    final List<Set<PointDropReason>> dropped = new ArrayList<>();
    final Map<SequenceRestart, Long> restarts = new EnumMap<>(SequenceRestart.class);
    /** Attributes under reserved keys of what was sent, and of everything. */
    long forged;

    long forgedAnywhere;
    long zeroLeftOut;
    long passedThrough;
    final List<NumberDataPoint> zeros = new ArrayList<>();
    final List<NumberDataPoint> sums = new ArrayList<>();

    ReferenceConversion(ConversionSettings settings) {
        this.settings = settings;
    }

    private record SeriesIdentity(
            ByteString resource, ByteString scope, String name, String unit, boolean monotonic, Object attributes) {}

    private static final class Series {
        long start;
        long last;
        long sent;
        /** No point of the sequence has been sent. */
        boolean unsent;

        boolean real;
        /** What was sent last, and what has come since. One pair counts, by the type. */
        double realSum;

        double realHeld;
        long integerSum;
        long integerHeld;
        boolean zeroDue;
        boolean holding;
        long holdingSinceNanos;

        void begin(long sequenceStart, boolean withZero) {
            start = sequenceStart;
            unsent = true;
            realSum = 0;
            integerSum = 0;
            zeroDue = withZero;
        }

        void turnReal(boolean becauseOfDouble) {
            if (becauseOfDouble && !real) {
                real = true;
                realSum = integerSum;
                realHeld = integerHeld;
            }
        }

        /** Takes a delta in; where that is more than fits, only this delta remains and false is returned. */
        boolean hold(NumberDataPoint point) {
            turnReal(point.hasAsDouble());
            if (real) {
                double delta = point.hasAsDouble() ? point.getAsDouble() : point.getAsInt();
                boolean fits = Double.isFinite(realHeld + delta);
                realHeld = fits ? realHeld + delta : delta;
                return fits;
            }
            BigInteger exact = BigInteger.valueOf(integerHeld).add(BigInteger.valueOf(point.getAsInt()));
            boolean fits = exact.bitLength() < 64;
            integerHeld = fits ? exact.longValue() : point.getAsInt();
            return fits;
        }

        /** Adds what came since to what was sent, or leaves both alone and returns false where it does not fit. */
        boolean addHeld() {
            BigInteger exact = BigInteger.valueOf(integerSum).add(BigInteger.valueOf(integerHeld));
            if (real ? !Double.isFinite(realSum + realHeld) : exact.bitLength() >= 64) {
                return false;
            }
            realSum += realHeld;
            integerSum = real ? 0 : exact.longValue();
            realHeld = 0;
            integerHeld = 0;
            return true;
        }
    }

    MetricsData convert(ClientInstance instance, Client client, MetricsData push, long now) {
        nowNanos = now;
        forgedAnywhere += countForged(push);
        MetricsData.Builder result = MetricsData.newBuilder();
        for (ResourceMetrics resource : push.getResourceMetricsList()) {
            Resource.Builder labelled = resource.getResource().toBuilder();
            labelled.clearAttributes()
                    .addAllAttributes(honest(resource.getResource().getAttributesList()));
            labelled.addAllAttributes(labels(instance, client));
            ResourceMetrics.Builder under =
                    resource.toBuilder().clearScopeMetrics().setResource(labelled);
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                InstrumentationScope.Builder own = scope.getScope().toBuilder();
                own.clearAttributes().addAllAttributes(honest(scope.getScope().getAttributesList()));
                ScopeMetrics.Builder with = scope.toBuilder().clearMetrics().setScope(own);
                for (Metric metric : scope.getMetricsList()) {
                    Metric converted = metric(instance, under.build(), with.build(), metric);
                    if (converted != null) {
                        result.addResourceMetrics(
                                under.clone().addScopeMetrics(with.clone().addMetrics(converted)));
                    }
                }
            }
        }
        return result.build();
    }

    void forget(ClientInstance instance) {
        state.remove(instance);
    }

    int series() {
        return state.values().stream().mapToInt(Map::size).sum();
    }

    private Metric metric(ClientInstance instance, ResourceMetrics resource, ScopeMetrics scope, Metric metric) {
        if (DecodedPoints.dataField(metric) == null) {
            Set<PointDropReason> reasons = EnumSet.of(PointDropReason.NO_DATA);
            if (metric.getName().isEmpty()) {
                reasons.add(PointDropReason.NO_NAME);
            }
            dropped.add(reasons);
            return null;
        }
        boolean convert = metric.hasSum()
                && metric.getSum().getAggregationTemporality() == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
                && (!metric.getSum().getIsMonotonic() || settings.temporality() == Temporality.CUMULATIVE);
        List<Message> points = new ArrayList<>();
        for (Message point : DecodedPoints.points(metric)) {
            Set<PointDropReason> reasons = EnumSet.noneOf(PointDropReason.class);
            if (metric.getName().isEmpty()) {
                reasons.add(PointDropReason.NO_NAME);
            }
            if (DecodedPoints.time(point) == 0) {
                reasons.add(PointDropReason.NO_TIME);
            }
            if (metric.hasSum() && unspecified(metric.getSum())) {
                reasons.add(PointDropReason.UNSPECIFIED_TEMPORALITY);
            }
            if (settings.dropNanGauges()
                    && metric.hasGauge()
                    && point instanceof NumberDataPoint number
                    && number.hasAsDouble()
                    && Double.isNaN(number.getAsDouble())) {
                reasons.add(PointDropReason.NAN_GAUGE);
            }
            if (convert && !finite((NumberDataPoint) point)) {
                reasons.add(PointDropReason.NON_FINITE);
            }
            if (!reasons.isEmpty()) {
                dropped.add(reasons);
                continue;
            }
            Message honest = DecodedPoints.withAttributes(point, honest(DecodedPoints.attributes(point)));
            if (convert) {
                sum(instance, resource, scope, metric, (NumberDataPoint) honest, points);
            } else {
                points.add(honest);
                if (!metric.hasSum() && !metric.hasGauge()) {
                    passedThrough++;
                }
            }
        }
        if (points.isEmpty()) {
            return null;
        }
        Metric result = DecodedPoints.withPoints(metric, points);
        if (convert) {
            Metric.Builder cumulative = result.toBuilder();
            cumulative
                    .getSumBuilder()
                    .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
            return cumulative.build();
        }
        return result;
    }

    private static boolean unspecified(Sum sum) {
        AggregationTemporality temporality = sum.getAggregationTemporality();
        return temporality != AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
                && temporality != AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE;
    }

    private static boolean finite(NumberDataPoint point) {
        boolean noRecordedValue =
                (point.getFlags() & DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK_VALUE) != 0;
        return !noRecordedValue && (point.hasAsInt() || Double.isFinite(point.getAsDouble()) && point.hasAsDouble());
    }

    private void sum(
            ClientInstance instance,
            ResourceMetrics resource,
            ScopeMetrics scope,
            Metric metric,
            NumberDataPoint point,
            List<Message> out) {
        Map<SeriesIdentity, Series> known = state.computeIfAbsent(instance, i -> new HashMap<>());
        SeriesIdentity identity = new SeriesIdentity(
                DecodedPoints.canonical(resource.getResource()).toByteString(),
                DecodedPoints.canonical(scope.getScope()).toByteString(),
                metric.getName(),
                metric.getUnit(),
                metric.getSum().getIsMonotonic(),
                DecodedPoints.Attributes.of(point));
        boolean monotonic = metric.getSum().getIsMonotonic();
        long time = point.getTimeUnixNano();
        long start = point.getStartTimeUnixNano();
        Series series = known.get(identity);
        boolean isNew = series == null;
        if (isNew) {
            Set<PointDropReason> bounds = EnumSet.noneOf(PointDropReason.class);
            if (series() >= settings.maxSeries()) {
                bounds.add(PointDropReason.SERIES_BOUND);
            }
            if (known.size() >= settings.maxSeriesPerInstance()) {
                bounds.add(PointDropReason.INSTANCE_SERIES_BOUND);
            }
            if (!bounds.isEmpty()) {
                dropped.add(bounds);
                return;
            }
            series = new Series();
            series.real = point.hasAsDouble();
            known.put(identity, series);
            if (start == 0) {
                start = after(time, MILLISECOND) ? time - MILLISECOND : 0;
            }
        } else if (time == series.last) {
            dropped.add(EnumSet.of(PointDropReason.REPEAT));
            return;
        } else if (start == 0) {
            start = series.last;
        }

        boolean hold = after(start, time) || !after(time, series.sent);
        if (after(start, time)) {
            start = time;
        }
        SequenceRestart restart = null;
        if (monotonic && negative(point)) {
            restart = SequenceRestart.NEGATIVE_DELTA;
            series.turnReal(point.hasAsDouble());
        } else if (!series.hold(point)) {
            restart = SequenceRestart.OVERFLOW;
        } else if (!isNew && !hold && start != series.last) {
            restart = after(start, series.last) ? SequenceRestart.GAP : SequenceRestart.OVERLAP;
        }
        if (restart != null) {
            restart(restart);
        }
        if (isNew || restart != null) {
            series.begin(start, monotonic);
        }
        series.last = time;
        if (hold && !series.holding) {
            series.holding = true;
            series.holdingSinceNanos = nowNanos;
        }
        if (hold && nowNanos - series.holdingSinceNanos < FIVE_MINUTES) {
            dropped.add(EnumSet.of(PointDropReason.CLOCK_BACK));
            if (series.unsent) {
                // Whatever is sent of it at last ends after what was sent and not before where the client is now.
                BigInteger possible = unsigned(start).max(unsigned(series.sent));
                series.start = unsigned(series.start).min(possible).longValue();
            }
            return;
        }
        if (hold) {
            restart(SequenceRestart.CLOCK_BACK);
            series.begin(start, false);
        }
        if (!series.addHeld()) {
            restart(SequenceRestart.OVERFLOW);
            series.begin(start, monotonic);
            series.addHeld();
        }
        series.holding = false;
        if (series.zeroDue) {
            zero(series, point, out);
        }
        NumberDataPoint.Builder cumulative = point.toBuilder().setStartTimeUnixNano(series.start);
        NumberDataPoint sent = series.real
                ? cumulative.setAsDouble(series.realSum).build()
                : cumulative.setAsInt(series.integerSum).build();
        out.add(sent);
        sums.add(sent);
        series.sent = time;
        series.unsent = false;
    }

    private void zero(Series series, NumberDataPoint point, List<Message> out) {
        series.zeroDue = false;
        BigInteger later = unsigned(series.start).max(unsigned(series.sent)).add(BigInteger.valueOf(MILLISECOND));
        if (later.compareTo(unsigned(point.getTimeUnixNano())) >= 0) {
            zeroLeftOut++;
            return;
        }
        NumberDataPoint.Builder zero = NumberDataPoint.newBuilder()
                .addAllAttributes(point.getAttributesList())
                .setStartTimeUnixNano(series.start)
                .setTimeUnixNano(later.longValue());
        NumberDataPoint written =
                series.real ? zero.setAsDouble(0).build() : zero.setAsInt(0).build();
        out.add(written);
        zeros.add(written);
    }

    private void restart(SequenceRestart why) {
        restarts.merge(why, 1L, Long::sum);
    }

    private static boolean negative(NumberDataPoint point) {
        return point.hasAsInt() ? point.getAsInt() < 0 : point.getAsDouble() < 0;
    }

    private static BigInteger unsigned(long time) {
        return new BigInteger(Long.toUnsignedString(time));
    }

    private static boolean after(long a, long b) {
        return Long.compareUnsigned(a, b) > 0;
    }

    private List<KeyValue> honest(List<KeyValue> attributes) {
        List<KeyValue> honest = new ArrayList<>();
        for (KeyValue attribute : attributes) {
            if (reserved(attribute.getKey())) {
                forged++;
            } else {
                honest.add(attribute);
            }
        }
        return honest;
    }

    /** Returns a push with all but the attributes under reserved keys. */
    static MetricsData withoutForged(MetricsData push) {
        MetricsData.Builder honest = push.toBuilder();
        for (ResourceMetrics.Builder resource : honest.getResourceMetricsBuilderList()) {
            if (resource.hasResource()) {
                Resource own = resource.getResource();
                resource.setResource(
                        own.toBuilder().clearAttributes().addAllAttributes(unreserved(own.getAttributesList())));
            }
            for (ScopeMetrics.Builder scope : resource.getScopeMetricsBuilderList()) {
                if (scope.hasScope()) {
                    InstrumentationScope own = scope.getScope();
                    scope.setScope(
                            own.toBuilder().clearAttributes().addAllAttributes(unreserved(own.getAttributesList())));
                }
            }
        }
        return honest.build();
    }

    private static List<KeyValue> unreserved(List<KeyValue> attributes) {
        return attributes.stream()
                .filter(attribute -> !reserved(attribute.getKey()))
                .toList();
    }

    private static long countForged(MetricsData push) {
        List<KeyValue> all = new ArrayList<>();
        for (ResourceMetrics resource : push.getResourceMetricsList()) {
            all.addAll(resource.getResource().getAttributesList());
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                all.addAll(scope.getScope().getAttributesList());
                for (Metric metric : scope.getMetricsList()) {
                    DecodedPoints.points(metric).forEach(point -> all.addAll(DecodedPoints.attributes(point)));
                }
            }
        }
        return all.stream().filter(attribute -> reserved(attribute.getKey())).count();
    }

    private static boolean reserved(String key) {
        String mapped = key.replaceAll("[^A-Za-z0-9]+", "_").replaceAll("^_|_$", "");
        for (Label label : Label.values()) {
            if (label.key().equals(mapped)) {
                return true;
            }
        }
        return OTHERS_RESERVED.contains(mapped);
    }

    List<KeyValue> labels(ClientInstance instance, Client client) {
        List<KeyValue> labels = new ArrayList<>();
        for (Label label : settings.labels()) {
            String value = value(label, instance, client);
            if (value != null) {
                labels.add(attribute(label.key(), value));
            }
        }
        String name = settings.serviceName();
        String service = null;
        if (name.startsWith("=")) {
            service = name.substring(1);
        } else {
            for (Label label : Label.values()) {
                if (label.key().equals(name)) {
                    service = value(label, instance, client);
                }
            }
        }
        labels.add(attribute("service.name", service == null || service.isEmpty() ? "unknown_service" : service));
        labels.add(attribute("service.instance.id", value(Label.CLIENT_INSTANCE_ID, instance, client)));
        return labels;
    }

    private String value(Label label, ClientInstance instance, Client client) {
        return switch (label) {
            case CLIENT_INSTANCE_ID ->
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(ByteBuffer.allocate(16)
                                .putLong(instance.idMostSignificantBits())
                                .putLong(instance.idLeastSignificantBits())
                                .array());
            case CLIENT_ID -> client.clientId();
            case CLIENT_SOFTWARE_NAME -> client.softwareName();
            case CLIENT_SOFTWARE_VERSION -> client.softwareVersion();
            case CLIENT_SOURCE_ADDRESS -> client.sourceAddress();
            case PRINCIPAL -> client.principal();
            case BROKER_ID -> settings.brokerId();
            case CLIENT_SOURCE_PORT -> client.sourcePort();
            case LISTENER_NAME -> client.listenerName();
            case SECURITY_PROTOCOL -> client.securityProtocol();
            case CLUSTER_ID -> settings.clusterId();
        };
    }

    private static KeyValue attribute(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }
}
