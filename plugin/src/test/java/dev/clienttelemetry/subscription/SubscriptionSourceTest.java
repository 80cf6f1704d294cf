/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.config.ConfigChangeCallback;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.kafka.common.config.provider.DirectoryConfigProvider;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionSourceTest {
    @TempDir
    private Path dir;

    @AfterEach
    void clear() {
        System.clearProperty(NamedConfigProvider.ALLOWED_CLASSES_PROPERTY);
    }

    @Test
    void takesWhatFileConfigProviderSupplies() throws Exception {
        Path file = Files.writeString(dir.resolve("s.properties"), "names=a\na.metrics=x,y\na.interval.ms=1000\n");
        try (SubscriptionSource source = source(configs(FileConfigProvider.class), file)) {
            assertThat(source.read().byName().get("a").metrics()).containsExactly("x", "y");
            assertThat(source.nextReadMs()).isEqualTo(30_000);

            Files.writeString(file, "");
            assertThatThrownBy(source::read)
                    .isInstanceOf(InvalidSourceException.class)
                    .hasMessageContaining("supplies nothing");
            for (String none : List.of("names=\n", "names=[]\n")) {
                Files.writeString(file, none);
                assertThat(source.read().subscriptions()).isEmpty();
            }
            Files.delete(file);
            assertThatThrownBy(source::read).isInstanceOf(InvalidSourceException.class);
        }
    }

    @Test
    void aProviderThatThrowsAnErrorIsABadSource() {
        try (SubscriptionSource source = source(configs(MissingLibrary.class), dir.resolve("any"))) {
            assertThatThrownBy(source::read)
                    .isInstanceOf(InvalidSourceException.class)
                    .hasMessageContaining("NoClassDefFoundError: com/example/Missing");
        }
    }

    @Test
    void leavesTheErrorsOfTheJvmToItsCallerButNotARecursionOfTheProviders() {
        OutOfMemoryError memory = new OutOfMemoryError("heap");
        try (SubscriptionSource source = new SubscriptionSource(throwing(memory), "p", 1000, () -> {})) {
            assertThatThrownBy(source::read).isSameAs(memory);
            assertThat(source.nextReadMs()).as("asked again soon").isEqualTo(500);
        }
        try (SubscriptionSource source =
                new SubscriptionSource(throwing(new StackOverflowError()), "p", 1000, () -> {})) {
            assertThatThrownBy(source::read)
                    .isInstanceOf(InvalidSourceException.class)
                    .hasMessageContaining("StackOverflowError");
        }
    }

    @Test
    void tellsTheClassOfAnExceptionThatCannotTellItself() {
        class Mute extends IllegalStateException {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalStateException();
            }
        }

        try (SubscriptionSource source = new SubscriptionSource(throwing(new Mute()), "p", 1000, () -> {})) {
            assertThatThrownBy(source::read)
                    .isInstanceOf(InvalidSourceException.class)
                    .hasMessage(Mute.class.getName());
        }
    }

    @Test
    void asksAProviderThatThrowsLessAndLessOften() {
        int[] reads = new int[1];
        ConfigProvider provider = new MissingLibrary() {
            @Override
            public ConfigData get(String path) {
                return reads[0]++ == 5 ? new ConfigData(Map.of("names", "")) : super.get(path);
            }
        };
        try (SubscriptionSource source = new SubscriptionSource(provider, "p", 3_000, () -> {})) {
            for (long wait : List.of(500L, 1_000L, 2_000L, 3_000L, 3_000L)) {
                assertThatThrownBy(source::read).isInstanceOf(InvalidSourceException.class);
                assertThat(source.nextReadMs()).isEqualTo(wait);
            }
            assertThatCode(source::read).doesNotThrowAnyException();
            assertThatThrownBy(source::read).isInstanceOf(InvalidSourceException.class);
            assertThat(source.nextReadMs()).as("anew").isEqualTo(500);
        }
    }

    private static ConfigProvider throwing(Throwable thrown) {
        return new MissingLibrary() {
            @Override
            public ConfigData get(String path) {
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) thrown;
            }
        };
    }

    /** A provider one of whose libraries is not on the class path. */
    public static class MissingLibrary implements ConfigProvider {
        /** As Kafka creates it. */
        public MissingLibrary() {}

        @Override
        public void configure(Map<String, ?> configs) {}

        @Override
        public ConfigData get(String path) {
            throw new NoClassDefFoundError("com/example/Missing");
        }

        @Override
        public ConfigData get(String path, Set<String> keys) {
            return get(path);
        }

        @Override
        public void close() {}
    }

    @Test
    void takesWhatDirectoryConfigProviderSuppliesNewlinesIncluded() throws Exception {
        Files.writeString(dir.resolve("names"), "a, b\n");
        Files.writeString(dir.resolve("a.metrics"), "x\n");
        Files.writeString(dir.resolve("a.interval.ms"), "1000\n");
        Files.writeString(dir.resolve("b.match"), "client_id=z\n");
        try (SubscriptionSource source = source(configs(DirectoryConfigProvider.class), dir)) {
            assertThat(SubscriptionData.of(source.read()))
                    .isEqualTo(Map.of(
                            "names", "a,b", "a.metrics", "x", "a.interval.ms", "1000", "b.match", "client_id=z"));
            Files.delete(dir.resolve("names"));
            assertThatThrownBy(source::read)
                    .isInstanceOf(InvalidSourceException.class)
                    .hasMessageContaining("no key 'names'");
        }
    }

    @Test
    void takesAForbiddenPathForABadSource() throws Exception {
        Path allowed = Files.createDirectory(dir.resolve("allowed"));
        Path file = Files.writeString(dir.resolve("s.properties"), "names=\n");
        for (Class<?> type :
                List.of(FileConfigProvider.class, DirectoryConfigProvider.class, ClientMetricsConfigProvider.class)) {
            Map<String, Object> configs = configs(type);
            configs.put("config.providers.telemetry.param.allowed.paths", allowed.toString());
            try (SubscriptionSource source = source(configs, file)) {
                assertThatThrownBy(source::read)
                        .isInstanceOf(InvalidSourceException.class)
                        .hasMessageContaining("supplies nothing");
            }
        }
    }

    @Test
    void refusesAKeyThatBelongsToNoListedSubscription() throws Exception {
        Path file = Files.writeString(dir.resolve("s.properties"), "names=a\na.metrics=x\na.macth=client_id=b\n");
        try (SubscriptionSource source = source(configs(FileConfigProvider.class), file)) {
            assertThatThrownBy(source::read)
                    .isInstanceOf(InvalidSourceException.class)
                    .hasMessageContaining("'a.macth', expected 'a.match'");
        }
    }

    @Test
    void refusesHalfOfACharacterOfAnyProvider() throws Exception {
        Path file = Files.writeString(
                dir.resolve("s.properties"), "names=a\\uD800,b\na\\uD800.metrics=x\nb.match=client_id=\\uDC00\n");
        try (SubscriptionSource source = source(configs(FileConfigProvider.class), file)) {
            assertThatThrownBy(source::read)
                    .isInstanceOf(InvalidSourceException.class)
                    .hasMessageContaining("names: found half of a character, \\ud800")
                    .hasMessageContaining("b.match: found half of a character, \\udc00");
        }
    }

    @Test
    void readsAgainWhenTheTtlEnds() throws Exception {
        Path file = Files.writeString(dir.resolve("s.yaml"), "subscriptions: []");
        Map<String, Object> configs = configs(ClientMetricsConfigProvider.class);
        configs.put("config.providers.telemetry.param.ttl.ms", "2500");
        try (SubscriptionSource source = source(configs, file)) {
            source.read();
            assertThat(source.nextReadMs()).isEqualTo(2500);
        }
    }

    @Test
    void subscribesOnceAndPassesTheCallBackOn() throws Exception {
        CallingProvider provider = new CallingProvider();
        AtomicInteger changes = new AtomicInteger();
        try (SubscriptionSource source = new SubscriptionSource(provider, "p", 1000, changes::incrementAndGet)) {
            source.read();
            source.read();
            assertThat(provider.subscriptions).isEqualTo(1);
            provider.callback.onChange("p", new ConfigData(Map.of()));
            assertThat(changes).hasValue(1);
        }
        assertThat(provider.closed).isTrue();
    }

    @Test
    void namesTheProvidersThatThereAre() {
        Map<String, Object> configs = configs(FileConfigProvider.class);
        assertThatThrownBy(() -> NamedConfigProvider.create("k", "other", configs))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("file, telemetry");
        assertThatThrownBy(() -> NamedConfigProvider.create("k", "other", Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("not set");
        assertThatThrownBy(() -> NamedConfigProvider.create("k", "file", configs))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("config.providers.file.class");
        configs.put("config.providers.telemetry.class", "no.such.Class");
        assertThatThrownBy(() -> NamedConfigProvider.create("k", "telemetry", configs))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("no.such.Class");
        configs.put("config.providers.telemetry.class", "java.lang.String");
        assertThatThrownBy(() -> NamedConfigProvider.create("k", "telemetry", configs))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("java.lang.String");
    }

    @ParameterizedTest
    @ValueSource(classes = {FailingConstructor.class, FailingClass.class, FailingConfigure.class})
    void aProviderThatCannotBeMadeOrConfiguredIsAConfigException(Class<?> provider) {
        for (Object setting : List.of(provider.getName(), provider)) {
            Map<String, Object> configs = configs(provider);
            configs.put("config.providers.telemetry.class", setting);
            assertThatThrownBy(() -> NamedConfigProvider.create("k", "telemetry", configs))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContainingAll("config.providers.telemetry.class", provider.getName(), "Error");
        }
    }

    /** A provider whose constructor needs what is not there. */
    public static class FailingConstructor extends MissingLibrary {
        /** As Kafka creates it. */
        public FailingConstructor() {
            throw new NoClassDefFoundError("com/example/Missing");
        }
    }

    /** A provider whose class cannot be initialised. */
    public static class FailingClass extends MissingLibrary {
        private static final String VALUE = value();

        /** As Kafka creates it. */
        public FailingClass() {
            super();
        }

        private static String value() {
            throw new IllegalStateException(VALUE);
        }
    }

    /** A provider that throws from configure and from close. */
    public static class FailingConfigure extends MissingLibrary {
        /** As Kafka creates it. */
        public FailingConfigure() {
            super();
        }

        @Override
        public void configure(Map<String, ?> configs) {
            throw new NoClassDefFoundError("com/example/Missing");
        }

        @Override
        public void close() {
            throw new AssertionError("close");
        }
    }

    @Test
    void tellsHowManyMoreProblemsThereAre() throws Exception {
        StringBuilder text = new StringBuilder("names=\n");
        for (int i = 0; i < 25; i++) {
            text.append("k").append(i).append("=v\n");
        }
        Path file = Files.writeString(dir.resolve("s.properties"), text.toString());
        try (SubscriptionSource source = source(configs(FileConfigProvider.class), file)) {
            assertThatThrownBy(source::read).hasMessageEndingWith("; and 5 more");
        }
    }

    @Test
    void obeysTheListOfAllowedClasses() throws Exception {
        System.setProperty(NamedConfigProvider.ALLOWED_CLASSES_PROPERTY, "some.Other,another.One");
        assertThatThrownBy(
                        () -> NamedConfigProvider.create("k", "telemetry", configs(ClientMetricsConfigProvider.class)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(NamedConfigProvider.ALLOWED_CLASSES_PROPERTY);
        System.setProperty(
                NamedConfigProvider.ALLOWED_CLASSES_PROPERTY,
                "some.Other, " + ClientMetricsConfigProvider.class.getName());
        NamedConfigProvider.create("k", "telemetry", configs(ClientMetricsConfigProvider.class))
                .close();
    }

    private static SubscriptionSource source(Map<String, Object> configs, Path path) {
        return new SubscriptionSource(
                NamedConfigProvider.create("key", "telemetry", configs), path.toString(), 30_000, () -> {});
    }

    private static Map<String, Object> configs(Class<?> provider) {
        Map<String, Object> configs = new HashMap<>();
        configs.put("config.providers", "file, telemetry");
        configs.put("config.providers.telemetry.class", provider.getName());
        return configs;
    }

    private static final class CallingProvider implements ConfigProvider {
        private ConfigChangeCallback callback;
        private int subscriptions;
        private boolean closed;

        @Override
        public void configure(Map<String, ?> configs) {}

        @Override
        public ConfigData get(String path) {
            return new ConfigData(Map.of("names", ""));
        }

        @Override
        public ConfigData get(String path, Set<String> keys) {
            return get(path);
        }

        @Override
        public void subscribe(String path, Set<String> keys, ConfigChangeCallback change) {
            callback = change;
            subscriptions++;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
