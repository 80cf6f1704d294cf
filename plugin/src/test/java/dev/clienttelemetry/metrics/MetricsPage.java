/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The tables of the page that documents the metrics. */
public final class MetricsPage {
    private static final Path PAGE = Path.of("..", "src", "site", "markdown", "metrics.md");

    private MetricsPage() {}

    /** Returns the cells of the table under a heading, without its head. */
    public static List<List<String>> rows(String heading) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        boolean under = false;
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("#")) {
                under = line.equals(heading);
            } else if (under && line.startsWith("|")) {
                List<String> cells = new ArrayList<>();
                for (String cell : line.substring(1, line.length() - 1).split("\\|")) {
                    cells.add(cell.strip());
                }
                rows.add(cells);
            }
        }
        assertThat(rows).as(heading).hasSizeGreaterThan(2);
        return rows.subList(2, rows.size());
    }

    /** Returns what stands as code in a cell. */
    public static List<String> codes(String cell) {
        List<String> codes = new ArrayList<>();
        String[] parts = cell.split("`");
        for (int i = 1; i < parts.length; i += 2) {
            codes.add(parts[i]);
        }
        return codes;
    }
}
