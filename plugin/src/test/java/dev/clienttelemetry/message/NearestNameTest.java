/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    private static final List<String> KNOWN =
            List.of("interval.ms", "match", "metrics", "batch.linger.ms", "batch.max.bytes", "batch.max.age.ms");

    @ParameterizedTest
    @CsvSource({
        "match,match",
        "Match,match",
        "mathc,match",
        "macth,match",
        "matches,match",
        "metric,metrics",
        "metriks,metrics",
        "interval,interval.ms",
        "INTERVAL_MS,interval.ms",
        "batch.linger,batch.linger.ms",
        // Two begin so: the shorter.
        "batch.max,batch.max.bytes",
        "batch.mxa.age.ms,batch.max.age.ms"
    })
    void isWhatMostProbablyWasMeant(String name, String nearest) {
        assertThat(NearestName.of(name, KNOWN)).isEqualTo(nearest);
        List<String> reversed = new java.util.ArrayList<>(KNOWN);
        Collections.reverse(reversed);
        assertThat(NearestName.of(name, reversed)).as("in any order").isEqualTo(nearest);
    }

    @ParameterizedTest
    @CsvSource({"''", "x", "in", "frobnicate", "client.id", "batch.queue.capacity"})
    void isNoneWhereNoneIsNear(String name) {
        assertThat(NearestName.of(name, KNOWN)).isNull();
        assertThat(NearestName.of(name, List.of())).isNull();
    }

    @Test
    void comparesNothingThatNobodyHasTyped() {
        String name = "n".repeat(127);
        assertThat(NearestName.of(name, List.of(name + "x"))).isEqualTo(name + "x");
        assertThat(NearestName.of(name + "nn", List.of(name + "nnx"))).isNull();
    }

    @Test
    void isASlipWithinTwoCharactersOnly() {
        assertThat(NearestName.slipOf("mathces", List.of("matches"))).isEqualTo("matches");
        assertThat(NearestName.slipOf("matches", List.of("matches"))).isNull();
        assertThat(NearestName.slipOf("org.apache.kafka.producer", List.of("org.apache.kafka.consumer")))
                .isNull();
    }

    @Test
    void saysWhatIsKnownWhereNoneIsNear() {
        assertThat(NearestName.expected("mathc", KNOWN)).isEqualTo("'match'");
        assertThat(NearestName.expected("frobnicate", KNOWN.subList(0, 3)))
                .isEqualTo("one of interval.ms, match, metrics");
        assertThat(NearestName.expected("frobnicate", List.of("match"))).isEqualTo("match");
        assertThat(NearestName.expected("frobnicate", Collections.nCopies(11, "k")))
                .isEqualTo("one of k, k, k, k, k, k, k, k, k, k, ...");
    }
}
