/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Meter;
import org.apache.kafka.common.metrics.stats.WindowedCount;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The broker's own registry of metrics is real here; its {@code client-metrics} group is made as the broker makes it. */
class BrokerClientMetricsTest {
    private static final String GROUP = "client-metrics";

    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final BrokerClientMetrics brokers = new BrokerClientMetrics(metrics);
    private final ShownValues shown = new ShownValues();
    private final Metrics broker = new Metrics();

    @BeforeEach
    void listen() {
        broker.addReporter(new MetricsReporter() {
            @Override
            public void init(List<KafkaMetric> existing) {
                existing.forEach(brokers::changed);
            }

            @Override
            public void metricChange(KafkaMetric metric) {
                brokers.changed(metric);
            }

            @Override
            public void metricRemoval(KafkaMetric metric) {
                brokers.removed(metric);
            }

            @Override
            public void close() {}

            @Override
            public void configure(Map<String, ?> configs) {}
        });
        metrics.show(shown);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void onABrokerWithoutTheGroupItsNumbersAreAbsent() {
        broker.addMetric(broker.metricName("instance-count", "another-group"), (config, now) -> 3);
        throttleSensor("another-group", "a").record();

        assertThat(shown.instruments())
                .doesNotContain(Instrument.INSTANCES, Instrument.UNKNOWN_SUBSCRIPTIONS, Instrument.THROTTLED);
    }

    @Test
    void theBrokersCountOfInstancesIsShownWhileItHasOne() {
        MetricName name = broker.metricName("instance-count", GROUP);
        broker.addMetric(name, (config, now) -> 3);
        assertThat(value(Instrument.INSTANCES)).isEqualTo(3);
        // The group is there, so that no client was throttled is a fact.
        assertThat(value(Instrument.THROTTLED)).isZero();

        broker.removeMetric(name);
        assertThat(shown.instruments()).doesNotContain(Instrument.INSTANCES);
    }

    @Test
    void unknownSubscriptionsAreShownUnderTheirOwnName() {
        Sensor unknown = broker.sensor("unknown-subscription-request");
        unknown.add(meter("unknown-subscription-request", GROUP, Map.of()));
        unknown.record();
        unknown.record();

        assertThat(value(Instrument.UNKNOWN_SUBSCRIPTIONS)).isEqualTo(2);
        assertThat(shown.instruments()).doesNotContain(Instrument.UNKNOWN_INSTANCES);
    }

    @Test
    void throttlesOfAllClientsAreAddedUpAndKeptWhenAClientVanishes() {
        Sensor a = throttleSensor(GROUP, "a");
        Sensor b = throttleSensor(GROUP, "b");
        a.record();
        a.record();
        b.record();
        assertThat(value(Instrument.THROTTLED)).isEqualTo(3);

        broker.removeSensor(a.name());
        assertThat(value(Instrument.THROTTLED)).isEqualTo(3);

        b.record();
        assertThat(value(Instrument.THROTTLED)).isEqualTo(4);
    }

    @Test
    void aClientThatComesBackStartsAtZeroAndTheTotalGoesOn() {
        for (int i = 1; i <= 3; i++) {
            Sensor sensor = throttleSensor(GROUP, "a");
            sensor.record();
            assertThat(value(Instrument.THROTTLED)).isEqualTo(i);
            broker.removeSensor(sensor.name());
            assertThat(value(Instrument.THROTTLED)).isEqualTo(i);
        }
    }

    @Test
    void aReporterAddedLaterCountsFromThen() {
        Sensor throttled = throttleSensor(GROUP, "a");
        Sensor unknown = broker.sensor("unknown-subscription-request");
        unknown.add(meter("unknown-subscription-request", GROUP, Map.of()));
        for (int i = 0; i < 5; i++) {
            throttled.record();
            unknown.record();
        }
        TelemetryMetrics later = new TelemetryMetrics();
        BrokerClientMetrics added = new BrokerClientMetrics(later);
        broker.metrics().values().forEach(added::existed);
        ShownValues shownLater = new ShownValues();
        later.show(shownLater);
        assertThat(shownLater.value(Instrument.THROTTLED)).isZero();
        assertThat(shownLater.value(Instrument.UNKNOWN_SUBSCRIPTIONS)).isZero();

        throttled.record();
        unknown.record();
        KafkaMetric vanishing =
                broker.metrics().get(broker.metricName("throttle-count", GROUP, "", Map.of("client_instance_id", "a")));
        added.removed(vanishing);

        assertThat(shownLater.value(Instrument.THROTTLED)).isEqualTo(1);
        assertThat(shownLater.value(Instrument.UNKNOWN_SUBSCRIPTIONS)).isEqualTo(1);
    }

    @Test
    void theTotalNeverFallsAndNothingIsCountedTwiceWhileClientsComeAndGo() throws Exception {
        Thread clients = new Thread(() -> {
            for (int i = 0; i < 2_000; i++) {
                Sensor sensor = throttleSensor(GROUP, "client-" + i % 7);
                sensor.record();
                broker.removeSensor(sensor.name());
            }
        });
        throttleSensor(GROUP, "first");
        List<Long> read = new ArrayList<>();
        clients.start();
        while (clients.isAlive()) {
            read.add(value(Instrument.THROTTLED));
        }
        clients.join();

        assertThat(read).isSorted();
        assertThat(value(Instrument.THROTTLED)).isEqualTo(2_000);
    }

    private long value(Instrument instrument) {
        return shown.value(instrument);
    }

    private Sensor throttleSensor(String group, String instanceId) {
        Sensor sensor = broker.sensor("throttle-" + instanceId);
        sensor.add(meter("throttle", group, Map.of("client_instance_id", instanceId)));
        return sensor;
    }

    private Meter meter(String stat, String group, Map<String, String> tags) {
        return new Meter(
                new WindowedCount(),
                broker.metricName(stat + "-rate", group, "", tags),
                broker.metricName(stat + "-count", group, "", tags));
    }
}
