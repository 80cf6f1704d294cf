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
public final class JavaProcess {
    private static final long POLL_MILLIS = 50;

    private final Process process;
    private final Path out;
    private final Path err;

    private JavaProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Returns the command that runs Java as this JVM does. */
    public static String javaCommand() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * Starts a process.
     *
     * @param directory its working directory, and that of its outputs
     * @param name names the files of its outputs
     * @param command the command
     * @param environment added to this process' environment, without the variables for OpenTelemetry
     * @throws IOException where it cannot be started
     */
    public static JavaProcess start(Path directory, String name, List<String> command, Map<String, String> environment)
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

    /** Returns what it has written to standard output. */
    public String out() {
        return Directories.text(out);
    }

    /** Returns what it has written to standard error. */
    public String err() {
        return Directories.text(err);
    }

    /** Returns its process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether it runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns its exit code, once it has ended. */
    public int exitCode() {
        return process.exitValue();
    }

    /** Waits until the process has written a text, has ended, or the time is up; returns whether it wrote it. */
    public boolean awaitOutput(String text, Duration timeout) throws InterruptedException {
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
    public boolean stop(Duration timeout) throws InterruptedException {
        process.destroy();
        return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends the process at once and returns when it is gone. */
    public void kill() {
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
