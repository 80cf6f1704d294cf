/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM of its own. Its two outputs go to files, each start anew. */
final class JavaProcess {
    private static final long POLL_MILLIS = 50;

    private final Process process;
    private final Path out;
    private final Path err;

    private JavaProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static String javaCommand() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    static JavaProcess start(Path directory, String name, List<String> command, Map<String, String> environment)
            throws IOException {
        Path out = directory.resolve(name + ".log");
        Path err = directory.resolve(name + ".stderr");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        // What is meant for an OpenTelemetry agent of this user is not meant for this broker.
        builder.environment().keySet().removeIf(variable -> variable.startsWith("OTEL_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        return new JavaProcess(process, out, err);
    }

    String out() {
        return Directories.text(out);
    }

    String err() {
        return Directories.text(err);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitCode() {
        return process.exitValue();
    }

    /** Waits until the process has written a text, has ended, or the time is up; returns whether it wrote it. */
    boolean awaitOutput(String text, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!out().contains(text)) {
            boolean ended = process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
            if (ended || System.nanoTime() - deadline > 0) {
                return out().contains(text);
            }
        }
        return true;
    }

    /** Asks the process to end; returns whether it did in time. */
    boolean stop(Duration timeout) throws InterruptedException {
        process.destroy();
        return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends the process at once and returns when it is gone. */
    void kill() {
        boolean interrupted = false;
        process.destroyForcibly();
        while (process.isAlive()) {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
