/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.gateway.protocol.ClientIdentity;
import dev.clienttelemetry.gateway.protocol.PushedMetrics;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsContext;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings({"deprecation", "removal"})
class TelemetryPluginTest {
    private static final PushedMetrics PUSH = new PushedMetrics(
            Uuid.randomUuid(), new ClientIdentity("c", "apache-kafka-java", "4.0.0"), true, new byte[] {1, 2}, 1234);

    @TempDir
    Path directory;

    /** Tells the order of calls through the configuration map's list. */
    public static class Reporter implements MetricsReporter, ClientTelemetry {
        private List<String> told;

        @Override
        @SuppressWarnings("unchecked")
        public void configure(Map<String, ?> configs) {
            told = TOLD.get();
            told.add("configure " + configs.get("key"));
            if ("wrong".equals(configs.get("key"))) {
                throw new ConfigException("key", "wrong", "must be right");
            }
        }

        @Override
        public void contextChange(MetricsContext context) {
            told.add("context " + context.contextLabels().get("kafka.cluster.id") + " "
                    + context.contextLabels().get("kafka.node.id"));
        }

        @Override
        public void init(List<KafkaMetric> metrics) {
            told.add("init " + metrics.size());
        }

        @Override
        public void metricChange(KafkaMetric metric) {}

        @Override
        public void metricRemoval(KafkaMetric metric) {}

        @Override
        public ClientTelemetryReceiver clientReceiver() {
            told.add("receiver");
            return (context, payload) -> {
                told.add("export " + context.clientId() + " " + payload.contentType() + " " + payload.isTerminating()
                        + " " + payload.data().remaining());
                if (payload.data().get(0) == 9) {
                    throw new IllegalArgumentException("no");
                }
                if (payload.data().get(0) == 8) {
                    throw new StackOverflowError();
                }
                if (payload.data().get(0) == 7) {
                    throw TelemetryPluginTest.<RuntimeException>unchecked(new IOException("no"));
                }
            };
        }

        @Override
        public void close() {
            told.add("close");
        }
    }

    private static final ThreadLocal<List<String>> TOLD = ThreadLocal.withInitial(ArrayList::new);

    @Test
    void aPluginIsTreatedAsABrokerTreatsAReporter() {
        List<String> told = TOLD.get();
        told.clear();

        try (TelemetryPlugin plugin =
                TelemetryPlugin.start(Reporter.class.getName(), Map.of("key", "value"), "7", "cluster")) {
            plugin.export(PUSH);
            assertThatThrownBy(() -> plugin.export(new PushedMetrics(
                            PUSH.clientInstanceId(), PUSH.client(), false, new byte[] {9}, PUSH.pushIntervalMs())))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(plugin.calls().calls()).isEqualTo(2);
            assertThat(plugin.calls().errors()).isEqualTo(1);
            assertThat(plugin.calls().nanos()).isPositive();
            assertThat(plugin.ownMetrics()).isEmpty();
        }

        assertThat(told)
                .containsExactly(
                        "configure value",
                        "context cluster 7",
                        "init 0",
                        "receiver",
                        "export c OTLP true 2",
                        "export c OTLP false 1",
                        "close");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable checked) throws T {
        throw (T) checked;
    }

    @Test
    void whateverAPluginThrowsIsCountedAsItsRefusal() {
        try (TelemetryPlugin plugin =
                TelemetryPlugin.start(Reporter.class.getName(), Map.of("key", "value"), "7", "c")) {
            for (byte kind = 7; kind <= 9; kind++) {
                byte[] payload = {kind};
                assertThatThrownBy(() -> plugin.export(new PushedMetrics(
                                PUSH.clientInstanceId(), PUSH.client(), false, payload, PUSH.pushIntervalMs())))
                        .isInstanceOf(RuntimeException.class);
            }
            assertThat(plugin.calls().calls()).isEqualTo(3);
            assertThat(plugin.calls().errors()).isEqualTo(3);
        }
    }

