/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigChangeCallback;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigTransformer;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientMetricsConfigProviderTest {
    private static final String THREAD = "client-metrics-config-provider";

    @TempDir
    private Path dir;

    private final ClientMetricsConfigProvider provider = new ClientMetricsConfigProvider();

    @AfterEach
    void close() {
        provider.close();
    }

    @Test
    void suppliesAllKeysOrThoseAskedFor() throws Exception {
        Path file = write("subscriptions: [{name: a, metrics: [x, y], interval: 1s}]");
        provider.configure(Map.of());

        assertThat(provider.get(file.toString()).data())
                .isEqualTo(Map.of("names", "a", "a.metrics", "x,y", "a.interval.ms", "1000"));
        assertThat(provider.get(file.toString(), Set.of("a.metrics", "a.match")).data())
                .isEqualTo(Map.of("a.metrics", "x,y"));
        assertThat(provider.get(file.toString()).ttl()).isNull();
        assertThat(provider.get("").data()).isEmpty();
        assertThat(provider.get(null, Set.of("names")).data()).isEmpty();
    }

    @Test
    void servesReferencesOfABrokersConfiguration() throws Exception {
        Path file = write("subscriptions: [{name: a, metrics: [x]}]");
        provider.configure(Map.of());

        assertThat(new ConfigTransformer(Map.of("telemetry", provider))
                        .transform(Map.of("k", "${telemetry:" + file + ":a.metrics}"))
                        .data())
                .isEqualTo(Map.of("k", "x"));
    }

    @Test
    void givesTheTtlThatIsConfigured() throws Exception {
        Path file = write("subscriptions: []");
        provider.configure(Map.of("ttl.ms", "1500"));

        assertThat(provider.get(file.toString()).ttl()).isEqualTo(1500);
        assertThat(provider.get(file.toString(), Set.of("names")).data()).isEqualTo(Map.of("names", ""));
    }

    @Test
    void isMadeConfiguredAndClosedWithoutReadingOrStartingAnything() throws Exception {
        write("nonsense");
        Set<Thread> before = threads();
        for (int i = 0; i < 100; i++) {
            try (ClientMetricsConfigProvider made = new ClientMetricsConfigProvider()) {
                made.configure(Map.of("allowed.paths", dir.toString()));
                made.unsubscribe("x", Set.of(), (path, data) -> {});
                made.unsubscribeAll();
            }
        }
        assertThat(threads()).isSubsetOf(before);
        assertThatCode(provider::close).doesNotThrowAnyException();
        assertThatThrownBy(() -> new ClientMetricsConfigProvider().get("x")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesWrongParametersOnly() {
        assertThatThrownBy(() -> provider.configure(Map.of("ttl.ms", "soon")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("config.providers.<name>.param.ttl.ms");
        assertThatThrownBy(() -> provider.configure(Map.of("poll.ms", "99")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("100");
    }

    @Test
    void aParameterThatThereIsNotIsRefusedWithTheNearestThereIs() {
        ClientMetricsConfigProvider provider = new ClientMetricsConfigProvider();
        assertThatThrownBy(() -> provider.configure(Map.of("pol.ms", "100")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("Unknown parameter config.providers.<name>.param.pol.ms: the nearest known one is"
                        + " config.providers.<name>.param.poll.ms");
        assertThatThrownBy(() -> provider.configure(Map.of("directory", "/x")))
                .isInstanceOf(ConfigException.class)
                .hasMessageEndingWith("known are allowed.paths, poll.ms, ttl.ms");
        assertThatThrownBy(() -> provider.configure(Map.of("allowed.paths", "relative")))
                .hasMessageContaining("config.providers.<name>.param.allowed.paths");
    }

    @Test
    void throwsEveryErrorOfTheFiles() throws Exception {
        Path file = write("subscriptions: [{name: a, interval: 1, metric: []}]");
        provider.configure(Map.of());

        assertThatThrownBy(() -> provider.get(file.toString()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + ":1:37")
                .hasMessageContaining(file + ":1:40");
        assertThatThrownBy(() -> provider.get(dir.resolve("missing").toString()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("no file or directory");
    }

    /** Beside Kafka's own provider on the same settings and paths. */
    @Test
    void keepsToAllowedPathsAsKafkasFileConfigProviderDoes() throws Exception {
        Path allowed = Files.createDirectory(dir.resolve("allowed"));
        Path forbidden = Files.createDirectory(dir.resolve("forbidden"));
        Path inside = Files.writeString(allowed.resolve("s.properties"), "names=a\na.metrics=x\n");
        Path outside = Files.writeString(forbidden.resolve("s.properties"), "names=a\na.metrics=x\n");
        Path link = Files.createSymbolicLink(allowed.resolve("link.properties"), outside);
        List<String> settings = List.of(
                allowed.toString(),
                allowed + "," + forbidden,
                inside.toString(),
                "",
                "relative",
                "/no/such/path",
                allowed + "/../forbidden");
        List<String> paths = List.of(
                inside.toString(),
                outside.toString(),
                link.toString(),
                allowed + "/../forbidden/s.properties",
                allowed + "/missing.properties");

        for (String setting : settings) {
            try (FileConfigProvider kafkas = new FileConfigProvider();
                    ClientMetricsConfigProvider ours = new ClientMetricsConfigProvider()) {
                Map<String, String> configs = Map.of("allowed.paths", setting);
                Class<?> refusal = thrown(() -> kafkas.configure(configs));
                assertThat(thrown(() -> ours.configure(configs))).isEqualTo(refusal);
                if (refusal != null) {
                    continue;
                }
                for (String path : paths) {
                    assertThat(outcome(ours, path))
                            .as("%s in %s", path, setting)
                            .isEqualTo(outcome(kafkas, path));
                }
            }
        }
    }

    @Test
    void readsNoFileThatALinkInAnAllowedDirectoryLeadsOutTo() throws Exception {
        Path allowed = Files.createDirectory(dir.resolve("allowed"));
        Files.writeString(allowed.resolve("a.yaml"), "subscriptions: [{name: a, metrics: [x]}]");
        Path secret = Files.writeString(dir.resolve("secret"), "secret=hidden");
        provider.configure(Map.of("allowed.paths", allowed.toString()));
        assertThat(provider.get(allowed.toString()).data()).containsEntry("names", "a");

        for (String name : List.of("link.yaml", "link.properties")) {
            Path link = Files.createSymbolicLink(allowed.resolve(name), secret);
            assertThatThrownBy(() -> provider.get(allowed.toString()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(link + ": found a link out of what allowed.paths names")
                    .hasMessageNotContaining("hidden");
            Files.delete(link);
        }
        Files.createSymbolicLink(allowed.resolve("within.yaml"), Path.of("target"));
        Files.writeString(allowed.resolve("target"), "subscriptions: [{name: b, metrics: [x]}]");
        assertThat(provider.get(allowed.toString()).data()).containsEntry("names", "a,b");
    }

    /** Nor does it tell a subscriber what is in it. */
    @Test
    void callsBackWithNothingThatALinkLeadsOutTo() throws Exception {
        Path allowed = Files.createDirectory(dir.resolve("allowed"));
        Path file = Files.writeString(allowed.resolve("a.yaml"), "subscriptions: [{name: a, metrics: [x]}]");
        Path outside = Files.writeString(dir.resolve("outside"), "subscriptions: [{name: hidden, metrics: [x]}]");
        provider.configure(Map.of("poll.ms", "100", "allowed.paths", allowed.toString()));
        List<String> told = new CopyOnWriteArrayList<>();
        provider.subscribe(allowed.toString(), Set.of("names"), new SourceListener() {
            @Override
            public void onChange(String path, ConfigData data) {
                told.add(data.data().get("names"));
            }

            @Override
            public void onTurn() {
                told.add("turn");
            }
        });

        Path link = Files.createSymbolicLink(allowed.resolve("link.yaml"), outside);
        await().atMost(Duration.ofSeconds(20)).until(() -> !told.isEmpty());
        assertThat(told).containsExactly("turn");
        Files.delete(link);
        Files.writeString(file, "subscriptions: [{name: b, metrics: [x]}]");
        await().atMost(Duration.ofSeconds(20)).until(() -> told.contains("b"));
        assertThat(told).doesNotContain("hidden", "a,hidden");
    }

    /** A link may take the place of what has just been looked at. */
    @Test
    void opensNoLinkWherePathsAreRestricted() throws Exception {
        Path file = write("text");
        Path link = Files.createSymbolicLink(dir.resolve("link"), file);

        assertThatThrownBy(() -> SubscriptionFiles.open(link, AllowedPaths.of(dir.toString())))
                .isInstanceOf(IOException.class);
        SubscriptionFiles.open(link, AllowedPaths.ALL).close();
        SubscriptionFiles.open(file, AllowedPaths.of(dir.toString())).close();
    }

    private static Object outcome(ConfigProvider provider, String path) {
        try {
            return new HashMap<>(provider.get(path).data());
        } catch (RuntimeException e) {
            return e.getClass();
        }
    }

    private static Class<?> thrown(Runnable action) {
        try {
            action.run();
            return null;
        } catch (RuntimeException e) {
            return e.getClass();
        }
    }

    @Test
    void callsBackWhenTheSuppliedValuesChange() throws Exception {
        Path file = write("subscriptions: [{name: a, metrics: [x]}]");
        provider.configure(Map.of("poll.ms", "100"));
        List<ConfigData> all = new CopyOnWriteArrayList<>();
        List<ConfigData> names = new CopyOnWriteArrayList<>();
        provider.subscribe(file.toString(), Set.of(), (path, data) -> all.add(data));
        provider.subscribe(file.toString(), Set.of("names"), (path, data) -> names.add(data));

        write("nonsense");
        write("subscriptions: [{name: a, metrics: [y]}] # another comment");
        await().atMost(Duration.ofSeconds(20)).until(() -> all.size() == 1);
        assertThat(all.get(0).data()).isEqualTo(Map.of("names", "a", "a.metrics", "y"));

        write("subscriptions: [{name: b, metrics: [y]}]");
        await().atMost(Duration.ofSeconds(20)).until(() -> all.size() == 2 && names.size() == 1);
        assertThat(names.get(0).data()).isEqualTo(Map.of("names", "b"));
    }

    @Test
    void goesOnAfterACallbackThatFails() throws Exception {
        Path file = write("subscriptions: []");
        provider.configure(Map.of("poll.ms", "100"));
        List<String> seen = new CopyOnWriteArrayList<>();
        provider.subscribe(file.toString(), Set.of(), (path, data) -> {
            seen.add(data.data().get("names"));
            throw new IllegalStateException("from a callback");
        });

        write("subscriptions: [{name: a, metrics: [y]}]");
        await().atMost(Duration.ofSeconds(20)).until(() -> seen.contains("a"));
        write("subscriptions: [{name: b, metrics: [y]}]");
        await().atMost(Duration.ofSeconds(20)).until(() -> seen.contains("b"));
    }

    /** The mount's own directory is what stays; what the links lead to is another directory after each change. */
    @Test
    void followsAMountedConfigMapWithinAllowedPaths() throws Exception {
        ConfigMapMount mount = new ConfigMapMount(Files.createDirectory(dir.resolve("mount")));
        mount.publish(Map.of("s.yaml", "subscriptions: [{name: a, metrics: [x]}]"));
        Path file = mount.directory().resolve("s.yaml");
        provider.configure(
                Map.of("poll.ms", "100", "allowed.paths", mount.directory().toString()));
        List<ConfigData> ofFile = new CopyOnWriteArrayList<>();
        List<ConfigData> ofDirectory = new CopyOnWriteArrayList<>();
        provider.subscribe(file.toString(), Set.of(), (path, data) -> ofFile.add(data));
        provider.subscribe(mount.directory().toString(), Set.of(), (path, data) -> ofDirectory.add(data));
        Map<String, String> after = Map.of("names", "b", "b.metrics", "x");

        mount.publish(Map.of("s.yaml", "subscriptions: [{name: b, metrics: [x]}]"));
        await().atMost(Duration.ofSeconds(20)).until(() -> ofFile.size() == 1 && ofDirectory.size() == 1);
        assertThat(ofFile.get(0).data()).isEqualTo(after);
        assertThat(ofDirectory.get(0).data()).isEqualTo(after);
        assertThat(provider.get(file.toString()).data()).isEqualTo(after);
        assertThat(provider.get(mount.directory().toString()).data()).isEqualTo(after);

        try (ClientMetricsConfigProvider narrow = new ClientMetricsConfigProvider();
                FileConfigProvider kafkas = new FileConfigProvider()) {
            Map<String, String> allowed = Map.of("allowed.paths", file.toString());
            narrow.configure(allowed);
            kafkas.configure(allowed);
            mount.publish(Map.of("s.yaml", "subscriptions: [{name: c, metrics: [x]}]"));
            assertThat(narrow.get(file.toString()).data()).isEmpty();
            assertThat(kafkas.get(file.toString()).data()).as("Kafka's own").isEmpty();
        }
    }

    @Test
    void tellsOfAPathThatIsGoneAndBackWithinAllowedPaths() throws Exception {
        Path file = write("subscriptions: []");
        provider.configure(Map.of("poll.ms", "100", "allowed.paths", dir.toString()));
        List<String> told = new CopyOnWriteArrayList<>();
        provider.subscribe(file.toString(), Set.of(), new SourceListener() {
            @Override
            public void onChange(String path, ConfigData data) {
                told.add("change");
            }

            @Override
            public void onTurn() {
                told.add("turn");
            }
        });
        // The second time it is back as it was seen before.
        for (int turns = 1; turns < 5; turns += 2) {
            int gone = turns;
            Files.delete(file);
            await().atMost(Duration.ofSeconds(20)).until(() -> told.size() == gone);
            write("subscriptions: []");
            await().atMost(Duration.ofSeconds(20)).until(() -> told.size() == gone + 1);
        }
        assertThat(told).containsOnly("turn");
    }

    @Test
    void endsItsThreadWithTheLastSubscription() throws Exception {
        Path file = write("subscriptions: []");
        provider.configure(Map.of());
        ConfigChangeCallback first = (path, data) -> {};
        ConfigChangeCallback second = (path, data) -> {};
        Set<Thread> before = threads();
        provider.subscribe(file.toString(), Set.of("names"), first);
        provider.subscribe(file.toString(), Set.of(), second);
        await().atMost(Duration.ofSeconds(20)).until(() -> threadsSince(before) == 1);

        provider.unsubscribe(file.toString(), Set.of("names"), first);
        assertThat(threadsSince(before)).isEqualTo(1);
        provider.unsubscribe(file.toString(), Set.of(), second);
        await().atMost(Duration.ofSeconds(20)).until(() -> threadsSince(before) == 0);
    }

    /** Those of an earlier test may be about to end. */
    private static int threadsSince(Set<Thread> before) {
        Set<Thread> now = threads();
        now.removeAll(before);
        return now.size();
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().equals(THREAD))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** At once: a file that is written in place may be read when it is empty. */
    private Path write(String text) throws IOException {
        Path next = Files.writeString(dir.resolve("next"), text);
        return Files.move(next, dir.resolve("s.yaml"), StandardCopyOption.ATOMIC_MOVE);
    }
}
