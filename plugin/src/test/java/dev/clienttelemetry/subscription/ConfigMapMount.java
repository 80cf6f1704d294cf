/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/** A directory laid out and changed as the kubelet does it for a ConfigMap or Secret. */
final class ConfigMapMount {
    private final Path directory;
    private int versions;

    ConfigMapMount(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    /** Makes these the files: a new directory, the link {@code ..data} changed as one, then the links to the files. */
    void publish(Map<String, String> files) throws IOException {
        Path data = directory.resolve("..data");
        Path before = Files.isSymbolicLink(data) ? directory.resolve(Files.readSymbolicLink(data)) : null;
        Path version = Files.createDirectory(directory.resolve("..2026_01_01_00_00_00." + ++versions));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(version.resolve(file.getKey()), file.getValue());
        }
        Path next = Files.createSymbolicLink(directory.resolve("..data_tmp"), version.getFileName());
        Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
        for (String name : files.keySet()) {
            Path link = directory.resolve(name);
            if (!Files.isSymbolicLink(link)) {
                Files.createSymbolicLink(link, Path.of("..data", name));
            }
        }
        try (DirectoryStream<Path> links = Files.newDirectoryStream(
                directory, path -> !path.getFileName().toString().startsWith(".."))) {
            for (Path link : links) {
                if (!files.containsKey(link.getFileName().toString())) {
                    Files.delete(link);
                }
            }
        }
        if (before != null) {
            delete(before);
        }
    }

    private static void delete(Path version) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(version)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(version);
    }
}
