/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DistributionTest {
    private final Distribution exportTime = new TelemetryMetrics().exportTime();

    @Test
    void bucketsGoFromFiveMicrosecondsToAHundredMilliseconds() {
        assertThat(exportTime.boundsNanos())
                .startsWith(5_000)
                .endsWith(100_000_000)
                .isSorted();
        assertThat(exportTime.counts()).hasSize(exportTime.boundsNanos().length + 1);
    }

    @Test
    void aDurationFallsIntoTheBucketThatIncludesIt() {
        long[] bounds = exportTime.boundsNanos();
        for (long bound : bounds) {
            exportTime.record(bound);
            exportTime.record(bound + 1);
        }
        exportTime.record(0);

        long[] counts = exportTime.counts();
        assertThat(counts[0]).isEqualTo(2);
        for (int i = 1; i < bounds.length; i++) {
            assertThat(counts[i]).isEqualTo(2);
        }
        assertThat(counts[bounds.length]).isEqualTo(1);
    }

    @Test
    void countAndTotalAreThoseOfAllDurations() {
        exportTime.record(7_000);
        exportTime.record(1_000_000_000);

        assertThat(exportTime.count()).isEqualTo(2);
        assertThat(exportTime.totalNanos()).isEqualTo(1_000_007_000);
    }
}
