/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.subscription.ClientMetricsConfigProvider;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.config.ConfigChangeCallback;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PresentSubscriptionsTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        scheduler.shutdownNow();
    }

    private void write(String text) throws Exception {
        Path next = directory.resolve("next");
        Files.writeString(next, text);
        Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path file() {
        return directory.resolve("subscriptions.yaml");
    }

    private PresentSubscriptions read() {
        return PresentSubscriptions.read(
                new GatewaySettings.Subscriptions(
                        CountingProvider.class.getName(), Map.of("poll.ms", "100"), file().toString(), 100),
                scheduler);
    }

    /** Waits until what is there now has been read, and what came of that: the next reading but one has begun then. */
    private static void awaitTaken() {
        int before = CountingProvider.READINGS.get();
        await().atMost(SOON).until(() -> CountingProvider.READINGS.get() >= before + 3);
    }

    /** The usual one, which counts how often it has been read. */
    public static final class CountingProvider implements ConfigProvider {
        static final AtomicInteger READINGS = new AtomicInteger();

        private final ClientMetricsConfigProvider provider = new ClientMetricsConfigProvider();

        @Override
        public void configure(Map<String, ?> configuration) {
            provider.configure(configuration);
        }

        @Override
        public ConfigData get(String path) {
            try {
                return provider.get(path);
            } finally {
                READINGS.incrementAndGet();
            }
        }

        @Override
        public ConfigData get(String path, Set<String> keys) {
            return provider.get(path, keys);
        }

        @Override
        public void subscribe(String path, Set<String> keys, ConfigChangeCallback callback) {
            provider.subscribe(path, keys, callback);
        }

        @Override
        public void close() {
            provider.close();
        }
    }

    @Test
    void aChangeIsTakenAndTheSameAgainIsTheSameObject() throws Exception {
        write("subscriptions:\n- name: a\n  metrics: [m.]\n");
        try (PresentSubscriptions present = read()) {
            SubscriptionSet first = present.get();
            write("subscriptions:\n- name: b\n  metrics: [m.]\n");
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(present.get().byName()).containsOnlyKeys("b"));
            assertThat(present.get()).isNotSameAs(first);

            SubscriptionSet second = present.get();
            // The same in other words.
            write("subscriptions:\n  - {name: b, metrics: ['m.']}\n");
            awaitTaken();
            assertThat(present.get()).isSameAs(second);
        }
    }

    @Test
    void aSourceThatHasBecomeWrongLeavesTheLastGoodSet() throws Exception {
        write("subscriptions:\n- name: a\n  metrics: [m.]\n");
        try (PresentSubscriptions present = read()) {
            SubscriptionSet good = present.get();
            write("subscriptions: [");
            awaitTaken();
            assertThat(present.get()).isSameAs(good);
            Files.delete(file());
            awaitTaken();
            assertThat(present.get()).isSameAs(good);
            write("subscriptions:\n- name: c\n  metrics: [m.]\n");
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(present.get().byName()).containsOnlyKeys("c"));
        }
    }

    @Test
    void whatHurtsClientsIsToldOnce() throws Exception {
        String lag = "metrics: [org.apache.kafka.consumer.fetch.manager.records.lag]";
        write("subscriptions:\n- name: lag\n  " + lag + "\n");
        try (CapturedWarnings captured = new CapturedWarnings();
                PresentSubscriptions present = read()) {
            assertThat(captured.lines())
                    .filteredOn(line -> line.startsWith("Subscription lag: it asks librdkafka"))
                    .hasSize(1);

            write("subscriptions:\n- name: lag\n  " + lag + "\n  interval: 1m\n");

            await().atMost(SOON).untilAsserted(() -> assertThat(
                            present.get().byName().get("lag").intervalMs())
                    .hasValue(60_000));
            assertThat(captured.lines())
                    .filteredOn(line -> line.startsWith("Subscription lag: it asks librdkafka"))
                    .hasSize(1);
        }
    }

    @Test
    void aSourceThatIsWrongAtStartIsRefused() throws Exception {
        assertThatThrownBy(this::read).isInstanceOf(ConfigException.class).hasMessageContaining("subscriptions.yaml");
        write("subscriptions:\n- name: a\n  metrics: m.\n  nonsense: 1\n");
        assertThatThrownBy(this::read).isInstanceOf(ConfigException.class).hasMessageContaining("nonsense");
    }

    @Test
    void isReadAgainAfterAnErrorOfTheJvm() throws Exception {
        write("a");
        try (PresentSubscriptions present = PresentSubscriptions.read(
                new GatewaySettings.Subscriptions(ProviderOfOneName.class.getName(), Map.of(), file().toString(), 100),
                scheduler)) {
            write(ProviderOfOneName.OUT_OF_MEMORY);
            await().atMost(SOON).until(() -> Files.exists(directory.resolve(ProviderOfOneName.THROWN)));

            write("b");

            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(present.get().byName()).containsOnlyKeys("b"));
        }
    }

    @Test
    @SuppressWarnings("try")
    void aProviderMayCallBackWithoutEndAndAfterTheEnd() throws Exception {
        write("a");
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        CountDownLatch held = new CountDownLatch(1);
        try (PresentSubscriptions present = PresentSubscriptions.read(
                new GatewaySettings.Subscriptions(
                        CallingBackProvider.class.getName(), Map.of(), file().toString(), 3_600_000),
                thread)) {
            thread.execute(() -> awaitUninterrupted(held));
            await().atMost(SOON).until(() -> thread.getActiveCount() == 1);
            for (int i = 0; i < 100; i++) {
                CallingBackProvider.callBack();
            }

            assertThat(thread.getQueue())
                    .as("the next reading in time, and the one asked for")
                    .hasSize(2);
            write("b");
            held.countDown();
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(present.get().byName()).containsOnlyKeys("b"));
            write("c");
            CallingBackProvider.callBack();
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(present.get().byName()).containsOnlyKeys("c"));

            present.close();
            write("d");
            CallingBackProvider.callBack();
            awaitReading(thread);
            assertThat(present.get().byName()).as("its provider is closed").containsOnlyKeys("c");
            thread.shutdownNow();
            CallingBackProvider.callBack();
        } finally {
            held.countDown();
            thread.shutdownNow();
        }
    }

    @Test
    void isReadByOneThreadAtATimeFromTheBeginning() throws Exception {
        write("a");
        AtomicReference<Thread> caller = new AtomicReference<>();
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
            caller.set(new Thread(task));
            return caller.get();
        });
        ImpatientProvider.reset(caller);
        try (PresentSubscriptions present = PresentSubscriptions.read(
                new GatewaySettings.Subscriptions(
                        ImpatientProvider.class.getName(), Map.of(), file().toString(), 3_600_000),
                thread)) {
            await().atMost(SOON).until(() -> ImpatientProvider.READINGS.get() == 2);
            assertThat(ImpatientProvider.MOST_AT_ONCE).hasValue(1);
            assertThat(present.get().byName()).containsOnlyKeys("a");
        } finally {
            thread.shutdownNow();
        }
    }

    /** Returns once everything that the thread was told to do until now is done. */
    private static void awaitReading(ScheduledThreadPoolExecutor thread) throws Exception {
        thread.submit(() -> {}).get();
    }

    @Test
    void aSourceThatStaysWrongIsToldOnceUntilItHasBeenGoodAgain() throws Exception {
        write("a");
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        try (CapturedWarnings captured = new CapturedWarnings();
                PresentSubscriptions present = PresentSubscriptions.read(
                        new GatewaySettings.Subscriptions(
                                CallingBackProvider.class.getName(), Map.of(), file().toString(), 3_600_000),
                        thread)) {
            for (String text : new String[] {"a,b", "a,b", "a", "a", "a,b"}) {
                write(text);
                CallingBackProvider.callBack();
                awaitReading(thread);
            }

            assertThat(present.get().byName()).containsOnlyKeys("a");
            assertThat(captured.lines())
                    .filteredOn(line -> line.startsWith("The subscriptions read last stay in force: "))
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).contains("b"));
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void aProviderThatIsOfNoUseAtStartIsClosed() throws Exception {
        for (String text : new String[] {"a,b", ProviderOfOneName.OUT_OF_MEMORY}) {
            write(text);
            int closed = ProviderOfOneName.CLOSED.get();

            assertThatThrownBy(() -> PresentSubscriptions.read(
                            new GatewaySettings.Subscriptions(
                                    ProviderOfOneName.class.getName(), Map.of(), file().toString(), 100),
                            scheduler))
                    .isNotNull();

            assertThat(ProviderOfOneName.CLOSED).hasValue(closed + 1);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The same, and tells of changes whenever the test says so. */
    public static final class CallingBackProvider extends ProviderOfOneName {
        private static ConfigChangeCallback callback;

        static void callBack() {
            callback.onChange("any", new ConfigData(Map.of()));
        }

        @Override
        public void subscribe(String path, Set<String> keys, ConfigChangeCallback subscribed) {
            callback = subscribed;
        }
    }

    /** Calls back while it is being subscribed to, and takes its time with the first answer. */
    public static final class ImpatientProvider extends ProviderOfOneName {
        static final AtomicInteger READINGS = new AtomicInteger();
        static final AtomicInteger AT_ONCE = new AtomicInteger();
        static final AtomicInteger MOST_AT_ONCE = new AtomicInteger();
        private static AtomicReference<Thread> other;

        static void reset(AtomicReference<Thread> otherThread) {
            READINGS.set(0);
            MOST_AT_ONCE.set(0);
            other = otherThread;
        }

        @Override
        public void subscribe(String path, Set<String> keys, ConfigChangeCallback subscribed) {
            subscribed.onChange(path, new ConfigData(Map.of()));
        }

        @Override
        public ConfigData get(String path) {
            MOST_AT_ONCE.accumulateAndGet(AT_ONCE.incrementAndGet(), Math::max);
            try {
                if (Thread.currentThread() != other.get()) {
                    await().atMost(SOON)
                            .until(() -> MOST_AT_ONCE.get() > 1 || other.get().getState() == Thread.State.BLOCKED);
                }
                return super.get(path);
            } finally {
                AT_ONCE.decrementAndGet();
                READINGS.incrementAndGet();
            }
        }
    }

    /** Supplies a subscription named as the file says, and throws where it says that. */
    public static class ProviderOfOneName implements ConfigProvider {
        static final String OUT_OF_MEMORY = "out of memory";
        static final String THROWN = "thrown";
        static final AtomicInteger CLOSED = new AtomicInteger();

        @Override
        public void configure(Map<String, ?> configuration) {
            // The path comes with each request.
        }

        @Override
        public ConfigData get(String path) {
            try {
                String name = Files.readString(Path.of(path));
                if (name.equals(OUT_OF_MEMORY)) {
                    Files.write(Path.of(path).resolveSibling(THROWN), new byte[0]);
                    throw new OutOfMemoryError("for the test");
                }
                return new ConfigData(Map.of("names", name, name + ".metrics", "m."));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public ConfigData get(String path, Set<String> keys) {
            return get(path);
        }

        @Override
        public void close() {
            CLOSED.incrementAndGet();
        }
    }
}
