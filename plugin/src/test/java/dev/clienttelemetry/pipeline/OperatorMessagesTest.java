/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.message.RepeatedFailure;
import dev.clienttelemetry.metrics.RefusalReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class OperatorMessagesTest {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorMessagesTest.class);

    // The monotonic clock may be anywhere, also just before it wraps around.
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final CapturedLog log = new CapturedLog();
    private final TelemetryMetrics metrics = new TelemetryMetrics();

    @AfterEach
    void stop() {
        log.close();
    }

    @Test
    void theFirstPushIsAnnouncedOnce() {
        FirstPush first = new FirstPush(LOG, nanos::get, metrics);

        first.received(push("app"));
        first.received(push("other"));
        nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
        first.check();

        assertThat(log.lines())
                .containsExactly("INFO The first push of client metrics has arrived: client id app, software"
                        + " apache-kafka-java 4.4.0, 3 bytes");
    }

    @Test
    void whatAClientCallsItselfDoesNotForgeTheLog() {
        new FirstPush(LOG, nanos::get, metrics)
                .received(push("x\nINFO all is well \u001b[2J\u202e{}" + "y".repeat(500)));

        assertThat(log.lines()).singleElement().satisfies(line -> assertThat(line)
                .contains("client id x\\nINFO all is well \\u001b[2J\\u202e{}yyy")
                .hasSizeLessThan(300)
                .matches("\\p{Print}+"));
    }

    @Test
    void tenMinutesWithoutAPushAreExplainedOnce() {
        FirstPush first = new FirstPush(LOG, nanos::get, metrics);

        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10) - 1);
        first.check();
        assertThat(log.lines()).isEmpty();
        nanos.addAndGet(1);
        first.check();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        first.check();

        assertThat(log.lines()).singleElement().satisfies(line -> assertThat(line)
                .startsWith(
                        "WARN No client has pushed metrics to this broker within ten minutes. Likely causes: there is"
                                + " no subscription"));
    }

    @Test
    void aFirstPushIsAnnouncedAfterTheWarningToo() {
        FirstPush first = new FirstPush(LOG, nanos::get, metrics);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(11));
        first.check();

        first.received(push("app"));

        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void tenMinutesOfEmptyPushesAreExplainedOnceAndAsWhatTheyAre() {
        FirstPush first = new FirstPush(LOG, nanos::get, metrics);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(9));
        emptyPush();
        first.check();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10) - 1);
        emptyPush();
        first.check();
        assertThat(log.lines()).isEmpty();

        nanos.addAndGet(1);
        first.check();
        nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
        emptyPush();
        first.check();

        assertThat(log.lines()).singleElement().satisfies(line -> assertThat(line)
                .startsWith("WARN Clients push, but for ten minutes there was nothing in it: 2 empty pushes.")
                .contains("misspelt prefix", "metric.reporters"));

        first.received(push("app"));

        assertThat(log.lines()).hasSize(2).last().asString().contains("The first push of client metrics has arrived");
    }

    @Test
    void emptyPushesAfterTenMinutesWithoutAnyAreExplainedToo() {
        FirstPush first = new FirstPush(LOG, nanos::get, metrics);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        first.check();
        emptyPush();
        first.check();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        first.check();

        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(0)).startsWith("WARN No client has pushed");
        assertThat(log.lines().get(1)).startsWith("WARN Clients push, but");
    }

    @Test
    void whereSomethingWasPushedEmptyOnesAreNoCauseForAWarning() {
        FirstPush first = new FirstPush(LOG, nanos::get, metrics);
        first.received(push("app"));
        for (int i = 0; i < 3; i++) {
            emptyPush();
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
            first.check();
        }

        assertThat(log.lines()).singleElement().asString().startsWith("INFO The first push");
    }

    @Test
    void pushesThatWereRefusedOrDroppedAreNotToldToBeMissing() {
        FirstPush refused = new FirstPush(LOG, nanos::get, metrics);
        metrics.refusals().increment(RefusalReason.TRUNCATED);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        refused.check();

        TelemetryMetrics others = new TelemetryMetrics();
        FirstPush dropped = new FirstPush(LOG, nanos::get, others);
        others.pushes().increment();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        dropped.check();

        assertThat(log.lines()).isEmpty();
    }

    private void emptyPush() {
        metrics.pushes().increment();
        metrics.pushesEmpty().increment();
    }

    @Test
    void aRepeatedFailureIsLoggedAtOnceAndThenOnceAMinuteWithACount() {
        RepeatedFailure failure = new RepeatedFailure(LOG, "It failed", nanos::get);

        for (int i = 0; i < 100; i++) {
            failure.happened(new IllegalStateException("a bug " + i));
        }
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        failure.happened(new IllegalStateException("again"));

        assertThat(log.lines())
                .containsExactly(
                        "ERROR It failed (times since it was last logged: 1) java.lang.IllegalStateException: a bug 0",
                        "ERROR It failed (times since it was last logged: 100) java.lang.IllegalStateException: again");
    }

    private ReceivedPush push(String clientId) {
        Client client = new Client(clientId, "apache-kafka-java", "4.4.0", null, null, null, null, null);
        return new ReceivedPush(
                new ClientInstances(1, nanos::get).pushed(1, 2, client, 0, false),
                client,
                new byte[3],
                false,
                nanos.get());
    }
}
