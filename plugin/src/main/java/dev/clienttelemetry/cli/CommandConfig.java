/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Causes;
import dev.clienttelemetry.message.Quoted;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The file that {@code --command-config} names: a properties file, or a pipe such as a shell's {@code <(...)}, so that
 * secrets need not lie on a disk.
 */
final class CommandConfig {
    private static final int MAX_BYTES = 1 << 20;

    private final Path file;
    private final Duration patience;
    private final String name;

    /**
     * Names the file; it is not looked at yet.
     *
     * @param file the file
     * @param patience how long a pipe may take to end
     */
    CommandConfig(Path file, Duration patience) {
        this.file = file;
        this.patience = patience;
        this.name = "--command-config " + Quoted.text(file.toString());
    }

    /**
     * Reads the settings; a pipe can be read once only.
     *
     * @throws SettingsException if that cannot be done, saying why
     */
    Map<String, String> read() {
        if (!Files.exists(file)) {
            throw new SettingsException(name + ": there is no such file");
        }
        if (Files.isDirectory(file)) {
            throw new SettingsException(
                    name + " is a directory; a properties file with the Admin client's settings is right");
        }
        Properties properties = new Properties();
        try {
            byte[] bytes = Files.isRegularFile(file) ? bytes() : bytesOfPipe();
            if (bytes.length > MAX_BYTES) {
                throw new SettingsException(name + " has more than " + MAX_BYTES + " bytes");
            }
            properties.load(new StringReader(new String(bytes, StandardCharsets.UTF_8)));
        } catch (AccessDeniedException e) {
            throw new SettingsException(name + " may not be read");
        } catch (IOException | IllegalArgumentException e) {
            throw new SettingsException(name + " cannot be read: " + Causes.text(e));
        }
        Map<String, String> settings = new HashMap<>();
        properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));
        return settings;
    }

    private byte[] bytes() throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(MAX_BYTES + 1);
        }
    }

    /** On a thread of its own: to open a pipe that nobody writes to already waits for ever, and cannot be interrupted. */
    private byte[] bytesOfPipe() throws IOException {
        FutureTask<byte[]> reading = new FutureTask<>(this::bytes);
        Thread thread = new Thread(reading, "command-config");
        thread.setDaemon(true);
        thread.start();
        try {
            return reading.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new SettingsException(name + " is no regular file, and did not end within " + patience.toMillis()
                    + " ms; what writes to it must close it");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IOException(e.getCause());
        }
    }
}
