/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lays out the clients that were seen as lines of text. */
final class Table {
    private static final List<String> HEADINGS = List.of(
            "CLIENT ID",
            "CLIENT INSTANCE ID",
            "SOFTWARE",
            "METRICS",
            "POINTS",
            "LAST PUSH",
            "SENT/S",
            "CONSUMED/S",
            "LAG",
            "LATENCY MS");
    private static final int FIRST_NUMBER = 3;
    private static final int LONGEST_CELL = 32;

    private Table() {}

    /** Returns the lines, headings first; none is longer than the width. */
    static List<String> lines(List<ReceivedClient> clients, long nowMillis, int width) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADINGS);
        for (ReceivedClient client : clients) {
            rows.add(List.of(
                    cell(client.clientId()),
                    cell(client.instanceId()),
                    cell(client.software()),
                    Integer.toString(client.metrics().size()),
                    Long.toString(client.points()),
                    age(nowMillis - client.lastPushMillis()),
                    number(client.sentPerSecond()),
                    number(client.consumedPerSecond()),
                    number(client.lag()),
                    number(client.latencyMillis())));
        }
        int[] widths = new int[HEADINGS.size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        return rows.stream().map(row -> line(row, widths, width)).toList();
    }

    private static String line(List<String> row, int[] widths, int width) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String padding = " ".repeat(widths[column] - row.get(column).length());
            boolean number = column >= FIRST_NUMBER;
            line.append(column == 0 ? "" : "  ")
                    .append(number ? padding : "")
                    .append(row.get(column))
                    .append(number ? "" : padding);
        }
        String text = line.toString().stripTrailing();
        return text.length() > width ? text.substring(0, width) : text;
    }

    /** What a client says of itself must neither break the table nor steer the terminal. */
    private static String cell(String text) {
        String printable = text.isEmpty() ? "-" : text.replaceAll("\\P{Print}", "?");
        return printable.length() > LONGEST_CELL ? printable.substring(0, LONGEST_CELL - 1) + "~" : printable;
    }

    private static String age(long millis) {
        return String.format(Locale.ROOT, "%.1f s ago", Math.max(0, millis) / 1000.0);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.1f", value);
    }
}
