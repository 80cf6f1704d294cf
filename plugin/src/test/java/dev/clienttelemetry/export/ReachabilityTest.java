/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static dev.clienttelemetry.export.Answer.Outcome.ACCEPTED;
import static dev.clienttelemetry.export.Answer.Outcome.CONTENT_REFUSED;
import static dev.clienttelemetry.export.Answer.Outcome.ENDPOINT_REFUSES;
import static dev.clienttelemetry.export.Answer.Outcome.RETRY;
import static dev.clienttelemetry.export.Answer.Outcome.STALE_CONNECTION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.export.Reachability.State;
import dev.clienttelemetry.pipeline.CapturedLog;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReachabilityTest {
    private final SetClock clock = new SetClock();
    private final CapturedLog log = new CapturedLog();
    private final Reachability reachability =
            new Reachability("http://collector:4317", LoggerFactory.getLogger(OtlpConnection.class), clock);

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    private void answer(Answer.Outcome outcome, String detail) {
        reachability.answered(Answer.of(outcome, "type", detail), reachability.accepted(false), false);
    }

    @Test
    void eachChangeOfStateIsLoggedOnceWithEndpointAndCause() {
        assertThat(reachability.state()).isEqualTo(State.UNKNOWN);
        for (int i = 0; i < 100; i++) {
            answer(RETRY, "connection refused");
        }
        assertThat(reachability.state()).isEqualTo(State.UNREACHABLE);
        assertThat(reachability.cause()).isEqualTo("connection refused");
        clock.advanceMillis(7_000);
        for (int i = 0; i < 100; i++) {
            answer(ACCEPTED, "");
        }

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
        assertThat(reachability.cause()).isEmpty();
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(0))
                .startsWith("WARN OTLP endpoint http://collector:4317: connection refused. Pushes are kept");
        assertThat(log.lines().get(1))
                .isEqualTo("INFO OTLP endpoint http://collector:4317 takes what is sent to it again, after 7 s");
    }

    @Test
    void ownMetricsThatGetThroughEndNoOutageOfPushes() {
        for (int i = 0; i < 10; i++) {
            long before = reachability.accepted(false);
            reachability.answered(Answer.of(ACCEPTED, "", ""), reachability.accepted(true), true);
            reachability.answered(Answer.of(RETRY, "timeout", "no answer within 10000 ms"), before, false);
            reachability.answered(Answer.of(ACCEPTED, "", ""), reachability.accepted(true), true);
            clock.advanceMillis(60_000);

            assertThat(reachability.state()).isEqualTo(State.UNREACHABLE);
        }
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(1)).startsWith("WARN").contains("no answer within 10000 ms");

        answer(ACCEPTED, "");

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
    }

    @Test
    void ownMetricsThatGetThroughEndAnOutageThatPushesHadLongAgo() {
        answer(RETRY, "connection refused");
        clock.advanceMillis(359_999);
        reachability.answered(Answer.of(ACCEPTED, "", ""), reachability.accepted(true), true);
        State before = reachability.state();
        clock.advanceMillis(1);
        reachability.answered(Answer.of(ACCEPTED, "", ""), reachability.accepted(true), true);

        assertThat(before).isEqualTo(State.UNREACHABLE);
        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
    }

    @Test
    void aCauseThatAsksEndsWithItsQuestion() {
        answer(RETRY, "the connection broke; does the endpoint speak OTLP?");

        assertThat(log.lines()).singleElement().asString().contains("speak OTLP? Pushes are kept");
    }

    @Test
    void theFirstSuccessIsLogged() {
        answer(ACCEPTED, "");

        assertThat(log.lines()).containsExactly("INFO OTLP endpoint http://collector:4317 takes what is sent to it");
    }

    @Test
    void aRefusedContentShowsThatTheEndpointIsThereAndNotThatItTakesAnything() {
        for (int i = 0; i < 3; i++) {
            answer(CONTENT_REFUSED, "HTTP 400: bad");
        }

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
        assertThat(reachability.cause()).isEmpty();
        assertThat(log.lines())
                .containsExactly("INFO OTLP endpoint http://collector:4317 answers, and refuses the content of pushes:"
                        + " HTTP 400: bad");

        answer(ACCEPTED, "");
        answer(CONTENT_REFUSED, "HTTP 400: bad");
        answer(ACCEPTED, "");

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(1)).isEqualTo("INFO OTLP endpoint http://collector:4317 takes what is sent to it");
    }

    @Test
    void refusedContentsEndAnOutageWithoutACountAsTaken() {
        answer(RETRY, "connection refused");
        clock.advanceMillis(7_000);
        answer(CONTENT_REFUSED, "HTTP 413");
        State refused = reachability.state();
        answer(RETRY, "connection refused");
        clock.advanceMillis(5_000);
        answer(ACCEPTED, "");

        assertThat(refused).isEqualTo(State.REACHABLE);
        assertThat(log.lines()).hasSize(4);
        assertThat(log.lines().get(1))
                .isEqualTo(
                        "INFO OTLP endpoint http://collector:4317 answers again, after 7 s, and refuses the content of"
                                + " pushes: HTTP 413");
        assertThat(log.lines().get(3))
                .isEqualTo("INFO OTLP endpoint http://collector:4317 takes what is sent to it again, after 5 s");
    }

    @Test
    void ownMetricsThatGetThroughDoNotShowThatRefusedPushesDo() {
        reachability.answered(Answer.of(CONTENT_REFUSED, "400", "HTTP 400: own"), reachability.accepted(true), true);
        answer(CONTENT_REFUSED, "HTTP 400: pushes");
        for (int i = 0; i < 3; i++) {
            reachability.answered(Answer.of(ACCEPTED, "", ""), reachability.accepted(true), true);
            answer(CONTENT_REFUSED, "HTTP 400: pushes");
        }

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
        assertThat(log.lines())
                .containsExactly(
                        "INFO OTLP endpoint http://collector:4317 answers, and refuses the content of the own metrics:"
                                + " HTTP 400: own",
                        "INFO OTLP endpoint http://collector:4317 answers, and refuses the content of pushes: HTTP 400:"
                                + " pushes");
    }

    /** What the division of refused batches and the endpoint's state go by: an answer about the content is one. */
    @Test
    void refusedContentsCountAsAnswersThatAFailureIsMeasuredBy() {
        long before = reachability.accepted(false);
        answer(CONTENT_REFUSED, "HTTP 400");

        assertThat(reachability.accepted(false)).isEqualTo(before + 1);
        assertThat(reachability.accepted(true)).isEqualTo(1);

        reachability.answered(Answer.of(RETRY, "503", "HTTP 503"), before, false);

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
    }

    @Test
    void anEndpointThatRefusesIsUnreachableAndTheLineSaysThatPushesAreLost() {
        answer(ENDPOINT_REFUSES, "HTTP 401");

        assertThat(reachability.state()).isEqualTo(State.UNREACHABLE);
        assertThat(log.lines()).singleElement().asString().contains("HTTP 401", "dropped until this is put right");
    }

    @Test
    void aRefusalOfTheOwnMetricsIsNotToldAsOneOfPushes() {
        reachability.answered(Answer.of(ENDPOINT_REFUSES, "403", "HTTP 403"), reachability.accepted(true), true);

        assertThat(log.lines())
                .singleElement()
                .asString()
                .contains("HTTP 403", "the plugin's own metrics, which are dropped")
                .doesNotContain("Pushes");

        reachability.answered(Answer.of(ENDPOINT_REFUSES, "403", "HTTP 403"), reachability.accepted(false), false);
        reachability.answered(Answer.of(ENDPOINT_REFUSES, "403", "HTTP 403"), reachability.accepted(true), true);

        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(1)).contains("HTTP 403", "Pushes sent to it are dropped");
    }

    @Test
    void aFailureAmongSuccessesSaysNothingOfTheEndpoint() {
        answer(ACCEPTED, "");
        long before = reachability.accepted(false);
        answer(ACCEPTED, "");

        reachability.answered(Answer.of(RETRY, "503", "HTTP 503"), before, false);

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
    }

    @Test
    void aStaleConnectionSaysNothingEither() {
        answer(ACCEPTED, "");

        answer(STALE_CONNECTION, "");

        assertThat(reachability.state()).isEqualTo(State.REACHABLE);
    }

    @Test
    void anotherCauseIsToldToo() {
        answer(RETRY, "connection refused");
        answer(ENDPOINT_REFUSES, "HTTP 401");

        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(1)).contains("HTTP 401");
    }

    @Test
    void aStateThatChangesAllTheTimeIsLoggedAtMostSoOftenAMinuteAndItsEndAtLast() {
        for (int i = 0; i < 1000; i++) {
            answer(RETRY, "HTTP 503");
            answer(ACCEPTED, "");
        }
        assertThat(log.lines()).hasSize(4);
        answer(RETRY, "HTTP 503");
        reachability.tick();
        assertThat(log.lines()).hasSize(4);

        clock.advanceMillis(60_000);
        reachability.tick();
        reachability.tick();

        assertThat(log.lines()).hasSize(5);
        List<String> lines = log.lines();
        assertThat(lines.get(4)).contains("HTTP 503", "(it changed 1996 times more meanwhile)");
    }

    private void fail(String errorType, String detail) {
        reachability.answered(Answer.of(RETRY, errorType, detail), reachability.accepted(false), false);
    }

    @Test
    void attemptsAreNoChanges() {
        for (int i = 0; i < 2; i++) {
            fail("503", "HTTP 503");
            answer(ACCEPTED, "");
        }
        for (int i = 0; i < 50; i++) {
            fail("503", "HTTP 503: request " + i);
        }
        assertThat(log.lines()).hasSize(4);

        clock.advanceMillis(60_000);
        reachability.tick();

        assertThat(log.lines())
                .hasSize(5)
                .last()
                .asString()
                .contains("HTTP 503: request 49")
                .doesNotContain("meanwhile");
    }

    @Test
    void theLastWordIsTheStateAsItIsAndTellsWhatCameAndWent() {
        for (int i = 0; i < 2; i++) {
            fail("503", "HTTP 503");
            answer(ACCEPTED, "");
        }
        fail("503", "HTTP 503");
        answer(ACCEPTED, "");
        fail("429", "HTTP 429: too much");
        clock.advanceMillis(2_000);
        answer(ACCEPTED, "");
        assertThat(log.lines()).hasSize(4);

        clock.advanceMillis(58_000);
        reachability.tick();
        reachability.tick();

        assertThat(log.lines()).hasSize(5);
        assertThat(log.lines().get(4))
                .startsWith("INFO OTLP endpoint http://collector:4317 takes what is sent to it again")
                .endsWith("(it changed 3 times more meanwhile; the last cause: HTTP 429: too much)");
    }

    @Test
    void oneOutageIsOneWarningWhateverItsWords() {
        answer(ACCEPTED, "");
        fail("java.io.EOFException", "the connection broke before an answer");
        fail("java.net.ConnectException", "connection refused");
        fail("timeout", "no connection within 10000 ms");
        fail("java.net.UnknownHostException", "unknown host: collector");
        fail("java.net.ConnectException", "connection refused");
        clock.advanceMillis(30_000);
        reachability.tick();
        answer(ACCEPTED, "");

        assertThat(log.lines()).hasSize(3);
        assertThat(log.lines().get(1)).contains("WARN", "the connection broke before an answer");
        assertThat(log.lines().get(2))
                .startsWith("INFO")
                .endsWith("again, after 30 s (the last cause: connection refused)");
    }

    @Test
    void aCauseThatStaysForAMinuteIsTold() {
        fail("java.io.EOFException", "the connection broke before an answer");
        fail("java.net.ConnectException", "connection refused");
        clock.advanceMillis(59_999);
        reachability.tick();
        assertThat(log.lines()).hasSize(1);

        clock.advanceMillis(1);
        reachability.tick();
        assertThat(log.lines()).hasSize(2).last().asString().contains("WARN", "connection refused");
        clock.advanceMillis(600_000);
        reachability.tick();
        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void aCauseThatGivesWayToTheOneThatWasToldIsNotTold() {
        fail("java.io.EOFException", "the connection broke before an answer");
        fail("java.net.ConnectException", "connection refused");
        fail("java.io.EOFException", "the connection broke before an answer");
        for (int i = 0; i < 3; i++) {
            clock.advanceMillis(60_000);
            reachability.tick();
        }

        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void ofTwoChangesThatWereHeldBackOneIsTheLineItself() {
        for (int i = 0; i < 3; i++) {
            fail("503", "HTTP 503");
            answer(ACCEPTED, "");
        }
        clock.advanceMillis(60_000);
        reachability.tick();

        assertThat(log.lines()).hasSize(5);
        assertThat(log.lines().get(4))
                .endsWith("again, after 60 s (it changed 1 time more meanwhile; the last cause: HTTP 503)");
    }

    @Test
    void whatWasHeldBackIsToldAlsoWhereItsCauseWas() {
        for (boolean ends : new boolean[] {false, true}) {
            answer(ACCEPTED, "");
            fail("503", "HTTP 503");
            answer(ACCEPTED, "");
            fail("503", "HTTP 503");
            int logged = log.lines().size();
            answer(ACCEPTED, "");
            fail("503", "HTTP 503");
            if (ends) {
                answer(ACCEPTED, "");
            }
            clock.advanceMillis(60_000);
            reachability.tick();

            assertThat(log.lines()).hasSize(logged + 1);
            assertThat(log.lines().get(logged))
                    .endsWith(
                            ends
                                    ? "(it changed 2 times more meanwhile; the last cause: HTTP 503)"
                                    : "(it changed 1 time more meanwhile)");
            clock.advanceMillis(60_000);
        }
    }

    @Test
    void afterAQuietMinuteAsManyChangesAreLoggedAtOnceAsBefore() {
        for (int minute = 1; minute <= 3; minute++) {
            for (int i = 0; i < 4; i++) {
                fail("503", "HTTP 503");
                answer(ACCEPTED, "");
            }
            reachability.tick();
            assertThat(log.lines()).hasSize(4 * minute);
            clock.advanceMillis(60_000);
        }
    }

    @Test
    void aRefusalOfTheOwnMetricsIsToldAlsoWhilePushesHaveToWait() {
        fail("503", "HTTP 503");
        reachability.answered(Answer.of(ENDPOINT_REFUSES, "403", "HTTP 403"), reachability.accepted(true), true);

        assertThat(log.lines()).hasSize(2).last().asString().contains("HTTP 403", "the plugin's own metrics");
    }
}
