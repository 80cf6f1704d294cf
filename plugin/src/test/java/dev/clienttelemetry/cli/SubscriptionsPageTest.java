/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.reporter.ClientTelemetryReporter;
import dev.clienttelemetry.subscription.SubscriptionFiles;
import dev.clienttelemetry.subscription.SubscriptionReview;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Every example of the page does what the page says; those that need a cluster are in {@code ClientMetricsCliIT}. */
class SubscriptionsPageTest {
    @TempDir
    private Path dir;

    static Stream<SubscriptionsPage.Command> aCommandWritesWhatThePageSays() throws IOException {
        return SubscriptionsPage.commands().stream().filter(command -> !command.needsCluster());
    }

    @ParameterizedTest
    @MethodSource
    void aCommandWritesWhatThePageSays(SubscriptionsPage.Command example) throws IOException {
        SubscriptionsPage.write(dir);
        String[] arguments = example.arguments().stream()
                .map(argument -> argument.matches("[a-z-]+\\.(yaml|properties)")
                        ? dir.resolve(argument).toString()
                        : argument)
                .toArray(String[]::new);
        CommandLine command = ClientMetrics.commandLine();
        StringWriter out = new StringWriter();
        command.setOut(new PrintWriter(out, true));
        command.execute(arguments);
        assertThat(out.toString().replace(dir + "/", "")).isEqualTo(example.output());
    }

    @Test
    void bothFormsOfTheFileAreTheSame() throws Exception {
        SubscriptionsPage.write(dir);
        assertThat(SubscriptionFiles.read(dir.resolve("client-metrics.properties")))
                .isEqualTo(SubscriptionFiles.read(dir.resolve("client-metrics.yaml")));
    }

    @Test
    void theQuickstartsFileIsSound() throws Exception {
        assertThat(SubscriptionReview.of(
                        SubscriptionFiles.read(Path.of("../examples/client-metrics.yaml")),
                        new SubscriptionReview.Circumstances(true, 2)))
                .isEmpty();
    }

    static Stream<SubscriptionsPage.Block> aBrokerTakesTheSettings() throws IOException {
        return SubscriptionsPage.blocks().stream().filter(block -> block.file().equals("server.properties"));
    }

    @Test
    void aBrokerDoesNotTakeASaslListenerWithoutBeingToldHowToLogIn() throws IOException {
        SubscriptionsPage.Block block = aBrokerTakesTheSettings()
                .filter(b -> b.text().contains("client.telemetry.admin."))
                .findFirst()
                .orElseThrow();
        Map<String, Object> configs = settings(block);
        configs.keySet().removeIf(key -> key.startsWith("client.telemetry.admin."));
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            assertThatThrownBy(() -> reporter.configure(configs))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("client.telemetry.admin.sasl.jaas.config");
        }
    }

    @ParameterizedTest
    @MethodSource
    void aBrokerTakesTheSettings(SubscriptionsPage.Block block) throws IOException {
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            reporter.configure(settings(block));
        }
    }

    private static Map<String, Object> settings(SubscriptionsPage.Block block) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(block.text()));
        Map<String, Object> configs = new HashMap<>(Map.of(
                "process.roles", "broker,controller",
                "node.id", "1",
                "listeners", "PLAINTEXT://localhost:9092,INTERNAL://localhost:9094,CONTROLLER://localhost:9093"));
        properties.forEach((key, value) -> configs.put((String) key, value));
        return configs;
    }

    @Test
    void thePageHasExamplesOfEveryCommand() throws IOException {
        List<String> shown = SubscriptionsPage.commands().stream()
                .map(c -> c.arguments().get(0))
                .toList();
        assertThat(shown).contains("validate", "diff", "apply", "export", "match", "list-metrics");
    }
}
