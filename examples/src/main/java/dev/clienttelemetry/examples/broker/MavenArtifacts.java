/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.BufferedReader;
import java.io.IOException;
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
import java.util.function.Consumer;

/**
 * Lays out the jars that a POM's dependencies come to, as Maven resolves them with the user's own settings: once, and
 * kept. {@link KafkaDistribution} names the system properties that say how and where.
 */
public final class MavenArtifacts {
    private static final String POM = "pom.xml";

    /** One for all names, so that a version that does not exist leaves none of its own behind. */
    private static final String LOCK = "layout.lock";

    private static final int OUTPUT_LINES_SHOWN = 30;

    private MavenArtifacts() {}

    /**
     * Returns the directory of what was laid out, after laying it out if it is not there yet. Safe to use from several
     * threads and processes at once.
     *
     * @param name the directory's name, which tells this from all else that is kept
     * @param pom the text of the POM
     * @param what what it is, for messages
     * @param mavenArguments arguments for Maven besides the goal
     * @param downloaded told the file name of each artifact that has to be downloaded, on this thread
     * @return the directory, with the jars in {@code libs}
     * @throws IOException where it cannot be laid out; the message holds the end of what Maven said
     */
    public static Path layOut(
            String name, String pom, String what, List<String> mavenArguments, Consumer<String> downloaded)
            throws IOException {
        Path kept = kept();
        Files.createDirectories(kept);
        Path directory = kept.resolve(name);
        // The file lock is for other processes; within one process a second lock is an error instead of a wait.
        synchronized (MavenArtifacts.class) {
            try (FileChannel channel =
                    FileChannel.open(kept.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.lock();
                if (!isLaidOut(directory, pom)) {
                    layOut(kept.resolve(name + ".partial"), directory, pom, what, mavenArguments, downloaded);
                }
            }
        }
        return directory;
    }

    private static Path kept() {
        String configured = System.getProperty(KafkaDistribution.DIRECTORY_PROPERTY);
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        try {
            Path classes = Path.of(MavenArtifacts.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return classes.resolveSibling("kafka");
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the examples' own place is no file", e);
        }
    }

    /** The POM it was laid out with comes last into its directory, so that it also says that nothing is missing. */
    private static boolean isLaidOut(Path directory, String pom) throws IOException {
        Path marker = directory.resolve(POM);
        return Files.exists(marker) && Files.readString(marker).equals(pom);
    }

    private static void layOut(
            Path partial,
            Path directory,
            String pom,
            String what,
            List<String> mavenArguments,
            Consumer<String> downloaded)
            throws IOException {
        Directories.delete(partial);
        Directories.delete(directory);
        Files.createDirectories(partial);
        try {
            Files.writeString(partial.resolve(POM), pom);
            copyDependencies(partial, what, mavenArguments, downloaded);
            Files.move(partial, directory, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Directories.delete(partial);
        }
    }

    private static void copyDependencies(
            Path into, String what, List<String> mavenArguments, Consumer<String> downloaded) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty(KafkaDistribution.MAVEN_PROPERTY, "mvn"),
                "-B",
                "-f",
                into.resolve(POM).toString(),
                "-DoutputDirectory=" + into.resolve("libs")));
        command.addAll(mavenArguments);
        String settings =
                System.getProperty(KafkaDistribution.SETTINGS_PROPERTY, "").replaceFirst("^file:", "");
        if (Files.isRegularFile(Path.of(settings))) {
            command.add("-s");
            command.add(settings);
        }
        String localRepository = System.getProperty(KafkaDistribution.LOCAL_REPOSITORY_PROPERTY);
        if (localRepository != null) {
            command.add("-Dmaven.repo.local=" + localRepository);
        }
        command.add("dependency:copy-dependencies");
        Process maven;
        try {
            maven = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException("cannot start Maven, which fetches " + what + ": " + e.getMessage(), e);
        }
        try {
            maven.getOutputStream().close();
            String said = follow(maven, downloaded);
            if (maven.waitFor() != 0) {
                throw new IOException("Maven could not fetch " + what + ":\n" + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Maven fetched " + what, e);
        } finally {
            maven.destroy();
        }
    }

    /** Returns why Maven failed, where it did: its errors up to its general advice, else the last that it wrote. */
    private static String follow(Process maven, Consumer<String> downloaded) throws IOException {
        List<String> errors = new ArrayList<>();
        Deque<String> last = new ArrayDeque<>();
        boolean advice = false;
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(maven.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                String artifact = downloadedArtifact(line);
                advice |= line.strip().equals("[ERROR]");
                if (artifact != null) {
                    downloaded.accept(artifact);
                } else if (line.startsWith("[ERROR]") && !advice) {
                    errors.add(line);
                }
                last.addLast(line);
                if (last.size() > OUTPUT_LINES_SHOWN) {
                    last.removeFirst();
                }
            }
        }
        return String.join("\n", errors.isEmpty() ? last : errors);
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
