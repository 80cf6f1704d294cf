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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The page that documents the metrics has every instrument and every reason, and no other. */
class MetricsPageTest {
    private static final Path PAGE = Path.of("..", "src", "site", "markdown", "metrics.md");

    @Test
    void theTableHasEveryInstrumentWithItsNamesAndUnit() throws IOException {
        List<List<String>> documented = new ArrayList<>();
        for (List<String> row : rows("## The table")) {
            documented.add(List.of(
                    row.get(0).isEmpty() ? codes(row.get(1)).get(0) : row.get(0),
                    codes(row.get(2)).get(0),
                    codes(row.get(3)).get(0)));
            assertThat(row.get(4)).isNotEmpty();
            assertThat(row.get(5)).isNotEmpty();
        }
        List<List<String>> defined = new ArrayList<>();
        for (Instrument instrument : Instrument.values()) {
            String otel = instrument.otelName();
            if (instrument == Instrument.REQUEST_ERRORS) {
                otel = Instrument.REQUEST_TIME.otelName();
            }
            defined.add(List.of(instrument.jmxName(), otel, instrument.unit()));
        }

        assertThat(documented).containsExactlyInAnyOrderElementsOf(defined);
    }

    @ParameterizedTest
    @MethodSource
    void theReasonsAreThoseOfTheCode(String heading, Enum<?>[] reasons) throws IOException {
        Set<String> documented = new LinkedHashSet<>();
        for (List<String> row : rows(heading)) {
            documented.add(codes(row.get(0)).get(0));
        }
        List<String> defined = Stream.of(reasons)
                .map(reason -> reason.name().toLowerCase(Locale.ROOT))
                .toList();

        assertThat(documented).containsExactlyInAnyOrderElementsOf(defined);
    }

    static Stream<Arguments> theReasonsAreThoseOfTheCode() {
        return Stream.of(
                Arguments.of("### Errors of exportMetrics", RefusalReason.values()),
                Arguments.of("### Pushes dropped", PushDropReason.values()),
                Arguments.of("### Points dropped", PointDropReason.values()),
                Arguments.of("### Sequences restarted", SequenceRestart.values()),
                Arguments.of("### Client instances ended", InstanceEnd.values()));
    }

    /** Returns the cells of the table under a heading, without its head. */
    private static List<List<String>> rows(String heading) throws IOException {
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

    private static List<String> codes(String cell) {
        List<String> codes = new ArrayList<>();
        String[] parts = cell.split("`");
        for (int i = 1; i < parts.length; i += 2) {
            codes.add(parts[i]);
        }
        return codes;
    }
}
