/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.PointDropReason;
import dev.clienttelemetry.metrics.SequenceRestart;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Conversion against the plain reference. */
class PushConverterPropertyTest {
    private static final Client CLIENT = new Client(
            "orders", "apache-kafka-java", "4.4.0", "192.0.2.7", "50123", "User:alice", "PLAINTEXT", "SASL_SSL");

    @Provide
    Arbitrary<MetricsData> metricsData() {
        return MetricsDataArbitraries.metricsData();
    }

    @Provide
    Arbitrary<MetricsData> seriesByTurns() {
        return MetricsDataArbitraries.seriesByTurns();
    }

    @Provide
    Arbitrary<List<PushSequences.Push>> steadyPushes() {
        return PushSequences.steadyPushes();
    }

    @Provide
    Arbitrary<List<PushSequences.Push>> hostilePushes() {
        return PushSequences.hostilePushes();
    }

    @Provide
    Arbitrary<ConversionSettings> settings() {
        return settings(Arbitraries.just(1_000_000), Arbitraries.just(5000));
    }

    @Provide
    Arbitrary<ConversionSettings> settingsWithTightBounds() {
        Arbitrary<Integer> bounds = Arbitraries.integers().between(0, 4);
        return settings(bounds, bounds);
    }

    private static Arbitrary<ConversionSettings> settings(
            Arbitrary<Integer> maxSeries, Arbitrary<Integer> maxSeriesPerInstance) {
        return Combinators.combine(
                        Arbitraries.of(Label.class).set().ofMaxSize(11),
                        Arbitraries.of("client_id", "principal", "cluster_id", "=kafka", "="),
                        Arbitraries.of("1", null),
                        Arbitraries.of(Temporality.CUMULATIVE, Temporality.CUMULATIVE, Temporality.DELTA),
                        Arbitraries.of(true, false),
                        maxSeries,
                        maxSeriesPerInstance)
                .as((labels, serviceName, brokerId, temporality, dropNan, max, maxPerInstance) ->
                        new ConversionSettings(
                                labels.isEmpty() ? EnumSet.noneOf(Label.class) : EnumSet.copyOf(labels),
                                serviceName,
                                brokerId,
                                "cluster",
                                temporality,
                                dropNan,
                                max,
                                maxPerInstance));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void anyDataComesOutAsTheReferenceSays(
            @ForAll("metricsData") MetricsData first,
            @ForAll("metricsData") MetricsData second,
            @ForAll("settings") ConversionSettings settings,
            @ForAll long seed) {
        Scene scene = new Scene(settings);
        ClientInstance instance = scene.pushed(false);
        scene.convert(
                instance,
                CLIENT,
                first,
                WireMessage.of(first).rewritten(new Random(seed)).toBytes());
        scene.convert(
                instance,
                CLIENT,
                second,
                WireMessage.of(second).rewritten(new Random(seed)).toBytes());
    }

    /** Found by the property above: temporality behind monotonicity, points behind both, with and without a name. */
    @Example
    void theFieldsOfASumMayComeInAnyOrder() throws InvalidProtocolBufferException {
        String point = "0a1b" + "11000032b491d4b318" + "1900caccef91d4b318" + "31" + "0700000000000000";
        for (String sum : List.of(point + "18011001", "18011001" + point, "1801" + point + "1001")) {
            for (String name : List.of("", "0a0161")) {
                String metric = name + "3a21" + sum;
                String scope = "12" + length(metric) + metric;
                String resource = "12" + length(scope) + scope;
                byte[] payload = HexFormat.of().parseHex("0a" + length(resource) + resource);
                Scene scene = new Scene(defaults(Temporality.CUMULATIVE));
                scene.convert(scene.pushed(false), CLIENT, MetricsData.parseFrom(payload), payload);
            }
        }
    }

    @Example
    void everySequenceOfFieldsComesOutAsTheReferenceSays() throws InvalidProtocolBufferException {
        for (FieldSequences place : FieldSequences.values()) {
            for (int times = 1; times <= 2; times++) {
                // One life for all of them, which shows which are the same series.
                Scene scene = new Scene(defaults(Temporality.CUMULATIVE));
                ClientInstance instance = scene.pushed(false);
                for (byte[] payload : place.pushes(4 - times, times)) {
                    if (WireRules.fault(payload).isEmpty()) {
                        scene.convert(instance, CLIENT, MetricsData.parseFrom(payload), payload);
                    }
                }
            }
        }
    }

    private static String length(String hex) {
        return HexFormat.of().toHexDigits((byte) (hex.length() / 2));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void officialBytesComeOutAsTheReferenceSays(
            @ForAll("metricsData") MetricsData data, @ForAll("settings") ConversionSettings settings) {
        Scene scene = new Scene(settings);
        scene.convert(scene.pushed(false), CLIENT, data, data.toByteArray());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void seriesByTurnsComeOutAsTheReferenceSays(
            @ForAll("seriesByTurns") MetricsData data, @ForAll Temporality temporality) {
        Scene scene = new Scene(defaults(temporality));
        scene.convert(scene.pushed(false), CLIENT, data, data.toByteArray());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void aClientsLifeComesOutAsTheReferenceSays(@ForAll("steadyPushes") List<PushSequences.Push> pushes) {
        live(pushes, new Scene(defaults(Temporality.CUMULATIVE)));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void aHostileLifeComesOutAsTheReferenceSays(
            @ForAll("hostilePushes") List<PushSequences.Push> pushes, @ForAll Temporality temporality) {
        live(pushes, new Scene(defaults(temporality)));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void boundsHoldAndWhatIsBeyondThemIsCounted(
            @ForAll("steadyPushes") List<PushSequences.Push> pushes,
            @ForAll("settingsWithTightBounds") ConversionSettings settings) {
        live(pushes, new Scene(settings));
    }

    private static ConversionSettings defaults(Temporality temporality) {
        return new ConversionSettings(
                EnumSet.range(Label.CLIENT_INSTANCE_ID, Label.BROKER_ID),
                "client_id",
                "1",
                null,
                temporality,
                true,
                1_000_000,
                5000);
    }

    private static void live(List<PushSequences.Push> pushes, Scene scene) {
        PushSequences.Life[] lives = {new PushSequences.Life(), new PushSequences.Life()};
        ClientInstance[] instances = {scene.pushed(false), scene.pushed(false)};
        Client[] clients = {CLIENT, CLIENT};
        int port = 50_000;
        int who = 0;
        for (PushSequences.Push push : pushes) {
            scene.nanos += 30_000_000_000L;
            switch (push.event()) {
                case FIVE_MINUTES -> scene.nanos += 300_000_000_000L;
                case REJOINED -> lives[who].rejoin();
                case OTHER_CLIENT -> who = 1 - who;
                case OTHER_CONNECTION -> clients[who] = connectedFrom(String.valueOf(port++));
                case EXPIRED -> {
                    scene.forget(instances[who]);
                    instances[who] = scene.pushed(false);
                }
                case TERMINATING -> instances[who] = scene.terminate(instances[who]);
                default -> {}
            }
            MetricsData data = lives[who].push(push);
            scene.convert(instances[who], clients[who], data, data.toByteArray());
            if (instances[who].ended()) {
                scene.forget(instances[who]);
                instances[who] = scene.pushed(false);
            }
        }
    }

    private static Client connectedFrom(String port) {
        return new Client(
                CLIENT.clientId(),
                CLIENT.softwareName(),
                CLIENT.softwareVersion(),
                "192.0.2." + port.substring(port.length() - 2),
                port,
                CLIENT.principal(),
                CLIENT.listenerName(),
                CLIENT.securityProtocol());
    }

    /** Counts how often what is under a key changes. */
    private static final class Turns {
        private final Map<Object, Object> latest = new HashMap<>();
        private final Map<Object, Integer> turns = new HashMap<>();
        private int count;

        /** Returns the number of the turn, that of before where nothing changed. */
        int turn(Object key, Object value) {
            if (!value.equals(latest.put(key, value))) {
                turns.put(key, count++);
            }
            return turns.get(key);
        }
    }

    /** A converter beside its reference, each with its state. */
    private static final class Scene {
        private final ConversionSettings settings;
        private final TelemetryMetrics metrics = new TelemetryMetrics();
        private final ClientInstances instances = new ClientInstances(100, this::nanos);
        private final PushConverter converter;
        private final ReferenceConversion reference;
        private long nanos = 1;
        private long nextId = 1;
        private ConvertedPush previous;
        private byte[] previousBytes;

        Scene(ConversionSettings settings) {
            this.settings = settings;
            this.converter = new PushConverter(settings, metrics);
            this.reference = new ReferenceConversion(settings);
        }

        private long nanos() {
            return nanos;
        }

        ClientInstance pushed(boolean terminating) {
            nextId++;
            return instances.pushed(0x0102030405060708L, nextId, CLIENT, 30_000, terminating);
        }

        ClientInstance terminate(ClientInstance instance) {
            return instances.pushed(
                    instance.idMostSignificantBits(), instance.idLeastSignificantBits(), CLIENT, 30_000, true);
        }

        void forget(ClientInstance instance) {
            converter.forget(instance);
            reference.forget(instance);
        }

        void convert(ClientInstance instance, Client client, MetricsData data, byte[] payload) {
            ConvertedPush push = converter.convert(instance, client, payload.clone(), nanos);
            reference.zeros.clear();
            reference.sums.clear();
            MetricsData expected = reference.convert(instance, client, data, nanos);

            MetricsData actual = parsed(push.bytes());
            if (previous != null) {
                assertThat(previous.bytes()).as("what waits to be sent").isEqualTo(previousBytes);
            }
            previous = push;
            previousBytes = push.bytes();
            assertThat(DecodedPoints.of(actual))
                    .as("%s", HexFormat.of().formatHex(payload))
                    .isEqualTo(DecodedPoints.of(expected));
            assertThat(DecodedPoints.bySeries(actual))
                    .as("order within series, %s", HexFormat.of().formatHex(payload))
                    .isEqualTo(DecodedPoints.bySeries(expected));
            assertThat(push.points()).isEqualTo(DecodedPoints.count(actual));
            assertStartsAreNotAfterTimes();
            assertCoalesced(data, actual);
            assertNoLargerThanAllowed(payload, data, push, actual, instance, client);
            assertCounted();
            assertThat(converter.series()).isEqualTo(reference.series());
        }

        /** Of the sums that were made cumulative, which are the reference's: what passes unchanged is the client's. */
        private void assertStartsAreNotAfterTimes() {
            assertThat(Stream.concat(reference.zeros.stream(), reference.sums.stream()))
                    .allMatch(
                            point -> Long.compareUnsigned(point.getStartTimeUnixNano(), point.getTimeUnixNano()) <= 0);
        }

        private void assertCounted() {
            for (PointDropReason reason : PointDropReason.values()) {
                long certain = reference.dropped.stream()
                        .filter(reasons -> reasons.equals(EnumSet.of(reason)))
                        .count();
                long possible = reference.dropped.stream()
                        .filter(reasons -> reasons.contains(reason))
                        .count();
                assertThat(metrics.pointsDropped().total(reason))
                        .as("dropped: %s", reason)
                        .isBetween(certain, possible);
            }
            assertThat(metrics.pointsDropped().total()).as("dropped").isEqualTo(reference.dropped.size());
            for (SequenceRestart restart : SequenceRestart.values()) {
                assertThat(metrics.sequenceRestarts().total(restart))
                        .as("restarts: %s", restart)
                        .isEqualTo(reference.restarts.getOrDefault(restart, 0L));
            }
            assertThat(metrics.forgedAttributes().total())
                    .as("forged")
                    .isBetween(reference.forged, reference.forgedAnywhere);
            assertThat(metrics.zeroPointsLeftOut().total()).as("zero left out").isEqualTo(reference.zeroLeftOut);
            assertThat(metrics.pointsPassedThrough().total())
                    .as("passed through")
                    .isEqualTo(reference.passedThrough);
        }

        /**
         * There are no more resources, scopes and metrics than turns in the input: one for each time that, among all that
         * may hold the same series, another comes than the time before.
         */
        private void assertCoalesced(MetricsData data, MetricsData actual) {
            Turns resources = new Turns();
            Turns scopes = new Turns();
            Turns kinds = new Turns();
            MetricsData honest = ReferenceConversion.withoutForged(data);
            for (ResourceMetrics resource : honest.getResourceMetricsList()) {
                int resourceTurn = resources.turn(
                        DecodedPoints.canonical(resource.getResource()).toByteString(),
                        DecodedPoints.identity(resource));
                for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                    int scopeTurn = scopes.turn(
                            List.of(
                                    resourceTurn,
                                    DecodedPoints.canonical(scope.getScope()).toByteString()),
                            List.of(DecodedPoints.identity(scope), scope.hasScope()));
                    for (Metric metric : scope.getMetricsList()) {
                        List<Object> series = List.of(
                                scopeTurn,
                                metric.getName(),
                                metric.getUnit(),
                                metric.getDataCase(),
                                metric.getSum().getIsMonotonic());
                        kinds.turn(series, DecodedPoints.withPoints(metric, List.of()));
                    }
                }
            }
            int metricsOut = 0;
            int scopesOut = 0;
            for (ResourceMetrics resource : actual.getResourceMetricsList()) {
                assertThat(resource.getScopeMetricsCount()).isPositive();
                scopesOut += resource.getScopeMetricsCount();
                for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                    assertThat(scope.getMetricsCount()).isPositive();
                    metricsOut += scope.getMetricsCount();
                }
            }
            assertThat(actual.getResourceMetricsCount()).as("resources").isLessThanOrEqualTo(resources.count);
            assertThat(scopesOut).as("scopes").isLessThanOrEqualTo(scopes.count);
            assertThat(metricsOut).as("metrics").isLessThanOrEqualTo(kinds.count);
        }

        /**
         * The bound that operators can reckon with: the payload, labels and 64 bytes for each resource that results,
         * 16 bytes for each sum point without start time, zero points apart.
         */
        private void assertNoLargerThanAllowed(
                byte[] payload,
                MetricsData data,
                ConvertedPush push,
                MetricsData actual,
                ClientInstance instance,
                Client client) {
            // The allowance for labels must not hide it.
            assertThat(new CanonicalForm().rewrite(payload).length)
                    .as("size in canonical form, %s", HexFormat.of().formatHex(payload))
                    .isLessThanOrEqualTo(payload.length);
            long labels = 64;
            for (KeyValue label : reference.labels(instance, client)) {
                labels += CodedOutputStream.computeMessageSize(1, label);
            }
            long withoutStart = 0;
            for (ResourceMetrics resource : data.getResourceMetricsList()) {
                for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                    for (Metric metric : scope.getMetricsList()) {
                        for (NumberDataPoint point : metric.getSum().getDataPointsList()) {
                            withoutStart += point.getStartTimeUnixNano() == 0 ? 1 : 0;
                        }
                    }
                }
            }
            long zeros = 0;
            for (NumberDataPoint zero : reference.zeros) {
                // A zero point can lengthen the lengths of its sum, metric, scope and resource too.
                zeros += CodedOutputStream.computeMessageSize(1, zero);
            }
            assertThat((long) push.bytes().length)
                    .as("size")
                    .isLessThanOrEqualTo(
                            payload.length + labels * actual.getResourceMetricsCount() + 16 * withoutStart + zeros);
        }

        private static MetricsData parsed(byte[] bytes) {
            try {
                MetricsData data = MetricsData.parseFrom(bytes);
                assertThat(ExportMetricsServiceRequest.parseFrom(bytes).getResourceMetricsList())
                        .isEqualTo(data.getResourceMetricsList());
                assertThat(WireRules.fault(bytes)).isEmpty();
                return data;
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(HexFormat.of().formatHex(bytes), e);
            }
        }
    }
}
