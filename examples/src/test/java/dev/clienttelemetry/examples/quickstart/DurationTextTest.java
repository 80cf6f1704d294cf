/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationTextTest {
    private final DurationText text = new DurationText();

    @Test
    void readsSecondsMinutesAndHours() {
        assertThat(text.convert("20s")).isEqualTo(Duration.ofSeconds(20));
        assertThat(text.convert("5m")).isEqualTo(Duration.ofMinutes(5));
        assertThat(text.convert("1h")).isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "20", "0s", "-1s", "1d", "PT20S"})
    void refusesWhatIsNoDuration(String wrong) {
        assertThatThrownBy(() -> text.convert(wrong))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("20s");
    }
}
