/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.util.List;

/** The end of a process' log, for whoever is told that something failed. */
final class LogEnd {
    private static final int LINES = 15;

    private LogEnd() {}

    /**
     * Returns the last lines of a log.
     *
     * @param containing what they must have in them; empty for any
     */
    static String of(String log, String containing) {
        List<String> lines =
                log.lines().filter(line -> line.contains(containing)).toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    }
}
