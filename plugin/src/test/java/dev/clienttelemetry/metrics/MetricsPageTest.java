/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
    @Test
    void theTableHasEveryInstrumentWithItsNamesAndUnit() throws IOException {
        List<List<String>> documented = new ArrayList<>();
        for (List<String> row : MetricsPage.rows("## The table")) {
            documented.add(List.of(
                    row.get(0).isEmpty() ? MetricsPage.codes(row.get(1)).get(0) : row.get(0),
                    MetricsPage.codes(row.get(2)).get(0),
                    MetricsPage.codes(row.get(3)).get(0)));
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
        for (List<String> row : MetricsPage.rows(heading)) {
            documented.add(MetricsPage.codes(row.get(0)).get(0));
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
}
