/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.PointData;
import io.opentelemetry.sdk.metrics.export.AggregationTemporalitySelector;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class OpenTelemetryExpositionTest {
    private static final Duration NEVER = Duration.ofDays(1);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final ServerAddress BACKEND = new ServerAddress("collector.example", 4317);
    private static final ServiceIdentity BROKER = new ServiceIdentity("cluster", "1", "1.2.3", Map.of());

    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final Exporter exporter = new Exporter();

    private static final class Exporter implements MetricExporter {
        private final List<Collection<MetricData>> exported = new CopyOnWriteArrayList<>();
        private AggregationTemporalitySelector temporality = AggregationTemporalitySelector.alwaysCumulative();
        private final Queue<Error> fails = new ConcurrentLinkedQueue<>();
        private boolean hangs;
        private boolean shutDown;

        @Override
        public CompletableResultCode export(Collection<MetricData> metrics) {
            Error error = fails.poll();
            if (error != null) {
                throw error;
            }
            exported.add(metrics);
            return hangs ? new CompletableResultCode() : CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            shutDown = true;
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public AggregationTemporality getAggregationTemporality(InstrumentType instrumentType) {
            return temporality.getAggregationTemporality(instrumentType);
        }

        List<MetricData> named(String name) {
            return exported.get(exported.size() - 1).stream()
                    .filter(metric -> metric.getName().equals(name))
                    .toList();
        }

        MetricData metric(String name) {
            assertThat(named(name)).hasSize(1);
            return named(name).get(0);
        }

        long value(String name, Attributes attributes) {
            return metric(name).getLongSumData().getPoints().stream()
                    .filter(point -> point.getAttributes().equals(attributes))
                    .findFirst()
                    .orElseThrow()
                    .getValue();
        }
    }

    @Test
    void closingSendsTheLastValuesAndShutsTheExporterDown() {
        OpenTelemetryExposition exposition = open(NEVER);
        metrics.pushes().add(3);

        exposition.close(SOON);
        exposition.close(SOON);

        assertThat(exporter.exported).hasSize(1);
        assertThat(exporter.shutDown).isTrue();
        assertThat(exporter.value("client_telemetry.push.received", Attributes.empty()))
                .isEqualTo(3);
    }

    @Test
    void valuesAreSentOncePerInterval() {
        OpenTelemetryExposition exposition = open(Duration.ofMillis(20));
        await().atMost(SOON).until(() -> exporter.exported.size() >= 3);
        exposition.close(SOON);
    }

    @Test
    void namesAndUnitsFollowTheConventions() {
        provideEverything();
        metrics.requestTimes().failed("503", 1);
        collect();

        Set<String> names = new HashSet<>();
        for (MetricData metric : exporter.exported.get(0)) {
            assertThat(names.add(metric.getName())).as(metric.getName()).isTrue();
            assertThat(metric.getName()).matches("(client_telemetry|otel\\.sdk\\.exporter)(\\.[a-z][a-z_]*)+");
            // Units are not in names, io is for what flows in two directions, count for what can fall.
            assertThat(metric.getName())
                    .doesNotContain("total", "bytes", "seconds", "_ms")
                    .doesNotEndWith(".io");
            assertThat(metric.getUnit().equals("s"))
                    .as(metric.getName())
                    .isEqualTo(metric.getName().matches(".*\\.(duration|age|time)"));
            assertThat(metric.getUnit().equals("By"))
                    .as(metric.getName())
                    .isEqualTo(metric.getName().matches(".*\\.size|client_telemetry\\.buffer\\..*"));
            if (metric.getName().endsWith(".count")) {
                assertThat(metric.getLongSumData().isMonotonic()).isFalse();
            }
            assertThat(metric.getUnit()).matches("s|By|1|\\{[a-z_]+}");
            assertThat(metric.getDescription()).isNotBlank();
            assertThat(metric.getInstrumentationScopeInfo().getName()).isEqualTo("dev.clienttelemetry");
            assertThat(metric.getInstrumentationScopeInfo().getVersion()).isEqualTo("1.2.3");
        }
        // No name is the namespace of another.
        assertThat(names).noneMatch(name -> names.stream().anyMatch(other -> other.startsWith(name + ".")));
        for (Instrument instrument : Instrument.values()) {
            if (instrument.otelName() != null) {
                assertThat(names).contains(instrument.otelName());
            }
        }
    }

    @Test
    void failuresCarryTheirErrorTypeAndSumsAreNotSentBesideTheirParts() {
        metrics.refusals().increment(RefusalReason.INVALID_UTF8);
        collect();

        assertThat(exporter.metric("client_telemetry.plugin.errors")
                        .getLongSumData()
                        .getPoints())
                .hasSize(RefusalReason.values().length)
                .allSatisfy(point -> assertThat(point.getAttributes().asMap()).hasSize(1));
        assertThat(exporter.value(
                        "client_telemetry.plugin.errors",
                        Attributes.builder().put("error.type", "invalid_utf8").build()))
                .isEqualTo(1);
    }

    @Test
    void pointsTakenRejectedAndGivenUpAreOneMetricOfTheSdksOwn() {
        metrics.pointsSent().add(90);
        metrics.pointsRejected().add(10);
        metrics.pointsFailed().add("503", 4);
        collect();

        Attributes component = Attributes.builder()
                .put("otel.component.type", "dev.clienttelemetry.export.PushExporter")
                .put("otel.component.name", "dev.clienttelemetry.export.PushExporter/0")
                .put("server.address", "collector.example")
                .put("server.port", 4317)
                .build();
        String name = "otel.sdk.exporter.metric_data_point.exported";
        assertThat(exporter.value(name, component)).isEqualTo(90);
        assertThat(exporter.value(
                        name,
                        component.toBuilder().put("error.type", "rejected").build()))
                .isEqualTo(10);
        assertThat(exporter.value(
                        name, component.toBuilder().put("error.type", "503").build()))
                .isEqualTo(4);
        assertThat(exporter.metric(name).getLongSumData().getPoints()).hasSize(3);
        assertThat(exporter.metric(name).getLongSumData().isMonotonic()).isTrue();
    }

    @Test
    void timesAreHistogramsInSeconds() {
        metrics.exportTime().record(6_000);
        metrics.exportTime().record(250_000_000);
        metrics.requestTimes().succeeded(1_000_000);
        metrics.requestTimes().failed("503", 2_000_000);
        collect();

        HistogramPointData time = exporter.metric("client_telemetry.plugin.export.duration")
                .getHistogramData()
                .getPoints()
                .iterator()
                .next();
        assertThat(time.getBoundaries()).startsWith(0.000005, 0.00001).endsWith(0.1);
        assertThat(time.getCount()).isEqualTo(2);
        assertThat(time.getSum()).isEqualTo(0.250006);
        assertThat(time.getCounts().get(1)).isEqualTo(1);
        assertThat(time.getCounts().get(time.getBoundaries().size())).isEqualTo(1);
        assertThat(exporter.metric("client_telemetry.request.duration")
                        .getHistogramData()
                        .getPoints())
                .extracting(point -> point.getAttributes().get(AttributeKey.stringKey("error.type")))
                .containsExactlyInAnyOrder(null, "503");
    }

    @Test
    void whatIsNotKnownIsAbsent() {
        metrics.provide(Instrument.BACKEND_REACHABLE, () -> Instrument.NOT_KNOWN);
        metrics.provide(Instrument.INSTANCES, () -> 1);
        metrics.withdraw(Instrument.INSTANCES);
        collect();

        assertThat(exporter.named("client_telemetry.backend.reachable")).isEmpty();
        assertThat(exporter.named("client_telemetry.instance.count")).isEmpty();
        assertThat(exporter.named("client_telemetry.throttled.requests")).isEmpty();
    }

    @Test
    void whatComesAndGoesWhileOpenIsFollowed() {
        OpenTelemetryExposition exposition = open(NEVER);
        metrics.provide(Instrument.INSTANCES, () -> 1);
        metrics.withdraw(Instrument.INSTANCES);
        metrics.provide(Instrument.INSTANCES, () -> 2);
        metrics.provide(Instrument.OLDEST_PUSH_AGE, () -> 1_500_000_000);
        metrics.requestTimes().failed("timeout", 1);
        exposition.close(SOON);

        assertThat(exporter.value("client_telemetry.instance.count", Attributes.empty()))
                .isEqualTo(2);
        assertThat(exporter.metric("client_telemetry.oldest_push.age")
                        .getDoubleGaugeData()
                        .getPoints()
                        .iterator()
                        .next()
                        .getValue())
                .isEqualTo(1.5);
    }

    @Test
    void gaugesAreNoSums() {
        provideEverything();
        collect();

        assertThat(exporter.metric("client_telemetry.backend.reachable").getType())
                .isEqualTo(MetricDataType.LONG_GAUGE);
        assertThat(exporter.metric("client_telemetry.buffer.usage")
                        .getLongSumData()
                        .isMonotonic())
                .isFalse();
    }

    @Test
    void theExportersTemporalityIsKept() {
        exporter.temporality = AggregationTemporalitySelector.deltaPreferred();
        OpenTelemetryExposition exposition = open(Duration.ofMillis(20));
        metrics.pushes().add(5);
        metrics.exportTime().record(1);
        await().atMost(SOON).until(() -> exporter.exported.size() >= 5);
        metrics.pushes().add(2);
        metrics.exportTime().record(1);
        exposition.close(SOON);

        List<PointData> times = new ArrayList<>();
        long pushes = 0;
        long calls = 0;
        for (Collection<MetricData> metricsOfOne : exporter.exported) {
            for (MetricData metric : metricsOfOne) {
                if (metric.getName().equals("client_telemetry.push.received")) {
                    pushes += metric.getLongSumData()
                            .getPoints()
                            .iterator()
                            .next()
                            .getValue();
                } else if (metric.getName().equals("client_telemetry.plugin.export.duration")) {
                    HistogramPointData point =
                            metric.getHistogramData().getPoints().iterator().next();
                    assertThat(metric.getHistogramData().getAggregationTemporality())
                            .isEqualTo(AggregationTemporality.DELTA);
                    calls += point.getCount();
                    times.add(point);
                }
            }
        }
        assertThat(pushes).isEqualTo(7);
        assertThat(calls).isEqualTo(2);
        for (int i = 1; i < times.size(); i++) {
            assertThat(times.get(i).getStartEpochNanos())
                    .isEqualTo(times.get(i - 1).getEpochNanos());
        }
    }

    @Test
    void theResourceSaysWhichBrokerItIsAndGivenAttributesWin() {
        ServiceIdentity identity = new ServiceIdentity(
                "cluster", "1", "1.2.3", Map.of("service.name", "our%20telemetry", "team", "a+b", "bad", "100%"));
        new OpenTelemetryExposition(metrics, exporter, BACKEND, identity, NEVER).close(SOON);

        assertThat(exporter.metric("client_telemetry.push.received")
                        .getResource()
                        .getAttributes()
                        .asMap())
                .extractingByKeys(
                        AttributeKey.stringKey("service.name"),
                        AttributeKey.stringKey("service.version"),
                        AttributeKey.stringKey("service.instance.id"),
                        AttributeKey.stringKey("kafka.cluster.id"),
                        AttributeKey.stringKey("kafka.node.id"),
                        AttributeKey.stringKey("team"),
                        AttributeKey.stringKey("bad"))
                .containsExactly("our telemetry", "1.2.3", "cluster/1", "cluster", "1", "a+b", "100%");
        assertThat(exporter.metric("client_telemetry.plugin.export.duration").getResource())
                .isEqualTo(exporter.metric("client_telemetry.push.received").getResource());
    }

    @Test
    void aHostThatDoesNotKnowWhoItIsIsStillOneOfItsOwn() {
        ServiceIdentity unknown = new ServiceIdentity(null, null, "1.2.3", Map.of());

        assertThat(unknown.resource().getAttributes().asMap().keySet())
                .extracting(Object::toString)
                .contains("service.name", "service.instance.id")
                .doesNotContain("kafka.cluster.id", "kafka.node.id");
    }

    @Test
    void closingKeepsToItsTimeWhenTheBackendHangsAndLeavesNoThread() {
        exporter.hangs = true;
        OpenTelemetryExposition exposition = open(Duration.ofMillis(1));
        await().atMost(SOON).until(() -> !exporter.exported.isEmpty());

        exposition.close(Duration.ofMillis(50));

        await().atMost(SOON).until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("client-telemetry-own-metrics")));
        assertThat(exporter.shutDown).isTrue();
    }

    @Test
    void anErrorDoesNotEndTheMetrics() {
        exporter.fails.addAll(List.of(new OutOfMemoryError("test"), new StackOverflowError(), new AssertionError()));
        OpenTelemetryExposition exposition = open(Duration.ofMillis(1));

        await().atMost(SOON).until(() -> exporter.exported.size() > 1);
        exposition.close(SOON);
        assertThat(exporter.fails).isEmpty();
    }

    @Test
    void anIntervalOfZeroIsRefused() {
        assertThatThrownBy(() -> open(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    private OpenTelemetryExposition open(Duration interval) {
        return new OpenTelemetryExposition(metrics, exporter, BACKEND, BROKER, interval);
    }

    private void collect() {
        open(NEVER).close(SOON);
    }

    private void provideEverything() {
        for (Instrument instrument : Instrument.values()) {
            try {
                metrics.provide(instrument, () -> 1);
            } catch (IllegalArgumentException countedAlready) {
                assertThat(countedAlready).hasMessageContaining(instrument.name());
            }
        }
    }
}
