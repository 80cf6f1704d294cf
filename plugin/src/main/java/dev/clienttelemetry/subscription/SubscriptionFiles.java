/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Reads subscriptions from a YAML file, a Java properties file ({@code .properties}), or a directory of such files. A
 * directory's files are those that end in {@code .yaml}, {@code .yml} or {@code .properties} and do not start with a
 * dot; all together are one set. Reading is bounded in the number and size of files, in nesting and in aliases.
 */
public final class SubscriptionFiles {
    /** The largest file, in bytes. */
    static final int MAX_FILE_BYTES = 1 << 20;
    /** The most files that are read from a directory. */
    static final int MAX_FILES = 256;

    private static final int MAX_READS = 3;

    private SubscriptionFiles() {}

    /** The bytes of files by path, as read at one time. */
    record Contents(Map<Path, byte[]> files) {
        boolean sameAs(Contents other) {
            if (other == null || !files.keySet().equals(other.files.keySet())) {
                return false;
            }
            for (Map.Entry<Path, byte[]> file : files.entrySet()) {
                if (!Arrays.equals(file.getValue(), other.files.get(file.getKey()))) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Reads a file or a directory.
     *
     * @param path the file or directory
     * @return the subscriptions of all files together
     * @throws InvalidSourceException with all errors of all files
     */
    public static SubscriptionSet read(Path path) throws InvalidSourceException {
        return parse(contents(path));
    }

    /**
     * Writes a set as YAML that {@link #read} takes for the same set.
     *
     * @param set the subscriptions; each has metrics, an interval or selectors
     */
    public static String toYaml(SubscriptionSet set) {
        return SubscriptionYamlText.of(set);
    }

    /**
     * Returns why a subscription that Kafka accepts cannot stand in a file, null where it can.
     *
     * @param subscription the subscription
     */
    public static String problemOfFile(Subscription subscription) {
        String problem = SubscriptionData.problemOfName(subscription.name());
        if (problem != null) {
            return "a file needs " + problem;
        }
        return subscription.toConfig().isEmpty() ? "it has only empty values" : null;
    }

    /**
     * Reads the bytes. A mounted Kubernetes ConfigMap or Secret has a link {@code ..data} to the directory with the files,
     * which is changed as one: what was read around such a change is read again, for the files belong together.
     */
    static Contents contents(Path path) throws InvalidSourceException {
        return contents(path, AllowedPaths.ALL);
    }

    /** As {@link #contents(Path)}; a directory's link that leads out of the allowed paths is an error, and not followed. */
    static Contents contents(Path path, AllowedPaths allowed) throws InvalidSourceException {
        return contents(path, allowed, file -> {});
    }

    /** As the others; tells each file that has been read, so that a test can change the others. */
    static Contents contents(Path path, AllowedPaths allowed, Consumer<Path> read) throws InvalidSourceException {
        Path state = mountedState(path);
        for (int reads = 1; ; reads++) {
            try {
                Contents contents = contentsNow(path, allowed, read);
                Path after = mountedState(path);
                if (Objects.equals(after, state) || reads == MAX_READS) {
                    return contents;
                }
                state = after;
            } catch (InvalidSourceException e) {
                Path after = mountedState(path);
                if (Objects.equals(after, state) || reads == MAX_READS) {
                    throw e;
                }
                state = after;
            }
        }
    }

    private static Path mountedState(Path path) {
        try {
            return Files.readSymbolicLink(path.resolve("..data"));
        } catch (IOException | UnsupportedOperationException e) {
            // No such mount.
            return null;
        }
    }

    private static Contents contentsNow(Path path, AllowedPaths allowed, Consumer<Path> read)
            throws InvalidSourceException {
        SourceErrors errors = new SourceErrors();
        Map<Path, byte[]> files = new LinkedHashMap<>();
        for (Path file : files(path, errors)) {
            byte[] bytes = bytes(file, allowed, errors);
            if (bytes != null) {
                files.put(file, bytes);
                read.accept(file);
            }
        }
        errors.throwIfAny();
        return new Contents(files);
    }

    static SubscriptionSet parse(Contents contents) throws InvalidSourceException {
        SourceErrors errors = new SourceErrors();
        Map<String, Subscription> byName = new LinkedHashMap<>();
        Map<String, String> places = new LinkedHashMap<>();
        contents.files().forEach((path, bytes) -> {
            String file = path.toString();
            String text = text(file, bytes, errors);
            if (text == null) {
                return;
            }
            SubscriptionSink sink = (subscription, line, column) -> {
                String place = places.putIfAbsent(subscription.name(), Quoted.whole(file) + ":" + line + ":" + column);
                if (place == null) {
                    byName.put(subscription.name(), subscription);
                } else {
                    errors.add(new SourceError(
                            file,
                            line,
                            column,
                            "the name '" + Quoted.text(subscription.name()) + "' a second time",
                            "another name; the first is at " + place));
                }
            };
            if (file.endsWith(".properties")) {
                readProperties(file, text, errors, sink);
            } else {
                SubscriptionYaml.read(file, text, errors, sink);
            }
        });
        errors.throwIfAny();
        return new SubscriptionSet(byName.values());
    }

    private static void readProperties(String file, String text, SourceErrors errors, SubscriptionSink sink) {
        Map<String, PropertiesText.Entry> entries = new LinkedHashMap<>();
        Map<String, String> data = new LinkedHashMap<>();
        for (PropertiesText.Entry entry : PropertiesText.read(file, text, errors)) {
            PropertiesText.Entry earlier = entries.putIfAbsent(entry.key(), entry);
            if (earlier != null) {
                errors.add(new SourceError(
                        file,
                        entry.line(),
                        entry.column(),
                        "the key '" + Quoted.text(entry.key()) + "' a second time",
                        "each key once; the first is in line " + earlier.line()));
            }
            data.putIfAbsent(entry.key(), entry.value());
        }
        PropertiesText.Entry names = entries.get(SubscriptionData.NAMES);
        if (names != null && names.value().isBlank()) {
            // As 'subscriptions:' with nothing after it: most often what a template has left empty.
            errors.add(new SourceError(
                    file,
                    names.valueLine(),
                    names.valueColumn(),
                    "nothing after 'names'",
                    "the names of all subscriptions ([] for none)"));
        }
        for (Subscription subscription : SubscriptionData.parse(data, (key, keyItself, found, expected) -> {
            PropertiesText.Entry entry = entries.get(key);
            if (entry == null) {
                errors.add(new SourceError(file, 0, 0, found, expected));
            } else {
                int line = keyItself ? entry.line() : entry.valueLine();
                int column = keyItself ? entry.column() : entry.valueColumn();
                errors.add(new SourceError(file, line, column, found, expected));
            }
        })) {
            sink.add(subscription, names.valueLine(), names.valueColumn());
        }
    }

    private static Iterable<Path> files(Path path, SourceErrors errors) {
        if (!Files.isDirectory(path)) {
            if (Files.exists(path) && !Files.isRegularFile(path)) {
                // Reading a pipe that nobody writes to would wait for ever.
                errors.add(new SourceError(path.toString(), 0, 0, "something that is no regular file", "a file"));
                return List.of();
            }
            return List.of(path);
        }
        TreeSet<Path> files = new TreeSet<>();
        try (DirectoryStream<Path> directory = Files.newDirectoryStream(path, SubscriptionFiles::isSubscriptionFile)) {
            for (Path file : directory) {
                if (!Files.isRegularFile(file)) {
                    // Most often a link whose target is gone for now: passed over, its subscriptions would be pruned.
                    errors.add(new SourceError(
                            file.toString(), 0, 0, "something that is no file, or a link to nothing", "a file"));
                    continue;
                }
                files.add(file);
                if (files.size() > MAX_FILES) {
                    errors.add(new SourceError(
                            path.toString(), 0, 0, "more than " + MAX_FILES + " files", "fewer, larger files"));
                    return List.of();
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            errors.add(unreadable(path, e));
            return List.of();
        }
        if (files.isEmpty() && errors.isEmpty()) {
            // Most often a wrong mount: taken for "no subscriptions", it would delete all of the cluster's with prune.
            errors.add(new SourceError(
                    path.toString(),
                    0,
                    0,
                    "no .yaml, .yml or .properties file in the directory",
                    "at least one; 'subscriptions: []' says that there are none"));
        }
        return files;
    }

    private static boolean isSubscriptionFile(Path file) {
        String name = file.getFileName().toString();
        return !name.startsWith(".")
                && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".properties"));
    }

    private static byte[] bytes(Path file, AllowedPaths allowed, SourceErrors errors) {
        Path target;
        try {
            target = allowed.resolveEntry(file);
        } catch (IOException e) {
            errors.add(unreadable(file, e));
            return null;
        }
        if (target == null) {
            errors.add(new SourceError(
                    file.toString(),
                    0,
                    0,
                    "a link out of what allowed.paths names",
                    "a file within the allowed paths"));
            return null;
        }
        try (InputStream in = open(target, allowed)) {
            byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
            if (bytes.length > MAX_FILE_BYTES) {
                errors.add(new SourceError(
                        file.toString(), 0, 0, "more than " + MAX_FILE_BYTES + " bytes", "a smaller file, or several"));
                return null;
            }
            return bytes;
        } catch (IOException e) {
            errors.add(unreadable(file, e));
            return null;
        }
    }

    static InputStream open(Path file, AllowedPaths allowed) throws IOException {
        // What was found allowed is not left by a link that takes its place in between.
        return allowed == AllowedPaths.ALL
                ? Files.newInputStream(file)
                : Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static SourceError unreadable(Path path, Exception e) {
        return new SourceError(
                path.toString(),
                0,
                0,
                e instanceof NoSuchFileException ? "no file or directory" : "no way to read it (" + e + ")",
                "a readable YAML or properties file, or a directory of them");
    }

    private static String text(String file, byte[] bytes, SourceErrors errors) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = decoder.decode(in, out, true);
        out.flip();
        if (result.isError()) {
            String before = out.toString();
            int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
            errors.add(new SourceError(
                    file, line, before.length() - before.lastIndexOf('\n'), "bytes that are not UTF-8", "UTF-8"));
            return null;
        }
        String text = out.toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }
}
