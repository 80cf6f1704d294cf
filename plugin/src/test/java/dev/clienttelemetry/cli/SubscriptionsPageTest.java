/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.reporter.ClientTelemetryReporter;
import dev.clienttelemetry.subscription.SubscriptionFiles;
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

    static Stream<SubscriptionsPage.Block> aBrokerTakesTheSettings() throws IOException {
        return SubscriptionsPage.blocks().stream().filter(block -> block.file().equals("server.properties"));
    }

    @ParameterizedTest
    @MethodSource
    void aBrokerTakesTheSettings(SubscriptionsPage.Block block) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(block.text()));
        Map<String, Object> configs = new HashMap<>(Map.of(
                "process.roles", "broker,controller",
                "node.id", "1",
                "listeners", "PLAINTEXT://localhost:9092,INTERNAL://localhost:9094,CONTROLLER://localhost:9093"));
        properties.forEach((key, value) -> configs.put((String) key, value));
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            reporter.configure(configs);
        }
    }

    @Test
    void thePageHasExamplesOfEveryCommand() throws IOException {
        List<String> shown = SubscriptionsPage.commands().stream()
                .map(c -> c.arguments().get(0))
                .toList();
        assertThat(shown).contains("validate", "diff", "apply", "export", "match", "list-metrics");
    }
}
