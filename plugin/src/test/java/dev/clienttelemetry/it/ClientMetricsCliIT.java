/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.cli.SubscriptionsPage;
import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script with the packaged jar, on the jars of several versions of Kafka and against brokers of these. */
class ClientMetricsCliIT {
    private static final Path SCRIPT =
            Path.of("src/main/dist/bin/client-metrics").toAbsolutePath();

    @TempDir
    private Path dir;

    private record Run(int exitCode, String out, String err) {}

    @ParameterizedTest
    @ValueSource(strings = {"3.7.2", "4.4.0"})
    void theExamplesOfTheDocumentationDoWhatItSays(String version) throws Exception {
        KafkaDistribution kafka = KafkaDistribution.of(version);
        try (KafkaCluster cluster = KafkaCluster.builder(kafka).start()) {
            SubscriptionsPage.write(dir);
            for (SubscriptionsPage.Command command : SubscriptionsPage.commands()) {
                if (!command.needsCluster()) {
                    continue;
                }
                List<String> arguments = new ArrayList<>(command.arguments());
                arguments.replaceAll(
                        argument -> argument.equals("localhost:9092") ? cluster.bootstrapServers() : argument);
                Run run = run(kafka, arguments.toArray(String[]::new));
                assertThat(run.out).as("%s, %s", command, run.err).isEqualTo(command.output());
                assertThat(run.err).as("nothing but what the command says").isEmpty();
            }
            exitsAsDocumented(kafka, cluster);
        }
    }

    private void exitsAsDocumented(KafkaDistribution kafka, KafkaCluster cluster) throws Exception {
        String bootstrap = cluster.bootstrapServers();
        assertThat(run(kafka, "diff", "client-metrics.yaml", "--bootstrap-server", bootstrap).exitCode)
                .isZero();
        Files.writeString(
                dir.resolve("other.yaml"),
                "subscriptions: [{name: consumer-lag, metrics: [org.apache.kafka.consumer.],"
                        + " match: {client_software_name: apache-kafka-java}}]");
        Run diff = run(kafka, "diff", "other.yaml", "--prune", "--format", "json", "--bootstrap-server", bootstrap);
        assertThat(diff.exitCode).isEqualTo(1);
        assertThat(diff.out).contains("\"change\": \"delete\"", "\"equal\": false");
        Run dry = run(kafka, "apply", "other.yaml", "--prune", "--dry-run", "--bootstrap-server", bootstrap);
        assertThat(dry.exitCode).isZero();
        assertThat(dry.out).contains("- billing-producers", "Nothing is changed");
        Run apply = run(kafka, "apply", "other.yaml", "--prune", "--bootstrap-server", bootstrap);
        assertThat(apply.exitCode).as(apply.err).isZero();
        assertThat(apply.out).contains("- billing-producers", "2 subscriptions changed");

        Run exported = run(kafka, "export", "--bootstrap-server", bootstrap);
        assertThat(exported.exitCode).isZero();
        Files.writeString(dir.resolve("exported.yaml"), exported.out);
        assertThat(run(kafka, "diff", "exported.yaml", "--prune", "--bootstrap-server", bootstrap).exitCode)
                .isZero();

        Run match = run(
                kafka,
                "match",
                "--bootstrap-server",
                bootstrap,
                "--client-id",
                "x",
                "--software-name",
                "apache-kafka-java",
                "--instance-id",
                "6Vob0uS6RPqrN0FtDYlUiQ");
        assertThat(match.exitCode).isZero();
        assertThat(match.out).contains("consumer-lag: matches").doesNotContain("SubscriptionId");
        assertThat(run(kafka, "export").exitCode).isEqualTo(2);
        String controller =
                cluster.node(1).properties().get("controller.quorum.voters").replace("1@", "");
        assertThat(failure(kafka, controller, ""))
                .startsWith("The cluster has no client metrics subscriptions, ")
                .contains("; or " + controller + " is a controller's listener, and only a broker's answers (")
                .hasLineCount(1);
        Files.writeString(dir.resolve("impatient"), "default.api.timeout.ms=1500\nrequest.timeout.ms=1000\n");
        assertThat(run(kafka, "export", "--bootstrap-server", "localhost:1", "--command-config", "impatient").exitCode)
                .isEqualTo(3);
    }

