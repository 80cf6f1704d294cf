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

    /** What a narrow terminal does without, first to last: what a client does is told longer than what it is. */
    private static final int[] EXPENDABLE = {2, 4, 3, 1, 5};

    private static final String GAP = "  ";
    private static final int LONGEST_CELL = 32;

    private Table() {}

    /**
     * Returns the lines, headings first; none is longer than the width. Columns for which there is no room are named in a
     * last line.
     */
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
        List<String> hidden = new ArrayList<>();
        for (int next = 0; next < EXPENDABLE.length && total(widths) > width; next++) {
            widths[EXPENDABLE[next]] = 0;
            hidden.add(HEADINGS.get(EXPENDABLE[next]));
        }
        List<String> lines = new ArrayList<>();
        rows.forEach(row -> lines.add(line(row, widths, width)));
        if (!hidden.isEmpty()) {
            lines.add(within("(a wider terminal also shows " + String.join(", ", hidden) + ")", width));
        }
        return lines;
    }

    private static int total(int[] widths) {
        int total = -GAP.length();
        for (int width : widths) {
            total += width == 0 ? 0 : width + GAP.length();
        }
        return total;
    }

    private static String line(List<String> row, int[] widths, int width) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            if (widths[column] == 0) {
                continue;
            }
            String padding = " ".repeat(widths[column] - row.get(column).length());
            boolean number = column >= FIRST_NUMBER;
            line.append(column == 0 ? "" : GAP)
                    .append(number ? padding : "")
                    .append(row.get(column))
                    .append(number ? "" : padding);
        }
        return within(line.toString().stripTrailing(), width);
    }

    private static String within(String text, int width) {
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
