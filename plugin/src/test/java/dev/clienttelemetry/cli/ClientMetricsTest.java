/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        assertThat(groups.out)
                .containsPattern(
                        "(?m)^org\\.apache\\.kafka\\.producer\\.  [0-9]+  \\(.*librdkafka-producer [0-9]+.*producer [0-9]+.*\\)$");
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
                "validate a --kafka-version foo",
                "validate a --kafka-version 4",
                "validate a --clients -1",
                "validate a --clients 0",
                "diff a",
                "export",
                "match a",
                "match --client-id x",
                "match a --client-id x --bootstrap-server b:1",
                "match a --client-id x --instance-id short",
                "list-metrics --client python",
                "match a --client-id x --instance-id 6Vob0uS6RPqrN0FtDYlUiR",
                "match a --client-id x --port 65536",
                "match a --client-id x --port 09",
                "match a --client-id x --port http",
                "match a --client-id x --address db-1.example.com",
                "match a --client-id x --address 10.0.0.256",
                "match a --client-id x --address 010.0.0.1",
                "match a --client-id x --address 10.1",
                "match a --client-id x --address 1:2:3",
                "match a --client-id x --address ::1%",
                "diff {} --bootstrap-server=",
                "validate ''",
                "diff {} --bootstrap-server b:1 --command-config ''"
            })
    void wrongArgumentsEndWithTwo(String arguments) throws Exception {
        String file = write(SOUND);
        String[] all = arguments.isEmpty()
                ? new String[0]
                : arguments.replace("{}", file).split(" ");
        Arrays.setAll(all, i -> all[i].equals("''") ? "" : all[i]);
        if (all.length > 0 && all[0].equals("diff")) {
            all[1] = file;
        }
        Run run = run(all);
        assertThat(run.exitCode).isEqualTo(2);
        assertThat(run.err).contains("Usage: client-metrics");
    }

    @Test
    void aClusterThatCannotBeReachedEndsWithThree() throws Exception {
        Run unknown = run("export", "--bootstrap-server", "no-such-host.invalid:9092");
        assertThat(unknown.exitCode).isEqualTo(3);
        assertThat(unknown.err)
                .startsWith("Cannot reach the cluster at no-such-host.invalid:9092: No resolvable bootstrap urls")
                .hasLineCount(1);
        Run refused = impatiently("", "localhost:1,localhost:2");
        assertThat(refused.exitCode).isEqualTo(3);
        assertThat(refused.err)
                .isEqualTo("Cannot reach the cluster at localhost:1,localhost:2: localhost:1 Connection refused;"
                        + " localhost:2 Connection refused\n");
    }

    @Test
    void aListenerThatSpeaksTlsIsSpokenToInPlaintext() throws Exception {
        try (Listener listener =
                new Listener(SSLContext.getDefault().getServerSocketFactory().createServerSocket(0))) {
            Run run = impatiently("", listener.address());
            assertThat(run.exitCode).isEqualTo(3);
            assertThat(run.err)
                    .contains(listener.address() + " speaks TLS, and security.protocol is PLAINTEXT.")
                    .contains("SSL or SASL_SSL in --command-config is right")
                    .doesNotContain("Usage");
        }
    }

    /** As a broker does: it answers what is no TLS by an alert, which Kafka's client takes for a length of 352 MB. */
    @ParameterizedTest
    @CsvSource({"3,true", "4,false"})
    void aListenerThatAnswersByAnAlertIsToldBeforeAClientIsMade(byte version, boolean tls) throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            Thread alert = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getInputStream().readNBytes(4);
                    socket.getOutputStream().write(new byte[] {0x15, version, 3, 0, 2, 2, 80});
                } catch (IOException e) {
                    // The test ends.
                }
            });
            alert.start();
            String address = "localhost:" + server.getLocalPort();
            assertThat(new ListenerProbe(Duration.ofSeconds(20)).answersInTls(address + ",localhost:1"))
                    .isEqualTo(tls);
        }
    }

    /** The system takes connections for it, and nobody answers them. */
    @Test
    void aListenerThatNeverAnswersIsNotTakenForOneInPlaintext() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            Run run = impatiently("security.protocol=SSL\n", "localhost:" + server.getLocalPort());
            assertThat(run.exitCode).isEqualTo(3);
            assertThat(run.err)
                    .contains("it can be connected to, but no answer came in time")
                    .doesNotContain("does not speak");
        }
    }

    @Test
    void aListenerInPlaintextIsSpokenToInTls() throws Exception {
        try (Listener listener = new Listener(new ServerSocket(0))) {
            Run run = impatiently("security.protocol=SSL\n", listener.address());
            assertThat(run.exitCode).isEqualTo(3);
            assertThat(run.err)
                    .contains(listener.address() + " does not speak TLS, and security.protocol is SSL.")
                    .contains("PLAINTEXT or SASL_PLAINTEXT in --command-config is right");
            Run silent = impatiently("", listener.address());
            assertThat(silent.err)
                    .contains("Cannot reach the cluster at " + listener.address() + ": it can be connected to")
                    .contains("security.protocol is PLAINTEXT; a listener with SASL needs another");
        }
    }

    /** Takes connections, and ends them at the first bytes that it does not understand: every one. */
    private static final class Listener implements AutoCloseable {
        private final ServerSocket server;
        private final Thread thread = new Thread(this::serve, "listener");

        Listener(ServerSocket server) {
            this.server = server;
            thread.start();
        }

        String address() {
            return "localhost:" + server.getLocalPort();
        }

        private void serve() {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    socket.setSoTimeout(5_000);
                    socket.getInputStream().read();
                } catch (IOException e) {
                    // A handshake that failed, or the end.
                }
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private Run impatiently(String settings, String bootstrap) throws Exception {
        Path config =
                Files.writeString(dir.resolve("c"), settings + "default.api.timeout.ms=400\nrequest.timeout.ms=300\n");
        return run("export", "--bootstrap-server", bootstrap, "--command-config", config.toString());
    }

    /** Kafka's client would take the slip silently, and connect in plaintext. */
    @ParameterizedTest
    @CsvSource({
        "securityprotocol, security.protocol",
        "Security.Protocol, security.protocol",
        "sasl.jaas.confg, sasl.jaas.config"
    })
    void aSlipInAKeyIsRefusedWithTheKeyThatWasMeant(String key, String meant) throws Exception {
        Path file = Files.writeString(dir.resolve("c"), key + "=s3cret\n");
        Run run = run("export", "--bootstrap-server", "localhost:1", "--command-config", file.toString());
        assertThat(run.exitCode).isEqualTo(2);
        assertThat(run.err)
                .contains("--command-config " + file + ": unknown key " + key + "; the nearest")
                .contains(" is " + meant)
                .doesNotContain("s3cret", "Usage");
    }

    /** One file for all of an operator's clients. */
    @Test
    void keysOfOtherClientsAndOfClassesThatSettingsNameAreNoSlips() throws Exception {
        Set<String> keys = new TreeSet<>(ProducerConfig.configNames());
        keys.addAll(ConsumerConfig.configNames());
        keys.removeAll(AdminClientConfig.configNames());
        keys.add("my.engine.factory.realm");
        Run run = impatiently(String.join("=1\n", keys) + "=1\n", "localhost:1");
        assertThat(run.exitCode).as(run.err).isEqualTo(3);
    }

    @Test
    void wrongSettingsEndWithTwoAndWithoutUsage() throws Exception {
        Path fifo = dir.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        Path key =
                Files.writeString(dir.resolve("key"), "security.protocol=SSL\nssl.truststore.location=/no/such/file\n");
        Path jaas = Files.writeString(dir.resolve("jaas"), "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n");
        Path number = Files.writeString(dir.resolve("number"), "request.timeout.ms=soon\n");
        Path escape = Files.writeString(dir.resolve("escape"), "a=\\u00g0\n");
        Map<Path, String> expected = Map.of(
                dir.resolve("missing"),
                "there is no such file",
                dir,
                "is a directory",
                key,
                "/no/such/file",
                jaas,
                "JAAS",
                number,
                "request.timeout.ms",
                escape,
                "Malformed");
        expected.forEach((file, message) -> {
            Run run = run("export", "--bootstrap-server", "localhost:1", "--command-config", file.toString());
            assertThat(run.exitCode).as(run.err).isEqualTo(2);
            assertThat(run.err)
                    .contains(message)
                    .doesNotContain("Usage", "\tat ", "Failed to create new", "Failed create new")
                    .hasLineCount(1);
        });
        assertThat(run("validate", fifo.toString()).out)
                .contains("ERROR " + fifo + ": found something that is no regular");
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.7,10.0.0.7",
        "::1,0:0:0:0:0:0:0:1",
        "2001:DB8::7,2001:db8:0:0:0:0:0:7",
        "::ffff:10.0.0.7,10.0.0.7",
        "fe80::1%eth9,fe80:0:0:0:0:0:0:1%eth9"
    })
    void matchTakesAnAddressAsTheBrokerWritesIt(String address, String written) throws Exception {
        String file = write("subscriptions: [{name: a, metrics: [x], match: {client_source_address: no}}]");
        assertThat(run("match", file, "--client-id", "x", "--address", address, "--port", "65535").out)
                .contains("client_source_address is '" + written + "', which");
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
        assertThat(run("validate", "--help").out)
                .containsSubsequence("  --strict ", "  --clients=", "  --kafka-version=", "  --format=");
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
