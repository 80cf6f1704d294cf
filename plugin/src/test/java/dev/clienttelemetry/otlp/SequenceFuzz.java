/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What must hold for any life of a client: arbitrary bytes seldom make a series that comes twice, so here they are read as
 * a list of pushes of the same few series, and of bytes of a push to change before it is converted. Run and replayed as
 * {@link PushFuzz} is.
 *
 * <p>Held against the rules that a backend relies on, not against the reference: no point starts after its time, the points
 * of a series come in the order of their times but where a clock stays set back, and a monotonic sum falls only with another
 * start or to a zero.
 */
public final class SequenceFuzz {
    private static final Client CLIENT = new Client("c", "s", "1", "192.0.2.1", "1", "User:a", "L", "PLAINTEXT");
    private static final long HOLD_NANOS = 300_000_000_000L;
    private static final int MAX_PUSHES = 40;

    private final TelemetryMetrics metrics = new TelemetryMetrics();
    /** So many that none is evicted: of one that is, no state is kept, and with this clock it may be the newest. */
    private final ClientInstances instances = new ClientInstances(MAX_PUSHES + 1, () -> 0);

    private final PushConverter converter = new PushConverter(
            new ConversionSettings(
                    EnumSet.of(Label.CLIENT_ID), "client_id", "1", null, Temporality.CUMULATIVE, true, 1000, 20),
            metrics);
    private final PushSequences.Life life = new PushSequences.Life();
    private final Map<List<Object>, Sent> sent = new HashMap<>();
    private final byte[] program;
    private int at;
    private long nanos;
    private long nextId;
    private ClientInstance instance = instance();
    /** How often a push was converted with series that had state, over all runs of this process. */
    private int known;

    /** The last point sent for a series, and when. */
    private record Sent(NumberDataPoint point, long nanos) {}

    private SequenceFuzz(byte[] program) {
        this.program = program;
    }

    /** Jazzer's entry point. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        new SequenceFuzz(bytes).run();
    }

    /** Runs an input and returns how many of its points were sent for series that had sent one before. */
    static int run(byte[] bytes) {
        SequenceFuzz fuzz = new SequenceFuzz(bytes);
        fuzz.run();
        return fuzz.known;
    }

    private void run() {
        for (int pushes = 0; pushes < MAX_PUSHES && at < program.length; pushes++) {
            push();
        }
        converter.forget(instance);
        require(converter.series() == 0, "state is left");
    }

    private int next() {
        return at < program.length ? program[at++] & 0xff : 0;
    }

    private static <E> E one(E[] values, int number) {
        return values[number % values.length];
    }

    private ClientInstance instance() {
        return instances.pushed(1, ++nextId, CLIENT, 0, false);
    }

    private void push() {
        int head = next();
        nanos += (next() + 1) * 1_000_000_000L;
        PushSequences.Event event = one(PushSequences.Event.values(), head >>> 3);
        switch (event) {
            case FIVE_MINUTES -> nanos += HOLD_NANOS;
            case REJOINED -> life.rejoin();
            case EXPIRED, TERMINATING, OTHER_CLIENT -> {
                converter.forget(instance);
                instance = instance();
                sent.clear();
            }
            default -> {}
        }
        List<PushSequences.Step> steps = new ArrayList<>();
        for (int series = 0; series < PushSequences.SERIES; series++) {
            steps.add(step());
        }
        byte[] payload =
                life.push(new PushSequences.Push(event, steps, (head & 1) != 0)).toByteArray();
        boolean changed = (head & 6) == 6;
        if (changed && payload.length > 0) {
            payload[(next() << 8 | next()) % payload.length] ^= (byte) next();
            try {
                PushCheck.check(payload, payload.length);
            } catch (MalformedPushException refused) {
                return;
            }
        }
        convert(payload);
    }

    private PushSequences.Step step() {
        int kind = next();
        PushSequences.Interval interval = kind < 128
                ? one(
                        new PushSequences.Interval[] {
                            PushSequences.Interval.JOINED,
                            PushSequences.Interval.SHORT,
                            PushSequences.Interval.CLOCK_BACK,
                            PushSequences.Interval.CLOCK_RIGHT_AGAIN
                        },
                        kind)
                : one(PushSequences.Interval.values(), kind);
        int size = next();
        int milliseconds = 2 + size * 20;
        NumberDataPoint.Builder delta = NumberDataPoint.newBuilder();
        switch (kind >>> 4 & 7) {
            case 0 -> delta.setAsDouble(Double.longBitsToDouble(word()));
            case 1 -> delta.setAsInt(word());
            case 2 -> delta.setAsInt((byte) next());
            case 3, 4 -> delta.setAsDouble(size / 8.0);
            default -> delta.setAsInt(size);
        }
        return new PushSequences.Step(interval, milliseconds, delta.build());
    }

