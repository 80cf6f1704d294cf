/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.metrics.Exposition;
import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.Series;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The synchronizer's rounds on a cluster in memory; real clusters are in the integration tests. */
class SubscriptionSynchronizerTest {
    @TempDir
    private Path dir;

    private Path file;
    private final Cluster cluster = new Cluster();
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final Map<Instrument, Series> shown = new EnumMap<>(Instrument.class);
    private SubscriptionSynchronizer synchronizer;

    @BeforeEach
    void open() {
        file = dir.resolve("s.yaml");
        metrics.show(new Exposition() {
            @Override
            public void appeared(Series series) {
                shown.put(series.instrument(), series);
            }

            @Override
            public void vanished(Series series) {
                shown.remove(series.instrument());
            }
        });
        synchronizer = synchronizer(false);
    }

    @AfterEach
    void close() {
        synchronizer.close();
    }

    @Test
    void makesTheClusterEqualByTheDifferenceOnly() throws Exception {
        cluster.subscriptions.put("same", new TreeMap<>(Map.of("metrics", "y, x", "interval.ms", "1000")));
        cluster.subscriptions.put(
                "changed", new TreeMap<>(Map.of("metrics", "x", "interval.ms", "5", "match", "client_id=a")));
        cluster.subscriptions.put("foreign", new TreeMap<>(Map.of("metrics", "z")));
        write(
                "{name: same, metrics: [x, y], interval: 1s}, {name: changed, metrics: [x]}, {name: added, metrics: [x]}");

        synchronizer.round(1);

        assertThat(cluster.applied)
                .containsExactly(
                        new SubscriptionChange(
                                "added",
                                SubscriptionChange.Kind.CREATE,
                                List.of(new SubscriptionChange.Field("metrics", null, "x"))),
                        new SubscriptionChange(
                                "changed",
                                SubscriptionChange.Kind.UPDATE,
                                List.of(
                                        new SubscriptionChange.Field("interval.ms", "5", null),
                                        new SubscriptionChange.Field("match", "client_id=a", null))));
        assertThat(cluster.subscriptions).containsKey("foreign");
        synchronizer.round(1);
        assertThat(cluster.calls.get("apply")).isEqualTo(1);
    }

    @Test
    void deletesWhatIsNotSuppliedOnlyWithPrune() throws Exception {
        cluster.subscriptions.put("foreign", new TreeMap<>(Map.of("metrics", "z", "interval.ms", "")));
        write("");
        synchronizer.round(1);
        assertThat(cluster.subscriptions).containsKey("foreign");

        synchronizer.close();
        synchronizer = synchronizer(true);
        synchronizer.round(1);
        assertThat(cluster.subscriptions).isEmpty();
    }

    @Test
    void leavesActingToTheLowestLiveBroker() throws Exception {
        write("{name: a, metrics: [x]}");
        cluster.live = new TreeSet<>(List.of(1, 2, 3));
        synchronizer.round(2);
        assertThat(cluster.calls).isEqualTo(Map.of("liveBrokers", 1));

        cluster.live.remove(1);
        synchronizer.round(2);
        assertThat(cluster.subscriptions).containsKey("a");
    }

    @Test
    void keepsTheLastGoodSetInForceWhenTheSourceTurnsBad() throws Exception {
        synchronizer.close();
        synchronizer = synchronizer(true);
        write("{name: a, metrics: [x]}");
        synchronizer.round(1);
        for (String bad : List.of("nonsense", "", "subscriptions:\n")) {
            Files.writeString(file, bad);
            cluster.subscriptions.remove("a");
            nextRound();
            assertThat(cluster.subscriptions).as("'%s'", bad).containsKey("a");
        }
        Files.delete(file);
        nextRound();
        assertThat(cluster.subscriptions).containsKey("a");
        write("{name: b, metrics: [x]}");
        nextRound();
        assertThat(cluster.subscriptions).containsOnlyKeys("b");
    }

    @Test
    void changesNothingWhileTheSourceHasNeverBeenGood() throws Exception {
        synchronizer.close();
        synchronizer = synchronizer(true);
        cluster.subscriptions.put("foreign", new TreeMap<>(Map.of("metrics", "z")));
        synchronizer.round(1);
        Files.writeString(file, "subscriptions:");
        nextRound();
        assertThat(cluster.calls).isEmpty();
    }

    @Test
    void waitsForTheClusterWithBackOff() throws Exception {
        write("{name: a, metrics: [x]}");
        cluster.failure = new ClusterException("no answer", null);
        assertThat(synchronizer.round(1)).isEqualTo(500);
        assertThat(synchronizer.round(1)).isEqualTo(1000);
        for (int i = 0; i < 10; i++) {
            synchronizer.round(1);
        }
        assertThat(synchronizer.round(1)).isLessThanOrEqualTo(30_000).isGreaterThan(25_000);
        cluster.failure = null;
        synchronizer.round(1);
        assertThat(cluster.subscriptions).containsKey("a");
        cluster.failure = new ClusterException("no answer", null);
        assertThat(synchronizer.round(1)).isEqualTo(500);
    }

