/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * One Kafka process with its own directory: {@code libs} with the distribution's jars and any more, the data, {@code
 * server.properties} and the logs. Keeps ports and data over stops and starts. Made by {@link KafkaCluster}. Not
 * thread-safe, but {@link #log()} and {@link #standardError()} may be read from any thread.
 */
public final class KafkaNode {
    private static final String CONFIG_EXCEPTION = "ConfigException: ";
    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final String STARTED = "Kafka Server started";
    private static final int LOG_CHARACTERS_SHOWN = 6_000;

    private final int id;
    private final KafkaDistribution distribution;
    private final String clusterId;
    private final Path directory;
    private final Map<String, Integer> listenerPorts;
    private final Integer jmxPort;
    private final List<String> jvmOptions;
    private final Map<String, String> environment;
    private final Map<String, String> properties;
    private boolean formatted;
    private volatile JavaProcess process;

    KafkaNode(
            int id,
            KafkaDistribution distribution,
            String clusterId,
            Path directory,
            Map<String, Integer> listenerPorts,
            Integer jmxPort,
            List<String> jvmOptions,
            Map<String, String> environment,
            Map<String, String> properties) {
        this.id = id;
        this.distribution = distribution;
        this.clusterId = clusterId;
        this.directory = directory;
        this.listenerPorts = listenerPorts;
        this.jmxPort = jmxPort;
        this.jvmOptions = jvmOptions;
        this.environment = environment;
        this.properties = new TreeMap<>(properties);
    }

    void layOut(List<Path> jars) throws IOException {
        Files.createDirectories(libs());
        Files.createDirectories(directory.resolve("tmp"));
        Directories.link(distribution.libs(), libs());
        for (Path jar : jars) {
            Files.copy(jar, libs().resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        for (String file : List.of("log4j.properties", "log4j2.properties")) {
            Files.copy(KafkaNode.class.getResourceAsStream(file), directory.resolve(file));
        }
    }

    /** Returns {@code node.id}. */
    public int id() {
        return id;
    }

    /** Returns the node's directory. */
    public Path directory() {
        return directory;
    }

    /** Returns the directory whose jars are the process' class path. */
    public Path libs() {
        return directory.resolve("libs");
    }

    /** Returns {@code server.properties} as the next start will use it, to be changed at will. */
    public Map<String, String> properties() {
        return properties;
    }

    /**
     * Returns where clients reach this broker.
     *
     * @param listener a listener's name
     * @throws IllegalArgumentException where this node has no such listener
     */
    public String bootstrapServer(String listener) {
        Integer port = listenerPorts.get(listener);
        if (port == null) {
            throw new IllegalArgumentException(
                    "node " + id + " has no listener " + listener + " but " + listenerPorts.keySet());
        }
        return "localhost:" + port;
    }

    /** Returns where JMX is reached, or null where the cluster was made without. */
    public String jmxUrl() {
        return jmxPort == null ? null : "service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmxPort + "/jmxrmi";
    }

    /** Returns what the process wrote to standard output, its log, since its last start. */
    public String log() {
        return process == null ? "" : process.out();
    }

    /** Returns what the process wrote to standard error since its last start. */
    public String standardError() {
        return process == null ? "" : process.err();
    }

    /** Returns the file behind {@link #log()}. */
    public Path logFile() {
        return directory.resolve("kafka.log");
    }

    /** Returns whether the process runs. */
    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /**
     * Returns the process' id.
     *
     * @throws IllegalStateException where it was never started
     */
    public long pid() {
        if (process == null) {
            throw new IllegalStateException("node " + id + " was never started");
        }
        return process.pid();
    }

    /**
     * Formats the storage before the first start, starts the process and waits until Kafka says that it started. The
     * process is gone where this throws.
     *
     * @throws IOException where it ends or does not start within two minutes; the message holds the end of its log
     */
    public void start() throws IOException {
        begin();
        awaitStarted();
    }

    /** The first half of {@link #start()}: does not wait, so that nodes that need each other can start together. */
    void begin() throws IOException {
        if (isAlive()) {
            throw new IllegalStateException("node " + id + " runs already");
        }
        Path file = directory.resolve("server.properties");
        Properties written = new Properties();
        written.putAll(properties);
        // As bytes, so that what is not ASCII is escaped: Kafka reads the file as ISO 8859-1.
        try (OutputStream out = Files.newOutputStream(file)) {
            written.store(out, null);
        }
        if (!formatted) {
            format(file);
            formatted = true;
        }
        process = JavaProcess.start(directory, "kafka", command(file), environment);
    }

    void awaitStarted() throws IOException {
        boolean started = false;
        try {
            started = process.awaitOutput(STARTED, START_TIMEOUT);
            if (!started) {
                String what = process.isAlive()
                        ? " did not start within " + START_TIMEOUT.toSeconds() + " s"
                        : " ended with exit code " + process.exitCode() + " instead of starting";
                throw new IOException("Kafka " + distribution.version() + ", node " + id + what
                        + because(log())
                                .map(reason -> ": " + reason + "\nThe end of its log")
                                .orElse("") + ":\n"
                        + end(log()) + end(standardError()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while node " + id + " started", e);
        } finally {
            if (!started) {
                process.kill();
            }
        }
    }

    /**
     * Asks the process to end, as an operator does, and waits until it has. No effect where it does not run.
     *
     * @throws IOException where it does not end within a minute; it is killed then
     */
    public void stop() throws IOException {
        if (!isAlive()) {
            return;
        }
        try {
            if (!process.stop(STOP_TIMEOUT)) {
                process.kill();
                throw new IOException(
                        "node " + id + " did not end within " + STOP_TIMEOUT.toSeconds() + " s:\n" + end(log()));
            }
        } catch (InterruptedException e) {
            process.kill();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while node " + id + " stopped", e);
        }
    }

    /** Stops the process as an operator does and starts it again with the same data and ports. */
    public void restart() throws IOException {
        stop();
        start();
    }

    /** Ends the process at once, as a crash does. No effect where it does not run. */
    public void kill() {
        if (process != null) {
            process.kill();
        }
    }

    private void format(Path file) throws IOException {
        KafkaDistribution.ToolRun run =
                distribution.run(libs(), "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", file.toString());
        if (run.exitCode() != 0) {
            throw new IOException("cannot format the storage of node " + id + ":\n" + end(run.output()));
        }
    }

    private List<String> command(Path file) {
        List<String> command = new ArrayList<>(List.of(
                JavaProcess.javaCommand(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                // For processes that live for minutes, starting fast matters more than running fast.
                "-XX:TieredStopAtLevel=1",
                // Codecs unpack their native parts there, and a killed process leaves them.
                "-Djava.io.tmpdir=" + directory.resolve("tmp"),
                "-Dlog4j.configuration=" + directory.resolve("log4j.properties").toUri(),
                "-Dlog4j2.configurationFile="
                        + directory.resolve("log4j2.properties").toUri()));
        if (jmxPort != null) {
            command.addAll(List.of(
                    "-Djava.rmi.server.hostname=127.0.0.1",
                    "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                    "-Dcom.sun.management.jmxremote.port=" + jmxPort,
                    "-Dcom.sun.management.jmxremote.rmi.port=" + jmxPort,
                    "-Dcom.sun.management.jmxremote.authenticate=false",
                    "-Dcom.sun.management.jmxremote.ssl=false"));
        }
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", libs().resolve("*").toString(), "kafka.Kafka", file.toString()));
        return command;
    }

    /** What Kafka says of a wrong setting, which would be lost in the stack traces behind it. */
    private static Optional<String> because(String log) {
        int name = log.indexOf(CONFIG_EXCEPTION);
        if (name < 0) {
            return Optional.empty();
        }
        int start = name + CONFIG_EXCEPTION.length();
        int end = log.indexOf('\n', start);
        return Optional.of(log.substring(start, end < 0 ? log.length() : end));
    }

    private static String end(String text) {
        return text.substring(Math.max(0, text.length() - LOG_CHARACTERS_SHOWN));
    }
}
