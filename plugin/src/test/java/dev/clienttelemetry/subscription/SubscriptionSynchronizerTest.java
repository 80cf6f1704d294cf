/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.ShownValues;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.pipeline.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigChangeCallback;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The synchronizer's rounds on a cluster in memory; real clusters are in the integration tests. */
class SubscriptionSynchronizerTest {
    @TempDir
    private Path dir;

    private Path file;
    private final Cluster cluster = new Cluster();
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final ShownValues shown = new ShownValues();
    private SubscriptionSynchronizer synchronizer;

    @BeforeEach
    void open() {
        file = dir.resolve("s.yaml");
        metrics.show(shown);
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
    void warnsWhereAnEmptySetDeletesAll() throws Exception {
        cluster.subscriptions.put("a", new TreeMap<>(Map.of("metrics", "x")));
        write("");
        try (CapturedLog log = new CapturedLog()) {
            synchronizer.round(1);
            assertThat(log.lines("supplies no subscriptions")).isEmpty();

            synchronizer.close();
            synchronizer = synchronizer(true);
            synchronizer.round(1);
            synchronizer.round(1);
            assertThat(log.lines("supplies no subscriptions")).singleElement().satisfies(line -> assertThat(line)
                    .contains("WARN", "s.yaml supplies no subscriptions: whatever the cluster has is deleted"));
        }
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
            replace(bad);
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
        replace("subscriptions:");
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
        synchronizer = synchronizer(nodeId -> {
            if (tries[0]++ == 0) {
                throw new KafkaException("key store not there yet");
            }
            return cluster;
        });
        synchronizer.round(1);
        synchronizer.round(1);
        assertThat(cluster.subscriptions).containsKey("a");
    }

    /** A broker opens its listeners last; Kafka's client would log each of its attempts until then. */
    @Test
    void connectsWhenSomethingListensAndTellsOfNothingForAMinute() throws Exception {
        write("{name: a, metrics: [x]}");
        synchronizer.close();
        String[] obstacle = {"localhost:9092: Connection refused"};
        int[] looks = new int[1];
        synchronizer = synchronizer(new SubscriptionSynchronizer.ClusterConnection() {
            @Override
            public ClusterSubscriptions open(int nodeId) {
                assertThat(obstacle[0]).as("opened too early").isNull();
                return cluster;
            }

            @Override
            public String obstacle() {
                looks[0]++;
                return obstacle[0];
            }
        });
        try (CapturedLog log = new CapturedLog()) {
            for (int halfSeconds = 0; halfSeconds < 120; halfSeconds++) {
                assertThat(synchronizer.round(1)).isEqualTo(500);
            }
            assertThat(log.lines("Cannot compare")).isEmpty();
            synchronizer.round(1);
            synchronizer.round(1);
            assertThat(log.lines("Cannot compare"))
                    .singleElement()
                    .asString()
                    .endsWith("trying again: nothing can be connected to: localhost:9092: Connection refused");
            obstacle[0] = null;
            synchronizer.round(1);
            assertThat(cluster.subscriptions).containsKey("a");
            assertThat(log.lines("can be compared and applied again")).hasSize(1);
        }

        int untilConnected = looks[0];
        cluster.failure = new ClusterException("no answer", null);
        synchronizer.round(1);
        synchronizer.round(1);
        assertThat(looks[0]).as("looked again").isEqualTo(untilConnected);
    }

    /** Kafka's own words are that it failed, and no more: the reason is in the causes. */
    @Test
    void tellsWhyAClientCannotBeMadeOrAHandshakeFails() throws Exception {
        write("{name: a, metrics: [x]}");
        synchronizer.close();
        synchronizer = synchronizer(nodeId -> new AdminClusterSubscriptions(
                Admin.create(Map.of(
                        "bootstrap.servers", "localhost:1",
                        "security.protocol", "SSL",
                        "ssl.truststore.location", "/no/such.jks")),
                Duration.ofSeconds(1)));
        try (CapturedLog log = new CapturedLog()) {
            synchronizer.round(1);
            assertThat(log.lines("Cannot compare"))
                    .singleElement()
                    .asString()
                    .contains("NoSuchFileException: /no/such.jks");
        }

        synchronizer.close();
        cluster.failure = new ClusterException(
                "Listing the brokers failed: SslAuthenticationException: SSL handshake failed",
                new SslAuthenticationException("SSL handshake failed", new SSLHandshakeException("PKIX: no path")));
        synchronizer = synchronizer(nodeId -> cluster);
        try (CapturedLog log = new CapturedLog()) {
            synchronizer.round(1);
            assertThat(log.lines("Cannot compare"))
                    .singleElement()
                    .asString()
                    .endsWith("SSL handshake failed: PKIX: no path");
        }
    }

    static Stream<Arguments> outlivesAProviderThatThrows() {
        List<Supplier<Throwable>> thrown = List.of(
                () -> new NoClassDefFoundError("com/example/Missing"),
                () -> new ExceptionInInitializerError("static"),
                () -> new AssertionError("assertion"),
                StackOverflowError::new,
                () -> new OutOfMemoryError("provider's"),
                () -> new IOException("checked"),
                UnsupportedOperationException::new,
                () -> new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalStateException();
                    }
                });
        return Stream.of(ThrowingProvider.Place.values())
                .flatMap(place -> thrown.stream().map(t -> Arguments.of(place, t.get())));
    }

    /** Every read but the first depends on a call back: the refresh is an hour away. */
    @ParameterizedTest
    @MethodSource
    void outlivesAProviderThatThrows(ThrowingProvider.Place place, Throwable thrown) {
        ThrowingProvider provider = new ThrowingProvider();
        provider.names = "a";
        synchronizer = new SubscriptionSynchronizer(provider, "p", false, 3_600_000, nodeId -> cluster, () -> 7);
        if (place == ThrowingProvider.Place.SUBSCRIBE) {
            provider.thrown.put(place, thrown);
        }
        synchronizer.start("1", metrics, () -> 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("a"));

        provider.names = "b";
        provider.thrown.put(place, thrown);
        synchronizer.sourceChanged();
        if (place == ThrowingProvider.Place.GET || place == ThrowingProvider.Place.DATA) {
            await().atMost(Duration.ofSeconds(20)).until(() -> provider.throwing > 0);
            assertThat(cluster.subscriptions).containsOnlyKeys("a");
            provider.thrown.clear();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("b"));

        provider.thrown.put(place, thrown);
        synchronizer.close();
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.calls.containsKey("close") && provider.closed);
    }

    /** A provider of somebody else's that throws where it is told to. */
    private static final class ThrowingProvider implements ConfigProvider {
        private enum Place {
            SUBSCRIBE,
            GET,
            DATA,
            UNSUBSCRIBE,
            CLOSE
        }

        private final Map<Place, Throwable> thrown = new ConcurrentHashMap<>();
        private volatile String names;
        private volatile int throwing;
        private volatile boolean closed;

        private void at(Place place) {
            Throwable here = thrown.get(place);
            if (here != null) {
                throwing = throwing + 1;
                // What code does that catches an interruption; nobody has interrupted this thread.
                Thread.currentThread().interrupt();
                sneak(here);
            }
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void sneak(Throwable thrown) throws T {
            throw (T) thrown;
        }

        @Override
        public void configure(Map<String, ?> configs) {}

        @Override
        public void subscribe(String path, Set<String> keys, ConfigChangeCallback callback) {
            at(Place.SUBSCRIBE);
        }

        @Override
        public ConfigData get(String path) {
            at(Place.GET);
            Map<String, String> data = Map.of("names", names, names + ".metrics", "x");
            return new ConfigData(new AbstractMap<>() {
                @Override
                public Set<Entry<String, String>> entrySet() {
                    at(Place.DATA);
                    return data.entrySet();
                }
            });
        }

        @Override
        public ConfigData get(String path, Set<String> keys) {
            return get(path);
        }

        @Override
        public void unsubscribeAll() {
            at(Place.UNSUBSCRIBE);
        }

        @Override
        public void close() {
            closed = true;
            at(Place.CLOSE);
        }
    }

    @Test
    void logsABadFileOnceAtEachChangeOfItsState() throws Exception {
        write("{name: a, metrics: [org.apache.kafka.consumer.], match: {client_software_name: apache-kafka-java}}");
        synchronizer =
                new SubscriptionSynchronizer(provider(), file.toString(), false, 3_600_000, nodeId -> cluster, () -> 7);
        try (CapturedLog log = new CapturedLog()) {
            synchronizer.start("1", metrics, () -> 0);
            await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("a"));
            String good = Files.readString(file);

            replace("subscriptions: [{nam: a, interval: 1}]");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !log.lines(":1:17: ").isEmpty());
            replace("subscriptions: 7");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !log.lines(":1:16: ").isEmpty());
            replace(good);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !log.lines("can be read from").isEmpty());

            assertThat(log.lines("WARN ")).hasSize(2);
            assertThat(log.lines("WARN ").get(0)).contains(":1:17: ", ":1:18: ", ":1:36: ", "stay in force");
        }
    }

    /** It is what the cluster is equal to that matters first; judging may take its time. */
    @Test
    void appliesBeforeItJudges() throws Exception {
        write("{name: a, metrics: [org.apache.kafka.producer.batch.]}");
        try (CapturedLog log = new CapturedLog()) {
            synchronizer.round(1);
            assertThat(log.lines("Subscription a"))
                    .satisfiesExactly(
                            created -> assertThat(created).contains("INFO", "created"),
                            warned -> assertThat(warned).contains("WARN", "librdkafka"));
        }
    }

    /** Each of them takes some tenths of a second to try, and none is found to be slow. */
    @Test
    void judgesNoLongerThanASecond() throws Exception {
        StringBuilder set = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            set.append(i == 0 ? "" : ", ").append("{name: s").append(i);
            set.append(", metrics: [org.apache.kafka.consumer.],");
            set.append(" match: {client_software_name: apache-kafka-java, client_id: '(.*)*b")
                    .append(i)
                    .append("'}}");
        }
        write(set.toString());
        try (CapturedLog log = new CapturedLog()) {
            synchronizer.round(1);
            assertThat(log.lines("were not all tried")).singleElement().satisfies(line -> assertThat(line)
                    .contains("since trying those before them took 1000 ms"));
        }
    }

    @Test
    void logsAWarningOnceUntilItHasBeenGone() throws Exception {
        String hurts = "{name: a, metrics: [org.apache.kafka.producer.batch.]}";
        String other =
                "{name: b, metrics: [org.apache.kafka.consumer.], match: {client_software_name: apache-kafka-java}}";
        try (CapturedLog log = new CapturedLog()) {
            for (String set : List.of(hurts, hurts + ", " + other, hurts)) {
                write(set);
                nextRound();
                assertThat(log.lines("WARN Subscription a")).hasSize(1);
            }
            cluster.subscriptions.clear();
            write(other);
            nextRound();
            write(hurts);
            nextRound();
            assertThat(log.lines("WARN Subscription a")).hasSize(2);
        }
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
        assertThat(shown.instruments()).doesNotContain(Instrument.SUBSCRIPTIONS_SUPPLIED);
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
        assertThat(shown.instruments()).doesNotContain(Instrument.SUBSCRIPTIONS_SUPPLIED);
    }

    @Test
    void startsNothingAfterItIsClosed() throws Exception {
        write("{name: a, metrics: [x]}");
        synchronizer.close();
        synchronizer.start("1", metrics, () -> 0);
        assertThat(shown.instruments()).doesNotContain(Instrument.SUBSCRIPTIONS_SUPPLIED);
    }

    @Test
    void startsOneThreadOnly() throws Exception {
        write("{name: a, metrics: [x]}");
        long before = threads();
        synchronizer.start("1", metrics, () -> 0);
        synchronizer.start("1", metrics, () -> 0);
        assertThat(threads()).isLessThanOrEqualTo(before + 1);
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("a"));
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("client-telemetry-subscriptions"))
                .count();
    }

    @Test
    void readsTheSourceOnlyWhenThatIsDue() {
        ToldProvider provider = new ToldProvider();
        synchronizer = synchronizer(provider, 3_600_000);
        synchronizer.round(1);
        synchronizer.round(1);
        synchronizer.round(1);
        assertThat(provider.reads).isEqualTo(1);
        assertThat(cluster.calls.get("read")).isEqualTo(3);

        ToldProvider often = new ToldProvider();
        SubscriptionSynchronizer impatient = synchronizer(often, 1);
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            impatient.round(1);
            return often.reads > 2;
        });
        impatient.close();
    }

    @Test
    void readsAgainWhatChangesWhileItIsRead() {
        ToldProvider provider = new ToldProvider();
        provider.whileRead = () -> {
            if (provider.reads == 1) {
                provider.names = "b";
                provider.callback.onChange("p", new ConfigData(Map.of()));
            }
        };
        synchronizer = synchronizer(provider, 3_600_000);
        synchronizer.round(1);
        assertThat(cluster.subscriptions).containsOnlyKeys("a");
        synchronizer.round(1);
        assertThat(cluster.subscriptions).containsOnlyKeys("a", "b");
    }

    /** Nobody waits for the change when it comes, and the refresh is an hour away. */
    @Test
    void doesNotSleepOverAChangeThatComesWhileItApplies() {
        ToldProvider provider = new ToldProvider();
        synchronizer = synchronizer(provider, 3_600_000);
        cluster.onRead = () -> {
            if (provider.names.equals("a")) {
                provider.names = "b";
                provider.callback.onChange("p", new ConfigData(Map.of()));
            }
        };
        synchronizer.start("1", metrics, () -> 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.subscriptions.containsKey("b"));
    }

    /** A provider that was interrupted by code of its own, or has caught an interruption. */
    @Test
    void callsTheClusterUninterruptedWhateverTheProviderLeaves() {
        ToldProvider provider = new ToldProvider();
        provider.whileRead = () -> Thread.currentThread().interrupt();
        boolean[] interrupted = new boolean[1];
        cluster.onRead = () -> interrupted[0] = Thread.currentThread().isInterrupted();
        synchronizer = synchronizer(provider, 3_600_000);
        try {
            synchronizer.round(1);
        } finally {
            Thread.interrupted();
        }
        assertThat(cluster.subscriptions).containsKey("a");
        assertThat(interrupted[0]).isFalse();
    }

    @Test
    void makesTheClientAnewThatKafkaThrewFrom() throws Exception {
        write("{name: a, metrics: [x]}");
        cluster.onRead = () -> {
            throw new KafkaException("closed by itself");
        };
        synchronizer.round(1);
        assertThat(cluster.calls).containsEntry("close", 1).doesNotContainKey("apply");
        cluster.onRead = () -> {};
        synchronizer.round(1);
        assertThat(cluster.subscriptions).containsKey("a");
    }

    @Test
    void readsTheSourceInTimeWhileTheClusterIsAway() {
        synchronizer = synchronizer(new ToldProvider(), 1_500);
        cluster.failure = new ClusterException("no answer", null);
        for (int i = 0; i < 10; i++) {
            assertThat(synchronizer.round(1)).isBetween(0L, 1_500L);
        }
    }

    @Test
    void knowsNoDriftWhileTheClusterIsAwayOrAnotherBrokerActs() throws Exception {
        write("{name: a, metrics: [x]}");
        cluster.refused.put("a", "not allowed");
        synchronizer.start("1", metrics, () -> 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> value(Instrument.SUBSCRIPTIONS_DRIFTED) == 1);

        cluster.failure = new ClusterException("no answer", null);
        synchronizer.sourceChanged();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> value(Instrument.SUBSCRIPTIONS_DRIFTED) == Instrument.NOT_KNOWN);
        cluster.failure = null;
        synchronizer.sourceChanged();
        await().atMost(Duration.ofSeconds(20)).until(() -> value(Instrument.SUBSCRIPTIONS_DRIFTED) == 1);

        cluster.live = new TreeSet<>(List.of(0, 1));
        synchronizer.sourceChanged();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> value(Instrument.SUBSCRIPTIONS_DRIFTED) == Instrument.NOT_KNOWN);
    }

    /** The cluster is compared with the last good set all the same, and equal to it. */
    @Test
    void aBadSourceIsNoSuccess() throws Exception {
        AtomicLong now = new AtomicLong(7);
        write("{name: a, metrics: [x]}");
        synchronizer =
                new SubscriptionSynchronizer(provider(), file.toString(), false, 30_000, nodeId -> cluster, now::get);
        synchronizer.start("1", metrics, () -> 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> value(Instrument.SUBSCRIPTIONS_LAST_SUCCESS) == 7_000_000);

        now.set(8);
        replace("nonsense");
        await().atMost(Duration.ofSeconds(20)).until(() -> value(Instrument.SUBSCRIPTIONS_LAST_ERROR) == 8_000_000);
        int compared = cluster.calls.get("read");
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            synchronizer.sourceChanged();
            return cluster.calls.get("read") > compared + 1;
        });
        assertThat(value(Instrument.SUBSCRIPTIONS_LAST_SUCCESS)).isEqualTo(7_000_000);

        write("{name: a, metrics: [x]}");
        await().atMost(Duration.ofSeconds(20)).until(() -> value(Instrument.SUBSCRIPTIONS_LAST_SUCCESS) == 8_000_000);
    }

    @Test
    void endsACallToTheClusterWhenItIsClosed() throws Exception {
        write("{name: a, metrics: [x]}");
        CountDownLatch calling = new CountDownLatch(1);
        cluster.onRead = () -> {
            calling.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new KafkaException(e);
            }
        };
        synchronizer.start("1", metrics, () -> 0);
        calling.await();
        synchronizer.close();
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.calls.containsKey("close"));
    }

    /** A provider that calls back when it is told to. */
    private static final class ToldProvider implements ConfigProvider {
        private volatile String names = "a";
        private volatile int reads;
        private volatile Runnable whileRead = () -> {};
        private volatile ConfigChangeCallback callback;

        @Override
        public void configure(Map<String, ?> configs) {}

        @Override
        public void subscribe(String path, Set<String> keys, ConfigChangeCallback change) {
            callback = change;
        }

        @Override
        public ConfigData get(String path) {
            reads = reads + 1;
            Map<String, String> data = Map.of("names", names, names + ".metrics", "x");
            whileRead.run();
            return new ConfigData(data);
        }

        @Override
        public ConfigData get(String path, Set<String> keys) {
            return get(path);
        }

        @Override
        public void close() {}
    }

    private SubscriptionSynchronizer synchronizer(ConfigProvider provider, long refreshMs) {
        return new SubscriptionSynchronizer(provider, "p", false, refreshMs, nodeId -> cluster, () -> 7);
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

    private SubscriptionSynchronizer synchronizer(SubscriptionSynchronizer.ClusterConnection connection) {
        return new SubscriptionSynchronizer(provider(), file.toString(), false, 30_000, connection, () -> 7);
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
        return shown.value(instrument);
    }

    private void write(String subscriptions) throws Exception {
        replace("subscriptions: [" + subscriptions + "]");
    }

    /** At once: a file that is written in place may be read when it is empty. */
    private void replace(String text) throws Exception {
        Path next = Files.writeString(file.resolveSibling("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static final class Cluster implements ClusterSubscriptions {
        private final Map<String, Map<String, String>> subscriptions = new ConcurrentSkipListMap<>();
        private final Map<String, Integer> calls = new ConcurrentHashMap<>();
        private final Map<String, String> refused = new ConcurrentHashMap<>();
        private List<SubscriptionChange> applied;
        private volatile SortedSet<Integer> live = new TreeSet<>(List.of(1));
        private volatile ClusterException failure;
        private volatile Runnable onRead = () -> {};

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
            onRead.run();
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