    /** 12,000 records, more than the controller takes at once. */
    @Test
    void appliesAndPrunesMoreThanTheControllerTakesAtOnce() throws Exception {
        StringBuilder yaml = new StringBuilder("subscriptions:\n");
        for (int i = 0; i < 4_000; i++) {
            yaml.append("  - {name: s").append(i).append(", metrics: [org.apache.kafka.producer.], interval: 60s,");
            yaml.append(" match: {client_software_name: apache-kafka-java}}\n");
        }
        Files.writeString(dir.resolve("many.yaml"), yaml);
        Files.writeString(dir.resolve("none.yaml"), "subscriptions: []\n");
        KafkaDistribution kafka = KafkaDistribution.of("4.4.0");
        try (KafkaCluster cluster = KafkaCluster.builder(kafka).start()) {
            String bootstrap = cluster.bootstrapServers();
            Run apply = run(kafka, "apply", "many.yaml", "--bootstrap-server", bootstrap);
            assertThat(apply.out).as(apply.err).endsWith("4000 subscriptions changed\n");
            assertThat(apply.exitCode).isZero();
            assertThat(run(kafka, "diff", "many.yaml", "--bootstrap-server", bootstrap).exitCode)
                    .isZero();
            Run prune = run(kafka, "apply", "none.yaml", "--prune", "--bootstrap-server", bootstrap);
            assertThat(prune.out).as(prune.err).endsWith("4000 subscriptions changed\n");
        }
    }

    @Test
    void saysWhyAListenerCannotBeUsed() throws Exception {
        String login = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\""
                + " password=\"%s-secret\";";
        Path keys = keyStore();
        KafkaDistribution kafka = KafkaDistribution.of("4.4.0");
        try (KafkaCluster cluster = KafkaCluster.builder(kafka)
                .listener("PLAINTEXT", "PLAINTEXT")
                .listener("SECURE", "SASL_PLAINTEXT")
                .listener("TLS", "SSL")
                .property("listener.name.secure.sasl.enabled.mechanisms", "PLAIN")
                .property(
                        "listener.name.secure.plain.sasl.jaas.config",
                        String.format(login, "admin", "admin").replace(";", " user_guest=\"guest-secret\";"))
                .property("listener.name.tls.ssl.keystore.location", keys.toString())
                .property("listener.name.tls.ssl.keystore.password", "secret")
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("super.users", "User:ANONYMOUS")
                .start()) {
            String plain = cluster.bootstrapServers("PLAINTEXT");
            String sasl = cluster.bootstrapServers("SECURE");
            String tls = cluster.bootstrapServers("TLS");
            String guest = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config="
                    + String.format(login, "guest", "guest");

            assertThat(failure(kafka, tls, "")).contains(tls + " speaks TLS, and security.protocol is PLAINTEXT");
            assertThat(failure(kafka, plain, "security.protocol=SSL"))
                    .contains(plain + " does not speak TLS, and security.protocol is SSL");
            assertThat(failure(kafka, tls, "security.protocol=SSL"))
                    .contains("The TLS handshake with " + tls + " failed: ", "unable to find valid certification path");
            assertThat(failure(kafka, sasl, "")).contains("a listener with SASL needs another in --command-config");
            assertThat(failure(kafka, sasl, guest.replace("guest-secret", "wrong")))
                    .contains("Authentication failed at " + sasl + ": ", "Invalid username or password")
                    .doesNotContain("\"wrong\"");
            assertThat(failure(
                            kafka,
                            sasl,
                            guest.replace("mechanism=PLAIN", "mechanism=SCRAM-SHA-256")
                                    .replace("plain.PlainLogin", "scram.ScramLogin")))
                    .contains("Authentication failed at " + sasl + ": ", "SCRAM-SHA-256");
            assertThat(failure(kafka, sasl, guest))
                    .contains("The cluster does not allow it", "DESCRIBE_CONFIGS", "ALTER_CONFIGS");
            Files.writeString(
                    dir.resolve("right"),
                    "security.protocol=SSL\nssl.truststore.location=" + keys + "\nssl.truststore.password=secret\n");
            assertThat(run(kafka, "export", "--bootstrap-server", tls, "--command-config", "right").out)
                    .isEqualTo("subscriptions: []\n");
            Run piped = start(
                    Path.of("/bin/bash"),
                    Map.of("KAFKA_HOME", kafka.libs().getParent().toString()),
                    "-c",
                    "\"$0\" export --bootstrap-server \"$1\" --command-config <(cat right)",
                    SCRIPT.toString(),
                    tls);
            assertThat(piped.out).as(piped.err).isEqualTo("subscriptions: []\n");
        }
    }