    private long word() {
        long word = 0;
        for (int i = 0; i < 8; i++) {
            word = word << 8 | next();
        }
        return word;
    }

    private void convert(byte[] payload) {
        long zerosLeftOut = metrics.zeroPointsLeftOut().total();
        ConvertedPush push = converter.convert(instance, CLIENT, payload.clone(), nanos);
        require(WireRules.fault(push.bytes()).isEmpty(), "the output is not sound");
        MetricsData data = parsed(push.bytes());
        require(DecodedPoints.count(data) == push.points(), "the points are miscounted");
        require(converter.series() <= 20, "more series than allowed");
        boolean zeroLeftOut = metrics.zeroPointsLeftOut().total() > zerosLeftOut;
        Set<String> cumulativeBefore = cumulative(parsed(payload));
        for (ResourceMetrics resource : data.getResourceMetricsList()) {
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                for (Metric metric : scope.getMetricsList()) {
                    if (metric.hasSum() && !cumulativeBefore.contains(metric.getName())) {
                        sum(resource, scope, metric, zeroLeftOut);
                    }
                }
            }
        }
    }

    /** Returns the names of sums that were not deltas when they came, which pass unchanged. */
    private static Set<String> cumulative(MetricsData data) {
        Set<String> names = new HashSet<>();
        for (ResourceMetrics resource : data.getResourceMetricsList()) {
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                for (Metric metric : scope.getMetricsList()) {
                    if (metric.getSum().getAggregationTemporality()
                            != AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA) {
                        names.add(metric.getName());
                    }
                }
            }
        }
        return names;
    }

    private void sum(ResourceMetrics resource, ScopeMetrics scope, Metric metric, boolean zeroLeftOut) {
        boolean monotonic = metric.getSum().getIsMonotonic();
        require(
                metric.getSum().getAggregationTemporality()
                        == AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE,
                "a sum is not cumulative");
        for (NumberDataPoint point : metric.getSum().getDataPointsList()) {
            require(
                    Long.compareUnsigned(point.getStartTimeUnixNano(), point.getTimeUnixNano()) <= 0,
                    "a point starts after its time");
            List<Object> series = List.of(
                    resource.getResource().toBuilder().clearAttributes().build(),
                    set(resource.getResource().getAttributesList()),
                    scope.getScope().toBuilder().clearAttributes().build(),
                    set(scope.getScope().getAttributesList()),
                    metric.getName(),
                    metric.getUnit(),
                    monotonic,
                    set(point.getAttributesList()));
            Sent last = sent.put(series, new Sent(point, nanos));
            if (last != null) {
                known++;
                follows(last, point, monotonic, zeroLeftOut);
            }
        }
    }

    private static Map<KeyValue, Integer> set(List<KeyValue> attributes) {
        Map<KeyValue, Integer> set = new HashMap<>();
        attributes.forEach(attribute -> set.merge(attribute, 1, Integer::sum));
        return set;
    }

    private void follows(Sent last, NumberDataPoint point, boolean monotonic, boolean zeroLeftOut) {
        if (Long.compareUnsigned(point.getTimeUnixNano(), last.point.getTimeUnixNano()) <= 0) {
            // A new sequence on a clock that was set back; by chance it may start where the one before it did.
            require(nanos - last.nanos >= HOLD_NANOS, "time goes back");
            return;
        }
        boolean sameStart = point.getStartTimeUnixNano() == last.point.getStartTimeUnixNano();
        // A sequence may begin where the one before it did: then by its zero, if there is room for that.
        if (monotonic && sameStart && !zeroLeftOut) {
            require(!(value(point) < value(last.point)) || value(point) == 0, "a total falls");
        }
    }

    private static double value(NumberDataPoint point) {
        return point.hasAsDouble() ? point.getAsDouble() : point.getAsInt();
    }

    private static MetricsData parsed(byte[] bytes) {
        try {
            return MetricsData.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("not for the official parser", e);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
