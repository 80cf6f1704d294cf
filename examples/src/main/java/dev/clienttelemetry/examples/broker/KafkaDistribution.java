/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
    private static final int OUTPUT_LINES_SHOWN = 30;

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
        Path kept = kept();
        Files.createDirectories(kept);
        Path directory = kept.resolve(version.toString());
        String pom = pom();
        // The file lock is for other processes; within one process a second lock is an error instead of a wait.
        synchronized (KafkaDistribution.class) {
            try (FileChannel channel = FileChannel.open(
                    kept.resolve(version + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.lock();
                if (!isLaidOut(directory, pom)) {
                    layOut(version, kept.resolve(version + ".partial"), directory, pom, downloaded);
                }
            }
        }
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
        Path output = Files.createTempFile("kafka-tool", ".log");
        try {
            List<String> command = new ArrayList<>(List.of(
                    JavaProcess.javaCommand(),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    libs().resolve("*").toString(),
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

    private static Path kept() {
        String configured = System.getProperty(DIRECTORY_PROPERTY);
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        try {
            Path classes = Path.of(KafkaDistribution.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return classes.resolveSibling("kafka");
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the examples' own place is no file", e);
        }
    }

    private static String pom() throws IOException {
        try (InputStream in = KafkaDistribution.class.getResourceAsStream(POM)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The POM it was laid out with comes last into its directory, so that it also says that nothing is missing. */
    private static boolean isLaidOut(Path directory, String pom) throws IOException {
        Path marker = directory.resolve(POM);
        return Files.exists(marker) && Files.readString(marker).equals(pom);
    }

    private static void layOut(
            KafkaVersion version, Path partial, Path directory, String pom, Consumer<String> downloaded)
            throws IOException {
        Directories.delete(partial);
        Directories.delete(directory);
        Files.createDirectories(partial);
        Files.writeString(partial.resolve(POM), pom);
        copyDependencies(version, partial, downloaded);
        Files.move(partial, directory, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void copyDependencies(KafkaVersion version, Path into, Consumer<String> downloaded)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty(MAVEN_PROPERTY, "mvn"),
                "-B",
                "-f",
                into.resolve(POM).toString(),
                "-P",
                "kafka-" + version.major(),
                "-Dkafka.version=" + version,
                "-DoutputDirectory=" + into.resolve("libs")));
        String settings = System.getProperty(SETTINGS_PROPERTY, "").replaceFirst("^file:", "");
        if (Files.isRegularFile(Path.of(settings))) {
            command.add("-s");
            command.add(settings);
        }
        String localRepository = System.getProperty(LOCAL_REPOSITORY_PROPERTY);
        if (localRepository != null) {
            command.add("-Dmaven.repo.local=" + localRepository);
        }
        command.add("dependency:copy-dependencies");
        Process maven;
        try {
            maven = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException("cannot start Maven, which fetches Kafka " + version + ": " + e.getMessage(), e);
        }
        Deque<String> end = new ArrayDeque<>();
        try {
            maven.getOutputStream().close();
            follow(maven, end, downloaded);
            if (maven.waitFor() != 0) {
                throw new IOException("Maven could not fetch Kafka " + version + ":\n" + String.join("\n", end));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Maven fetched Kafka " + version, e);
        } finally {
            maven.destroy();
        }
    }

    private static void follow(Process maven, Deque<String> end, Consumer<String> downloaded) throws IOException {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(maven.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                String artifact = downloadedArtifact(line);
                if (artifact != null) {
                    downloaded.accept(artifact);
                } else if (line.startsWith("[ERROR]")) {
                    end.addLast(line);
                    if (end.size() > OUTPUT_LINES_SHOWN) {
                        end.removeFirst();
                    }
                }
            }
        }
    }

    /** Maven writes {@code Downloaded from REPOSITORY: URL (SIZE at SPEED)}, with the level before it or not. */
    private static String downloadedArtifact(String line) {
        int start = line.indexOf("Downloaded from ");
        if (start < 0 || !line.contains(".jar")) {
            return null;
        }
        int end = line.indexOf(".jar") + ".jar".length();
        return line.substring(line.lastIndexOf('/', end) + 1, end);
    }
}
