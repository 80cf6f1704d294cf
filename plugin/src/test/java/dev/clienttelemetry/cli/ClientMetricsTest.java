/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The commands on files; those on a cluster are in {@code ClientMetricsIT}. */
class ClientMetricsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SOUND = """
            subscriptions:
              - name: billing
                metrics: [org.apache.kafka.producer.]
                interval: 30s
                match: {client_software_name: apache-kafka-java, client_id: 'billing-.*'}
              - name: consumers
                metrics: [org.apache.kafka.consumer.fetch., org.apache.kafka.consumer.]
                match: {client_software_name: apache-kafka-java}
            """;

    @TempDir
    private Path dir;

    private record Run(int exitCode, String out, String err) {}

    @Test
    void validateSaysThatAFileIsValid() throws Exception {
        Run run = run("validate", write(SOUND));
        assertThat(run).isEqualTo(new Run(0, dir.resolve("s.yaml") + ": 2 subscriptions, valid\n", ""));
    }

    @Test
    void validateShowsEveryErrorWithItsPlace() throws Exception {
        String file = write("subscriptions:\n  - nam: x\n    metrics: [*]\n");
        Run run = run("validate", file);
        assertThat(run.exitCode).isEqualTo(1);
        assertThat(run.out).contains("ERROR " + file + ":3:").endsWith(file + ": invalid\n");

        JsonNode json = JSON.readTree(
                run("validate", "--format", "json", write("subscriptions: [{name: a, interval: 1}]")).out);
        assertThat(json.get("valid").asBoolean()).isFalse();
        assertThat(json.at("/errors/0/line").asInt()).isEqualTo(1);
        assertThat(json.at("/errors/0/column").asInt()).isEqualTo(37);
        assertThat(json.at("/errors/0/found").asText()).isEqualTo("'1'");
    }

    @Test
    void validateWarnsAndStrictMakesWarningsErrors() throws Exception {
        String file = write("subscriptions: [{name: a, metrics: [org.apache.kafka.producer.batch.]}]");
        Run run = run("validate", file);
        assertThat(run.exitCode).isZero();
        assertThat(run.out).contains("WARNING Subscription a: it asks librdkafka's");
        Run strict = run("validate", "--strict", file);
        assertThat(strict.exitCode).isEqualTo(1);
        assertThat(strict.out).contains("ERROR Subscription a: it asks librdkafka's");
        JsonNode json = JSON.readTree(run("validate", "--format=json", file).out);
        assertThat(json.at("/valid").asBoolean()).isTrue();
        assertThat(json.at("/warnings/0/kind").asText()).isEqualTo("librdkafka");
    }

    @Test
    void validateJudgesByWhatItIsToldOfTheCluster() throws Exception {
        String file = write(
                "subscriptions: [{name: a, metrics: ['*'], interval: 10s, match: {client_software_name: apache-kafka-java}}]");
        assertThat(run("validate", "--kafka-version", "3.9.1", file).out).doesNotContain("WARNING");
        assertThat(run("validate", "--kafka-version", "4.4.0", file).out).contains("telemetry.max.bytes");
        assertThat(run("validate", "--kafka-version", "3.9.1", "--clients", "50000", file).out)
                .contains("5000 pushes per second");
    }

    @Test
    void matchShowsWhatMatchesAndWhyTheRestDoesNot() throws Exception {
        Run run = run(
                "match",
                write(SOUND),
                "--client-id",
                "orders-1",
                "--software-name",
                "apache-kafka-java",
                "--instance-id",
                "6Vob0uS6RPqrN0FtDYlUiQ");
        assertThat(run.exitCode).isZero();
        assertThat(run.out).isEqualTo("""
                        billing: does not match
                            client_id is 'orders-1', which 'billing-.*' does not match as a whole
                        consumers: matches

                        Requested metrics:
                            org.apache.kafka.consumer.
                        Push interval: 300000 ms
                        SubscriptionId: -134327707
                        """);
    }

    @Test
    void matchAnswersInJson() throws Exception {
        JsonNode json = JSON.readTree(run("match", write(SOUND), "--client-id", "billing-1", "--format", "json").out);
        assertThat(json.at("/subscriptions/0/subscription").asText()).isEqualTo("billing");
        assertThat(json.at("/subscriptions/0/matches").asBoolean()).isFalse();
        assertThat(json.at("/subscriptions/0/misses/0").asText())
                .isEqualTo("client_software_name is not given, and 'apache-kafka-java' must match it");
        assertThat(json.at("/requestedMetrics")).isEmpty();
        assertThat(json.at("/pushIntervalMs").asInt()).isEqualTo(300_000);
        assertThat(json.has("subscriptionId")).isFalse();
    }

    @Test
    void listMetricsShowsGroupsThenNames() throws Exception {
        Run groups = run("list-metrics");
        assertThat(groups.exitCode).isZero();
        assertThat(groups.out).contains("org.apache.kafka.consumer.fetch.  ").contains("librdkafka-producer");
        Run names = run("list-metrics", "org.apache.kafka.producer.record.queue");
        assertThat(names.out)
                .isEqualTo("org.apache.kafka.producer.record.queue.time.avg  (producer, librdkafka-producer)\n"
                        + "org.apache.kafka.producer.record.queue.time.max  (producer, librdkafka-producer)\n");
        assertThat(run("list-metrics", "--client", "librdkafka-producer", "--names")
                        .out
                        .lines())
                .hasSize(10);
        Map<?, ?> json = JSON.readValue(run("list-metrics", "--format", "json").out, Map.class);
        assertThat(json.get("org.apache.kafka.consumer.poll.idle.ratio.avg"))
                .isEqualTo(List.of("consumer", "librdkafka-consumer"));
        assertThat(run("list-metrics", "nothing").exitCode).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "validate",
                "validate a b",
                "validate a --format xml",
                "diff a",
                "export",
                "match a",
                "match --client-id x",
                "match a --client-id x --bootstrap-server b:1",
                "match a --client-id x --instance-id short",
                "list-metrics --client python",
                "diff {} --bootstrap-server b:1 --command-config /no/such/file"
            })
    void wrongArgumentsEndWithTwo(String arguments) throws Exception {
        String file = write(SOUND);
        String[] all = arguments.isEmpty()
                ? new String[0]
                : arguments.replace("{}", file).split(" ");
        if (all.length > 0 && all[0].equals("diff")) {
            all[1] = file;
        }
        Run run = run(all);
        assertThat(run.exitCode).isEqualTo(2);
        assertThat(run.err).contains("Usage: client-metrics");
    }

    @Test
    void aClusterThatCannotBeReachedEndsWithThree() throws Exception {
        assertThat(run("export", "--bootstrap-server", "no-such-host.invalid:9092"))
                .satisfies(run -> {
                    assertThat(run.exitCode).isEqualTo(3);
                    assertThat(run.err).contains("Cannot reach the cluster");
                });
        Path config = Files.writeString(dir.resolve("c"), "default.api.timeout.ms=400\nrequest.timeout.ms=300\n");
        Run run = run("diff", write(SOUND), "--bootstrap-server", "localhost:1", "--command-config", config.toString());
        assertThat(run.exitCode).isEqualTo(3);
        assertThat(run.err).contains("Listing the subscriptions failed").doesNotContain("\tat ");
    }

    @Test
    void aFileWithErrorsEndsWithOneBeforeTheClusterIsAsked() throws Exception {
        Run run = run("apply", write("subscriptions:"), "--bootstrap-server", "localhost:1");
        assertThat(run.exitCode).isEqualTo(1);
        assertThat(run.err).contains("s.yaml:1:15: found nothing");
    }

    @Test
    void everyCommandHasHelp() {
        for (String command : List.of("validate", "diff", "apply", "export", "match", "list-metrics")) {
            Run run = run(command, "--help");
            assertThat(run.exitCode).isZero();
            assertThat(run.out).contains("Usage: client-metrics " + command);
        }
        assertThat(run("--help").out).contains("Exit code: 0 valid");
        assertThat(run("--version").out).startsWith("client-metrics ");
    }

    private String write(String text) throws Exception {
        return Files.writeString(dir.resolve("s.yaml"), text).toString();
    }

    private static Run run(String... arguments) {
        CommandLine command = ClientMetrics.commandLine();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        int exitCode = command.execute(arguments);
        return new Run(exitCode, out.toString(), err.toString());
    }
}