    @Test
    void survivesAClientThatCannotBeMade() throws Exception {
        write("{name: a, metrics: [x]}");
        synchronizer.close();
        int[] tries = new int[1];
        synchronizer = new SubscriptionSynchronizer(
                provider(),
                file.toString(),
                false,
                30_000,
                nodeId -> {
                    if (tries[0]++ == 0) {
                        throw new KafkaException("key store not there yet");
                    }
                    return cluster;
                },
                () -> 1);
        synchronizer.round(1);
        synchronizer.round(1);
        assertThat(cluster.subscriptions).containsKey("a");
    }

    @Test
    void showsWhatItDoesInMetrics() throws Exception {
        write("{name: a, metrics: [x]}, {name: b, metrics: [x]}");
        cluster.refused.put("b", "not allowed");
        synchronizer.start("1", metrics, () -> 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> value(Instrument.SUBSCRIPTIONS_LAST_ERROR) > 0);
        assertThat(value(Instrument.SUBSCRIPTIONS_SUPPLIED)).isEqualTo(2);
        assertThat(value(Instrument.SUBSCRIPTIONS_APPLIED)).isEqualTo(1);
        assertThat(value(Instrument.SUBSCRIPTIONS_DRIFTED)).isEqualTo(1);
        assertThat(value(Instrument.SUBSCRIPTIONS_LAST_SUCCESS)).isEqualTo(Instrument.NOT_KNOWN);

        cluster.refused.clear();
        write("{name: a, metrics: [x]}");
        await().atMost(Duration.ofSeconds(20)).until(() -> value(Instrument.SUBSCRIPTIONS_LAST_SUCCESS) == 7_000_000);
        assertThat(value(Instrument.SUBSCRIPTIONS_DRIFTED)).isZero();
        synchronizer.close();
        assertThat(shown).doesNotContainKey(Instrument.SUBSCRIPTIONS_SUPPLIED);
    }

    @Test
    void appliesAChangeSoonAfterTheProvidersCallBack() throws Exception {
        write("{name: a, metrics: [x]}");
        synchronizer.start("1", metrics, () -> 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("a"));
        write("{name: b, metrics: [x]}");
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("b"));
    }

    @Test
    void closesWhatItOpenedAndMayBeClosedAtAnyTime() throws Exception {
        write("{name: a, metrics: [x]}");
        synchronizer.start("1", metrics, () -> 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("a"));
        synchronizer.close();
        synchronizer.close();
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.calls.containsKey("close"));
        synchronizer.start("1", metrics, () -> 0);
        assertThat(shown).doesNotContainKey(Instrument.SUBSCRIPTIONS_SUPPLIED);
    }

    @Test
    void doesNotActWithoutAnId() throws Exception {
        write("{name: a, metrics: [x]}");
        synchronizer.start(null, metrics, () -> 0);
        assertThat(cluster.calls).isEmpty();
    }

    private void nextRound() {
        synchronizer.sourceChanged();
        synchronizer.round(1);
    }

    private SubscriptionSynchronizer synchronizer(boolean prune) {
        return new SubscriptionSynchronizer(provider(), file.toString(), prune, 30_000, nodeId -> cluster, () -> 7);
    }

    private static ClientMetricsConfigProvider provider() {
        ClientMetricsConfigProvider provider = new ClientMetricsConfigProvider();
        provider.configure(Map.of("poll.ms", "100"));
        return provider;
    }

    private long value(Instrument instrument) {
        Series series = shown.get(instrument);
        return series == null ? Instrument.NOT_KNOWN : series.value().getAsLong();
    }

    private void write(String subscriptions) throws Exception {
        Files.writeString(file, "subscriptions: [" + subscriptions + "]");
    }

    private static final class Cluster implements ClusterSubscriptions {
        private final Map<String, Map<String, String>> subscriptions = new ConcurrentSkipListMap<>();
        private final Map<String, Integer> calls = new ConcurrentHashMap<>();
        private final Map<String, String> refused = new HashMap<>();
        private List<SubscriptionChange> applied;
        private SortedSet<Integer> live = new TreeSet<>(List.of(1));
        private ClusterException failure;

        private void called(String method) throws ClusterException {
            if (failure != null) {
                throw failure;
            }
            calls.merge(method, 1, Integer::sum);
        }

        @Override
        public SortedSet<Integer> liveBrokers() throws ClusterException {
            called("liveBrokers");
            return live;
        }

        @Override
        public Map<String, Map<String, String>> read() throws ClusterException {
            called("read");
            return subscriptions;
        }

        @Override
        public Map<String, String> apply(List<SubscriptionChange> changes) throws ClusterException {
            called("apply");
            applied = changes;
            for (SubscriptionChange change : changes) {
                if (refused.containsKey(change.name())) {
                    continue;
                }
                Map<String, String> config = new TreeMap<>(subscriptions.getOrDefault(change.name(), Map.of()));
                for (SubscriptionChange.Field field : change.fields()) {
                    if (field.to() == null) {
                        config.remove(field.key());
                    } else {
                        config.put(field.key(), field.to());
                    }
                }
                if (config.isEmpty()) {
                    subscriptions.remove(change.name());
                } else {
                    subscriptions.put(change.name(), config);
                }
            }
            return Map.copyOf(refused);
        }

        @Override
        public void close() {
            calls.merge("close", 1, Integer::sum);
        }
    }
}
