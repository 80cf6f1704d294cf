/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A released Kafka on this machine: a directory with the jars of {@code kafka_2.13}, {@code kafka-tools}, all they
 * need and a logging backend, as Maven resolves them with the user's own settings. Immutable.
 *
 * <p>Laid out once per version and kept: in {@code target/kafka} of the examples, or in the directory that the system
 * property {@value #DIRECTORY_PROPERTY} names. Safe to use from several threads and processes at once.
 */
public final class KafkaDistribution {
    /** System property: the directory that keeps distributions. */
    public static final String DIRECTORY_PROPERTY = "kafka.distributions";

    /** System property: the command that starts Maven, by default {@code mvn}. */
    public static final String MAVEN_PROPERTY = "maven.command";

    /**
     * System property: the settings file for Maven, {@code file:} before it or not; by default, and where there is no
     * such file, Maven's own choice.
     */
    public static final String SETTINGS_PROPERTY = "maven.settings";

    /** System property: the local repository for Maven; by default Maven's own choice. */
    public static final String LOCAL_REPOSITORY_PROPERTY = "maven.repo.local";

    private static final String POM = "pom.xml";

    private final KafkaVersion version;
    private final Path directory;

    private KafkaDistribution(KafkaVersion version, Path directory) {
        this.version = version;
        this.directory = directory;
    }

    /**
     * Returns a version, laid out now if it is not there yet.
     *
     * @param version for example {@code 4.4.0}
     * @throws IOException where it cannot be laid out; the message holds the end of what Maven said
     */
    public static KafkaDistribution of(String version) throws IOException {
        return of(KafkaVersion.of(version), artifact -> {});
    }

    /**
     * Returns a version, laid out now if it is not there yet.
     *
     * @param version which
     * @param downloaded told the file name of each artifact that has to be downloaded, on this thread
     * @throws IOException where it cannot be laid out; the message holds the end of what Maven said
     */
    public static KafkaDistribution of(KafkaVersion version, Consumer<String> downloaded) throws IOException {
        Path directory = MavenArtifacts.layOut(
                version.toString(),
                pom(),
                "Kafka " + version,
                List.of("-P", "kafka-" + version.major(), "-Dkafka.version=" + version),
                downloaded);
        return new KafkaDistribution(version, directory);
    }

    /** Returns the version. */
    public KafkaVersion version() {
        return version;
    }

    /** Returns the directory with the jars. */
    public Path libs() {
        return directory.resolve("libs");
    }

    /**
     * Runs one of Kafka's command line tools to its end.
     *
     * @param mainClass for example {@code org.apache.kafka.tools.ClientMetricsCommand}
     * @param arguments its arguments
     * @return its exit code and all that it wrote
     * @throws IOException where it cannot be started or does not end within two minutes
     */
    public ToolRun run(String mainClass, String... arguments) throws IOException {
        return run(libs(), mainClass, arguments);
    }

    /** Runs a tool like {@link #run(String, String...)}, with the jars of a node: it may load classes of the node's. */
    ToolRun run(Path libs, String mainClass, String... arguments) throws IOException {
        Path output = Files.createTempFile("kafka-tool", ".log");
        try {
            List<String> command = new ArrayList<>(List.of(
                    JavaProcess.javaCommand(),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    libs.resolve("*").toString(),
                    mainClass));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                if (!process.waitFor(2, TimeUnit.MINUTES)) {
                    throw new IOException(mainClass + " did not end within two minutes: " + Files.readString(output));
                }
            } finally {
                process.destroyForcibly();
            }
            return new ToolRun(process.exitValue(), Files.readString(output));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + mainClass + " ran", e);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /**
     * How a tool ended.
     *
     * @param exitCode its exit code
     * @param output what it wrote to standard output and standard error
     */
    public record ToolRun(int exitCode, String output) {}

    private static String pom() throws IOException {
        try (InputStream in = KafkaDistribution.class.getResourceAsStream(POM)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