    @Test
    void aPluginThatRefusesItsConfigurationIsClosed() {
        List<String> told = TOLD.get();
        told.clear();

        assertThatThrownBy(() -> TelemetryPlugin.start(Reporter.class.getName(), Map.of("key", "wrong"), null, null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("must be right");
        assertThat(told).containsExactly("configure wrong", "close");
    }

    @Test
    void whatIsNoTelemetryPluginIsRefused() {
        assertThatThrownBy(() -> TelemetryPlugin.start("no.such.Plugin", Map.of(), null, null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("exporter")
                .hasMessageContaining("class path");
        assertThatThrownBy(() -> TelemetryPlugin.start("java.lang.Object", Map.of(), null, null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ClientTelemetry");
        assertThatThrownBy(() -> TelemetryPlugin.start("java.lang.Integer", Map.of(), null, null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("constructor");
    }

    /** A plugin whose constructor fails. */
    public static class Failing extends Reporter {
        /** Fails. */
        public Failing() {
            throw new IllegalStateException("no licence");
        }
    }

    /** A plugin whose class cannot be initialized. */
    public static class Uninitializable extends Reporter {
        static final int NUMBER = Integer.parseInt("seven");
    }

    /** A plugin that is for nobody else. */
    public static class Hidden extends Reporter {
        private Hidden() {}
    }

    /** A plugin whose constructor lacks a class. */
    public static class Incomplete extends Reporter {
        /** Fails. */
        public Incomplete() {
            throw new NoClassDefFoundError("com/example/Missing");
        }
    }

    @Test
    void aPluginThatCannotBeMadeIsRefusedByItsNameWithTheCause() {
        assertCannotBeMade(Failing.class, "cannot be created: java.lang.IllegalStateException: no licence");
        assertCannotBeMade(Incomplete.class, "cannot be created: java.lang.NoClassDefFoundError: com/example/Missing");
        assertCannotBeMade(
                Uninitializable.class,
                "cannot be initialized: java.lang.NumberFormatException: For input string: \"seven\"");
        // The JVM does not try again, and says so in its own words.
        assertCannotBeMade(Uninitializable.class, "cannot be loaded: java.lang.NoClassDefFoundError: ");
        assertCannotBeMade(Hidden.class, "must have a public constructor without parameters: ");
    }

    private static void assertCannotBeMade(Class<?> plugin, String why) {
        assertThatThrownBy(() -> TelemetryPlugin.start(plugin.getName(), Map.of(), null, null))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("Invalid value " + plugin.getName() + " for configuration exporter: " + why);
    }

    @Test
    void anExporterProviderIsCalledWhereKafkaHasTheInterface() throws Exception {
        // Of Kafka 4.2 and later, so it cannot be compiled with this module.
        Path source = directory.resolve("NewPlugin.java");
        Files.writeString(source, """
                import org.apache.kafka.server.telemetry.*;
                public class NewPlugin implements ClientTelemetryExporterProvider {
                    public static String told = "";
                    public ClientTelemetryExporter clientTelemetryExporter() {
                        return (context, payload) -> told = context.pushIntervalMs() + " "
                                + context.authorizableRequestContext().clientId() + " " + payload.contentType();
                    }
                }
                """);
        Path kafka = newest("kafka-clients-");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int exit = compiler.run(
                null, null, null, "-proc:none", "-cp", kafka.toString(), "-d", directory.toString(), source.toString());
        assertThat(exit).isZero();
        List<URL> urls = new ArrayList<>();
        urls.add(kafka.toUri().toURL());
        urls.add(directory.toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!Path.of(entry).getFileName().toString().startsWith("kafka-clients-")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader host = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            host.loadClass(ExporterProviderProbe.class.getName())
                    .getMethod("run", String.class)
                    .invoke(null, "NewPlugin");
            Object told = host.loadClass("NewPlugin").getField("told").get(null);

            assertThat(told).isEqualTo("1234 client-1 OTLP");
        }
    }

    private static Path newest(String prefix) throws Exception {
        try (var jars = Files.list(Path.of("target", "newest-kafka"))) {
            return jars.filter(jar -> jar.getFileName().toString().startsWith(prefix))
                    .collect(Collectors.toList())
                    .get(0);
        }
    }

    @Test
    void thisKafkaHasNoSuchInterface() {
        assertThat(ExporterProviderCall.AVAILABLE).isFalse();
        assertThat(Arrays.asList(ClientTelemetry.class.getMethods())).isNotEmpty();
    }
}
