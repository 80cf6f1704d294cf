/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TelemetryMetricsTest {
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final Recording recording = new Recording();

    private static final class Recording implements Exposition {
        private final List<Series> shown = new ArrayList<>();

        @Override
        public void appeared(Series series) {
            shown.add(series);
        }

        @Override
        public void vanished(Series series) {
            assertThat(shown.remove(series)).isTrue();
        }

        List<Series> of(Instrument instrument) {
            return shown.stream()
                    .filter(series -> series.instrument() == instrument)
                    .toList();
        }

        long value(Instrument instrument, String tag) {
            return of(instrument).stream()
                    .filter(series -> Objects.equals(series.tag(), tag))
                    .findFirst()
                    .orElseThrow()
                    .value()
                    .getAsLong();
        }
    }

    @Test
    void everyCounterIsShownFromTheStartAndNothingThatMustBeProvided() {
        metrics.show(recording);

        Set<Instrument> shown = new HashSet<>();
        recording.shown.forEach(series -> shown.add(series.instrument()));
        assertThat(shown)
                .containsOnlyOnce(Instrument.PLUGIN_EXPORTS, Instrument.PUSHES, Instrument.REQUESTS)
                .doesNotContain(
                        Instrument.INSTANCES,
                        Instrument.ACTIVE_INSTANCES,
                        Instrument.NEW_INSTANCES,
                        Instrument.UNKNOWN_INSTANCES,
                        Instrument.UNKNOWN_SUBSCRIPTIONS,
                        Instrument.THROTTLED,
                        Instrument.BUFFER_BYTES,
                        Instrument.BUFFER_LIMIT,
                        Instrument.SERIES,
                        Instrument.SERIES_LIMIT,
                        Instrument.OLDEST_PUSH_AGE,
                        Instrument.BACKEND_REACHABLE,
                        Instrument.POINTS_IN_FLIGHT);
        for (Instrument instrument : Instrument.values()) {
            if (!shown.contains(instrument)) {
                metrics.provide(instrument, () -> 7);
                assertThat(recording.value(instrument, null)).isEqualTo(7);
            }
        }
    }

    @Test
    void whatIsCountedByReasonIsShownAsItsSumAndForEachReason() {
        metrics.show(recording);
        metrics.pushesDropped().increment(PushDropReason.BUFFER_FULL);
        metrics.pushesDropped().add(PushDropReason.TOO_OLD, 2);

        assertThat(recording.of(Instrument.PUSHES_DROPPED)).hasSize(1 + PushDropReason.values().length);
        assertThat(recording.value(Instrument.PUSHES_DROPPED, null)).isEqualTo(3);
        assertThat(recording.value(Instrument.PUSHES_DROPPED, "buffer_full")).isEqualTo(1);
        assertThat(recording.value(Instrument.PUSHES_DROPPED, "too_old")).isEqualTo(2);
        assertThat(recording.value(Instrument.PUSHES_DROPPED, "shutdown")).isZero();
    }

    @Test
    void whatIsProvidedIsShownUntilItIsWithdrawnOrReplaced() {
        metrics.provide(Instrument.INSTANCES, () -> 1);
        metrics.show(recording);
        assertThat(recording.value(Instrument.INSTANCES, null)).isEqualTo(1);

        metrics.provide(Instrument.INSTANCES, () -> 2);
        assertThat(recording.of(Instrument.INSTANCES)).hasSize(1);
        assertThat(recording.value(Instrument.INSTANCES, null)).isEqualTo(2);

        metrics.withdraw(Instrument.INSTANCES);
        metrics.withdraw(Instrument.INSTANCES);
        assertThat(recording.of(Instrument.INSTANCES)).isEmpty();
    }

    @Test
    void whatIsCountedHereIsNotProvided() {
        assertThatThrownBy(() -> metrics.provide(Instrument.PUSHES, () -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PUSHES");
    }

    @Test
    void anErrorTypeIsShownFromItsFirstOccurrenceOn() {
        metrics.show(recording);
        assertThat(recording.of(Instrument.REQUEST_ERRORS)).hasSize(1);

        metrics.requestTimes().succeeded(1_000_000);
        metrics.requestTimes().failed("503", 2_000_000);
        metrics.requestTimes().failed("503", 3_000_000);
        metrics.requestTimes().failed("timeout", 4_000_000);

        assertThat(recording.value(Instrument.REQUEST_ERRORS, null)).isEqualTo(3);
        assertThat(recording.value(Instrument.REQUEST_ERRORS, "503")).isEqualTo(2);
        assertThat(recording.value(Instrument.REQUEST_ERRORS, "timeout")).isEqualTo(1);
        assertThat(recording.of(Instrument.DELIVERY_TIME)).hasSize(1);
        assertThat(recording.of(Instrument.REQUEST_TIME))
                .extracting(Series::tag, series -> series.distribution().totalNanos())
                .containsExactly(tuple(null, 1_000_000L), tuple("503", 5_000_000L), tuple("timeout", 4_000_000L));
    }

    @Test
    void whatAnAttemptFailedWithIsShownBeforeAnythingIsGivenUpForIt() {
        metrics.show(recording);

        metrics.attemptFailed("503");

        assertThat(recording.value(Instrument.POINTS_FAILED, "503")).isZero();
        assertThat(recording.of(Instrument.DELIVERY_TIME))
                .extracting(Series::tag, series -> series.distribution().count())
                .containsExactly(tuple(null, 0L), tuple("503", 0L));
        metrics.pointsFailed().add("503", 7);
        metrics.deliveryTimes().failed("503", 2_000_000);
        assertThat(recording.value(Instrument.POINTS_FAILED, "503")).isEqualTo(7);
        assertThat(recording.value(Instrument.POINTS_FAILED, null)).isEqualTo(7);
        assertThat(recording.of(Instrument.DELIVERY_TIME).get(1).distribution().totalNanos())
                .isEqualTo(2_000_000);
        assertThat(recording.of(Instrument.POINTS_FAILED)).hasSize(2);
    }

    @Test
    void errorTypesAreBoundedWhateverABackendAnswers() {
        metrics.show(recording);
        for (int i = 0; i < 1_000; i++) {
            metrics.requestTimes().failed("error-" + i, 1);
        }
        metrics.requestTimes().failed("error-0", 1);

        assertThat(recording.of(Instrument.REQUEST_ERRORS)).hasSize(1 + 32 + 1);
        assertThat(recording.value(Instrument.REQUEST_ERRORS, null)).isEqualTo(1_001);
        assertThat(recording.value(Instrument.REQUEST_ERRORS, "error-0")).isEqualTo(2);
        assertThat(recording.value(Instrument.REQUEST_ERRORS, "_OTHER")).isEqualTo(1_000 - 32);
    }

    @Test
    void nothingIsToldToAnExpositionThatIsHidden() {
        metrics.show(recording);
        metrics.hide(recording);
        metrics.provide(Instrument.INSTANCES, () -> 1);

        assertThat(recording.of(Instrument.INSTANCES)).isEmpty();
    }
}
