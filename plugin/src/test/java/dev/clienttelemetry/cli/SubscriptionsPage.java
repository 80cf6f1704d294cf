/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The examples of src/site/markdown/subscriptions.md. */
public final class SubscriptionsPage {
    private static final Path PAGE = Path.of("../src/site/markdown/subscriptions.md");

    private SubscriptionsPage() {}

    /**
     * A block of the page.
     *
     * @param language what it is written in
     * @param file the file that it is the contents of, empty for none
     * @param text the block's text
     */
    public record Block(String language, String file, String text) {}

    /**
     * A command of the page.
     *
     * @param arguments what stands after {@code client-metrics}
     * @param output what it writes
     */
    public record Command(List<String> arguments, String output) {
        /** Returns whether it needs a cluster. */
        public boolean needsCluster() {
            return arguments.contains("--bootstrap-server");
        }

        @Override
        public String toString() {
            return String.join(" ", arguments);
        }
    }

    /** Returns all blocks in order. */
    public static List<Block> blocks() throws IOException {
        List<Block> blocks = new ArrayList<>();
        StringBuilder text = null;
        String info = "";
        for (String line : Files.readAllLines(PAGE)) {
            if (!line.startsWith("```")) {
                if (text != null) {
                    text.append(line).append('\n');
                }
            } else if (text == null) {
                text = new StringBuilder();
                info = line.substring(3);
            } else {
                int space = info.indexOf(' ');
                blocks.add(new Block(
                        space < 0 ? info : info.substring(0, space),
                        space < 0 ? "" : info.substring(space + 1),
                        text.toString()));
                text = null;
            }
        }
        return blocks;
    }

    /** Returns all commands in order. */
    public static List<Command> commands() throws IOException {
        List<Command> commands = new ArrayList<>();
        for (Block block : blocks()) {
            if (!block.language().equals("console")) {
                continue;
            }
            List<String> arguments = null;
            StringBuilder output = new StringBuilder();
            for (String line : block.text().split("\n", -1)) {
                if (line.startsWith("$ client-metrics ")) {
                    if (arguments != null) {
                        commands.add(new Command(arguments, output.toString()));
                    }
                    arguments =
                            List.of(line.substring("$ client-metrics ".length()).split(" "));
                    output = new StringBuilder();
                } else {
                    output.append(line).append('\n');
                }
            }
            // Splitting leaves an empty line after the last line's end.
            commands.add(new Command(arguments, output.substring(0, output.length() - 1)));
        }
        return commands;
    }

    /** Writes the YAML and properties files of the page, but for server.properties, into a directory. */
    public static void write(Path directory) throws IOException {
        for (Block block : blocks()) {
            if (!block.file().isEmpty() && !block.file().equals("server.properties")) {
                Files.writeString(directory.resolve(block.file()), block.text());
            }
        }
    }
}
