/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.proxy;

import dev.clienttelemetry.examples.broker.JavaProcess;
import dev.clienttelemetry.examples.broker.MavenArtifacts;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A Kroxylicious proxy in its own process. {@link #close()} ends it; so does the end of this JVM. Not thread-safe. */
public final class KroxyliciousProxy implements AutoCloseable {
    /** The version that is run: the newest whose runtime is on Maven Central with all that it needs. */
    public static final String VERSION = "0.12.0";

    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
    private static final int LOG_CHARACTERS_SHOWN = 6_000;

    private final JavaProcess process;
    private final Thread atExit;

    private KroxyliciousProxy(JavaProcess process) {
        this.process = process;
        this.atExit = new Thread(process::kill, "proxy-cleanup");
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * Starts a proxy and returns when clients can connect.
     *
     * @param directory where its configuration and its logs go
     * @param configuration the text of its configuration file
     * @param filters jars to put on its class path
     * @param jvmOptions options for its JVM
     * @param downloaded told the file name of each artifact that has to be downloaded first, on this thread
     * @throws IOException where it does not start; the message holds the end of its log
     */
    public static KroxyliciousProxy start(
            Path directory,
            String configuration,
            List<Path> filters,
            List<String> jvmOptions,
            Consumer<String> downloaded)
            throws IOException {
        Path libs = MavenArtifacts.layOut(
                        "kroxylicious-" + VERSION,
                        pom(),
                        "Kroxylicious " + VERSION,
                        List.of("-Dkroxylicious.version=" + VERSION),
                        downloaded)
                .resolve("libs");
        Path file = directory.resolve("proxy.yaml");
        Files.writeString(file, configuration);
        Path logging = directory.resolve("log4j2-proxy.properties");
        Files.writeString(logging, resource("log4j2-proxy.properties"));
        List<String> classPath = new ArrayList<>();
        filters.forEach(filter -> classPath.add(filter.toString()));
        classPath.add(libs.resolve("*").toString());
        classPath.add(launcher());
        List<String> command = new ArrayList<>(List.of(
                JavaProcess.javaCommand(), "-XX:+UseSerialGC", "-Dlog4j2.configurationFile=" + logging.toUri()));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), ProxyMain.class.getName()));
        command.add(file.toString());
        KroxyliciousProxy proxy = new KroxyliciousProxy(JavaProcess.start(directory, "proxy", command, Map.of()));
        boolean started = false;
        try {
            started = proxy.process.awaitOutput(ProxyMain.STARTED, START_TIMEOUT);
            if (!started) {
                throw new IOException("the proxy did not start within " + START_TIMEOUT.toSeconds() + " s:\n"
                        + end(proxy.process.out()) + end(proxy.process.err()));
            }
            return proxy;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the proxy started", e);
        } finally {
            if (!started) {
                proxy.close();
            }
        }
    }

    /** Returns what the proxy has written so far: its log, then its standard error. */
    public String log() {
        return process.out() + process.err();
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the process runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Asks the proxy to end, and ends it where it does not in time. */
    @Override
    public void close() {
        try {
            process.stop(STOP_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.kill();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM ends already, and the process has.
            return;
        }
    }

    private static String launcher() {
        try {
            return Path.of(ProxyMain.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the examples' own place is no file", e);
        }
    }

    private static String pom() throws IOException {
        return resource("pom.xml");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = KroxyliciousProxy.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String end(String text) {
        return text.substring(Math.max(0, text.length() - LOG_CHARACTERS_SHOWN));
    }
}
