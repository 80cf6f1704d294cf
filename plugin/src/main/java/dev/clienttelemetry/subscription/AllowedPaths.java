/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.config.ConfigException;

/** The paths that a provider may read, as Kafka's own file providers understand {@code allowed.paths}. */
final class AllowedPaths {
    static final String CONFIG = "allowed.paths";

    /** No restriction. */
    static final AllowedPaths ALL = new AllowedPaths(null);

    private final List<Path> allowed;

    private AllowedPaths(List<Path> allowed) {
        this.allowed = allowed;
    }

    /**
     * Reads the setting.
     *
     * @param value comma-separated paths; null or empty allows every path
     * @throws ConfigException if a path is not absolute or does not exist
     */
    static AllowedPaths of(String value) {
        if (value == null || value.isEmpty()) {
            return ALL;
        }
        List<Path> allowed = new ArrayList<>();
        for (String text : value.split(",")) {
            Path path = Path.of(text).normalize();
            if (!path.isAbsolute()) {
                throw wrong(value, "Path " + path + " is not absolute");
            }
            if (!Files.exists(path)) {
                throw wrong(value, "Path " + path + " does not exist");
            }
            try {
                allowed.add(path.toRealPath());
            } catch (IOException e) {
                throw wrong(value, "Path " + path + " cannot be resolved: " + e);
            }
        }
        return new AllowedPaths(List.copyOf(allowed));
    }

    private static ConfigException wrong(String value, String reason) {
        return new ConfigException(ClientMetricsConfigProvider.PARAM_PREFIX + CONFIG, value, reason);
    }

    /** Returns the path to read, symbolic links resolved where paths are restricted; null where it is not allowed. */
    Path resolve(String path) {
        Path asked = Path.of(path);
        if (allowed == null) {
            return asked;
        }
        try {
            Path real = asked.toRealPath();
            return isWithin(real) ? real : null;
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns the file that a link in a directory leads to, itself where it is none; null where that is not allowed.
     *
     * @param file an entry of a directory that may be read
     * @throws IOException if it leads nowhere
     */
    Path resolveEntry(Path file) throws IOException {
        if (allowed == null) {
            return file;
        }
        Path real = file.toRealPath();
        return isWithin(real) ? real : null;
    }

    private boolean isWithin(Path real) {
        return allowed.stream().anyMatch(real::startsWith);
    }
}
