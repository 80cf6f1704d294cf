/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaVersionTest {

    @Test
    void ordersByNumberAndNotByText() {
        assertThat(KafkaVersion.of("4.10.0")).isGreaterThan(KafkaVersion.of("4.9.9"));
        assertThat(KafkaVersion.of("3.9.2").isAtLeast(4, 2)).isFalse();
        assertThat(KafkaVersion.of("4.2.0").isAtLeast(4, 2)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "4", "4.4", "4.4.0-SNAPSHOT", "../4.4.0", "4.4.0 -X"})
    void refusesWhatIsNoRelease(String text) {
        assertThatThrownBy(() -> KafkaVersion.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("4.4.0");
    }
}