    private String failure(KafkaDistribution kafka, String bootstrap, String settings) throws Exception {
        Files.writeString(dir.resolve("settings"), settings);
        Run run = run(kafka, "export", "--bootstrap-server", bootstrap, "--command-config", "settings");
        assertThat(run.exitCode).as(run.err).isEqualTo(3);
        assertThat(run.out).isEmpty();
        assertThat(run.err).doesNotContain("\tat ", "Usage: ");
        return run.err;
    }

    private Path keyStore() throws Exception {
        Path keys = dir.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "broker",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret",
                        "-keystore",
                        keys.toString())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("keytool.log").toFile())
                .start();
        assertThat(keytool.waitFor())
                .as(Files.readString(dir.resolve("keytool.log")))
                .isZero();
        return keys;
    }

    @Test
    void theScriptSaysWhatItMisses() throws Exception {
        Run run = start(Map.of("KAFKA_HOME", dir.toString()), "--version");
        assertThat(run.exitCode).isEqualTo(2);
        assertThat(run.err).contains("KAFKA_HOME is '" + dir + "', but there is no libs/kafka-clients-*.jar in it");
        assertThat(start(Map.of(), "--version").err).contains("KAFKA_HOME is not set");

        String home = KafkaDistribution.of("4.4.0").libs().getParent().toString();
        Run noJava = start(Map.of("KAFKA_HOME", home, "JAVA_HOME", dir.toString()), "--version");
        assertThat(noJava.exitCode).isEqualTo(2);
        assertThat(noJava.err).contains("JAVA_HOME is '" + dir + "', but there is no bin/java in it");
    }

    @Test
    void theScriptFindsTheJarBesideItAndThroughALink() throws Exception {
        Path bin = Files.createDirectory(dir.resolve("tools"));
        Path copy = Files.copy(SCRIPT, bin.resolve("client-metrics"), StandardCopyOption.COPY_ATTRIBUTES);
        String home = KafkaDistribution.of("4.4.0").libs().getParent().toString();
        Run without = start(copy, Map.of("KAFKA_HOME", home), "--version");
        assertThat(without.err).contains("neither beside this script nor in");
        Files.copy(
                BrokerWithPlugin.pluginJar(),
                bin.resolve(BrokerWithPlugin.pluginJar().getFileName()));
        Path link = Files.createSymbolicLink(dir.resolve("linked"), Path.of("tools/client-metrics"));
        Run run = start(link, Map.of("KAFKA_HOME", home), "--version");
        assertThat(run.out).as(run.err).startsWith("client-metrics 0.");
    }

    private Run run(KafkaDistribution kafka, String... arguments) throws Exception {
        return start(Map.of("KAFKA_HOME", kafka.libs().getParent().toString()), arguments);
    }

    private Run start(Map<String, String> environment, String... arguments) throws Exception {
        return start(SCRIPT, environment, arguments);
    }

    private Run start(Path script, Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile());
        builder.environment().remove("KAFKA_HOME");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        Path out = Files.createTempFile("cli", ".out");
        Path err = Files.createTempFile("cli", ".err");
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                throw new IOException(command + " does not end");
            }
            return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            process.destroyForcibly();
            Files.delete(out);
            Files.delete(err);
        }
    }
}
