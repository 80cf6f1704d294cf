/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.gateway.CapturedWarnings;
import dev.clienttelemetry.gateway.Gateway;
import dev.clienttelemetry.gateway.Workers;
import io.kroxylicious.proxy.plugin.PluginConfigurationException;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientTelemetryGatewayTest {
    private final String name = UUID.randomUUID().toString();
    private final Map<String, Object> values = new HashMap<>();
    private final ClientTelemetryGateway factory = new ClientTelemetryGateway();
    private final Set<Thread> before = threads();

    @TempDir
    private Path directory;

    /** A provider that keeps whether it was closed. */
    public static final class CountingProvider implements ConfigProvider {
        private static final Map<String, String> SUBSCRIPTION =
                Map.of("names", "all", "all.metrics", "*", "all.interval.ms", "1000");
        private static volatile int open;
        private static RuntimeException closing;
        /** Where not null, get counts it down and hangs until the other one is. */
        private static volatile CountDownLatch hanging;

        private static volatile CountDownLatch hanged;
        /** Whether it hangs on when interrupted. */
        private static volatile boolean deaf;

        private static void reset(RuntimeException thrownByClose) {
            open = 0;
            closing = thrownByClose;
            hanging = null;
            deaf = false;
        }

        @Override
        public void configure(Map<String, ?> configs) {
            open++;
        }

        @Override
        public ConfigData get(String path) {
            if (hanging != null) {
                hanging.countDown();
                while (!awaited(hanged) && deaf) {
                    Thread.interrupted();
                }
            }
            return new ConfigData(SUBSCRIPTION);
        }

        @Override
        public ConfigData get(String path, Set<String> keys) {
            return get(path);
        }

        @Override
        public void close() throws IOException {
            open--;
            if (closing != null) {
                throw closing;
            }
        }
    }

    /** As a registry is that finds fault with a meter, for example one of other tags than an earlier one of its name. */
    private static final class RefusingRegistry extends SimpleMeterRegistry {
        private final String refused;

        RefusingRegistry(String refused) {
            this.refused = refused;
        }

        private void check(Meter.Id id) {
            if (id.getName().equals(refused)) {
                throw new IllegalArgumentException("no " + refused);
            }
        }

        @Override
        protected <T> io.micrometer.core.instrument.Gauge newGauge(Meter.Id id, T object, ToDoubleFunction<T> value) {
            check(id);
            return super.newGauge(id, object, value);
        }

        @Override
        protected io.micrometer.core.instrument.Counter newCounter(Meter.Id id) {
            check(id);
            return super.newCounter(id);
        }

        @Override
        protected <T> io.micrometer.core.instrument.FunctionCounter newFunctionCounter(
                Meter.Id id, T object, ToDoubleFunction<T> count) {
            check(id);
            return super.newFunctionCounter(id, object, count);
        }
    }

    @BeforeEach
    void aConfiguration() throws IOException {
        CountingProvider.reset(null);
        values.put("name", name);
        values.put("exporter", RecordingPlugin.class.getName());
        values.put("exporterConfig", Map.of("recording.name", name));
        values.put("subscriptions", Map.of("path", "/any", "provider", CountingProvider.class.getName()));
    }

    private ClientTelemetryGateway.Running initialize() {
        return factory.initialize(null, new ClientTelemetryGatewayConfig(values));
    }

    @Test
    void everyNumberIsShownUntilTheEnd() {
        ClientTelemetryGateway.Running running = initialize();

        assertThat(meters().keySet())
                .contains(
                        "client_telemetry.gateway.event_loop.duration",
                        "client_telemetry.gateway.header.violations",
                        "client_telemetry.gateway.waiting",
                        "client_telemetry.gateway.waiting.requests",
                        "client_telemetry.gateway.refused.requests",
                        "client_telemetry.gateway.late.answers",
                        "client_telemetry.gateway.refused.pushes");
        assertThat(meters().get("client_telemetry.gateway.refused.pushes"))
                .extracting(meter -> meter.getId().getTag("reason"))
                .containsExactlyInAnyOrder("unsupported_compression", "too_large", "undecompressable");
        assertThat(CountingProvider.open).isEqualTo(1);

        factory.close(running);

        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client_telemetry.gateway.header.violations",
                "client_telemetry.gateway.waiting",
                "client_telemetry.gateway.refused.requests",
                "client_telemetry.instance.count",
            })
    void nothingIsLeftWhereAMeterIsRefusedAndTheNextStartSucceeds(String meter) {
        RefusingRegistry registry = new RefusingRegistry(meter);
        Metrics.addRegistry(registry);
        try {
            assertThatThrownBy(this::initialize).hasMessageContaining("no " + meter);
        } finally {
            Metrics.removeRegistry(registry);
        }
        assertNothingIsLeft();

        factory.close(initialize());
        assertNothingIsLeft();
    }

    @Test
    void nothingIsLeftOfOurPluginEither() throws IOException {
        values.remove("exporter");
        values.put("exporterConfig", Map.of("otel.exporter.otlp.endpoint", "http://127.0.0.1:1"));
        RefusingRegistry registry = new RefusingRegistry("client_telemetry.instance.count");
        Metrics.addRegistry(registry);
        try {
            assertThatThrownBy(this::initialize).hasMessageContaining("no client_telemetry.instance.count");
        } finally {
            Metrics.removeRegistry(registry);
        }

        assertNoThreadsOrMeters();
    }

    @Test
    void nothingIsLeftWhereThePluginCannotBeMade() {
        values.put("exporter", "no.such.Plugin");

        assertThatThrownBy(this::initialize).isInstanceOf(PluginConfigurationException.class);
        assertNoThreadsOrMeters();
        assertThat(CountingProvider.open).isZero();
    }

    @Test
    void whatTheProviderThrowsAtTheEndKeepsNothingElseOpen() {
        ClientTelemetryGateway.Running running = initialize();
        CountingProvider.reset(new IllegalStateException("not now"));
        CountingProvider.open = 1;

        try {
            factory.close(running);
        } catch (IllegalStateException passedOn) {
            assertThat(passedOn).hasMessage("not now");
        }
        assertNothingIsLeft();
    }

    @Test
    void aProviderThatHangsHoldsBackNoAnswer() throws Exception {
        values.put(
                "subscriptions",
                Map.of("path", "/any", "provider", CountingProvider.class.getName(), "refreshMs", 100));
        try (Gateway gateway = Gateway.start(new ClientTelemetryGatewayConfig(values).settings())) {
            CountingProvider.hanged = new CountDownLatch(1);
            CountDownLatch hanging = new CountDownLatch(1);
            CountingProvider.hanging = hanging;
            hanging.await();

            CountDownLatch slow = CountingProvider.hanged;
            CompletionStage<String> answer = gateway.workers()
                    .take(new Workers.Lane(), 0, () -> "done when the provider is, " + awaited(slow), () -> "late")
                    .orElseThrow();

            assertThat(answer.toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo("late");
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            GatewayMeters.register(registry, gateway);
            await().untilAsserted(() -> assertThat(registry.get("client_telemetry.gateway.late.answers")
                            .functionCounter()
                            .count())
                    .isEqualTo(1));
            assertThat(registry.get("client_telemetry.gateway.refused.requests")
                            .functionCounter()
                            .count())
                    .isZero();
            slow.countDown();
        }
    }

    @Test
    void aHeapThatIsSmallForWhatMayWaitIsToldAtStart() {
        values.put("waitingMaxBytes", Runtime.getRuntime().maxMemory());
        try (CapturedWarnings warnings = new CapturedWarnings()) {
            Gateway.start(new ClientTelemetryGatewayConfig(values).settings(Long.MAX_VALUE))
                    .close();

            assertThat(warnings.lines())
                    .anyMatch(line -> line.startsWith("waitingMaxBytes has its default of ")
                            && line.contains("more than half of this JVM's heap"));
        }
    }

    @Test
    void aProviderThatIgnoresInterruptsDoesNotHoldUpTheEnd() throws Exception {
        values.put(
                "subscriptions",
                Map.of("path", "/any", "provider", CountingProvider.class.getName(), "refreshMs", 100));
        ClientTelemetryGateway.Running running = initialize();
        CountingProvider.deaf = true;
        CountingProvider.hanged = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(1);
        CountingProvider.hanging = hanging;
        hanging.await();

        try (CapturedWarnings warnings = new CapturedWarnings()) {
            CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> factory.close(running));

            assertThat(closed).succeedsWithin(Duration.ofSeconds(30));
            assertThat(warnings.lines())
                    .anyMatch(line ->
                            line.startsWith("The provider of the subscriptions at /any hangs, so it is left open"));
        }
        assertThat(RecordingPlugin.named(name).closed).isTrue();
        assertThat(meters()).isEmpty();
        assertThat(CountingProvider.open).isEqualTo(1);
        CountingProvider.hanged.countDown();
        assertNothingIsLeft();
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void aSecondGatewayOfOneNameIsRefusedAndTheFirstGoesOn() throws IOException {
        ClientTelemetryGateway.Running first = initialize();
        Path file = Files.writeString(directory.resolve("subscriptions.yaml"), "subscriptions: []\n");
        values.put("subscriptions", Map.of("path", file.toString()));

        assertThatThrownBy(this::initialize)
                .isInstanceOf(PluginConfigurationException.class)
                .hasMessageContaining(name);
        assertThat(meters()).isNotEmpty();
        assertThat(RecordingPlugin.named(name).closed).isFalse();

        factory.close(first);
        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() {
        assertNoThreadsOrMeters();
        assertThat(RecordingPlugin.named(name).closed).isTrue();
        assertThat(CountingProvider.open).isZero();
    }

    private void assertNoThreadsOrMeters() {
        assertThat(meters()).isEmpty();
        await().untilAsserted(() -> {
            Set<Thread> started = threads();
            started.removeAll(before);
            assertThat(started).isEmpty();
        });
    }

    private Map<String, List<Meter>> meters() {
        return Metrics.globalRegistry.getMeters().stream()
                .filter(meter -> name.equals(meter.getId().getTag("gateway")))
                .collect(Collectors.groupingBy(meter -> meter.getId().getName(), Collectors.toList()));
    }

    /** Ours; those of the JVM come and go. */
    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("client-telemetry"))
                .collect(Collectors.toCollection(HashSet::new));
    }
}
