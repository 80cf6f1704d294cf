/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/** What is done to whole directories. */
final class Directories {
    private Directories() {}

    /** Deletes a directory with all that is in it, following no link; one that is not there is fine. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                // A broker that is still ending renames and removes files of its own.
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException e) throws IOException {
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Puts the files of one directory into another, as links where the file system has them. */
    static void link(Path from, Path into) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(from)) {
            files = listed.toList();
        }
        for (Path file : files) {
            Path target = into.resolve(file.getFileName());
            try {
                Files.createSymbolicLink(target, file.toAbsolutePath());
            } catch (UnsupportedOperationException | IOException e) {
                Files.copy(file, target);
            }
        }
    }

    /** Reads a file that another process writes, maybe half of its last character; empty before it exists. */
    static String text(Path file) {
        try {
            return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
