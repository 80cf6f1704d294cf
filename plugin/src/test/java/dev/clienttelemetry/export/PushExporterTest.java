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
import static dev.clienttelemetry.export.Answer.Outcome.TIMEOUT;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.pipeline.CapturedLog;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the sender decides, one step at a time. */
class PushExporterTest {
    private static final int LINGER_MS = 500;
    private static final int MAX_AGE_MS = 60_000;

    private final SetClock clock = new SetClock();
    private final Pushes pushes = new Pushes(clock);
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final ExportBuffer<Pushes.Raw> buffer = new ExportBuffer<>(1 << 20, metrics);
    private final HeldRequests requests = new HeldRequests();
    private final Reachability reachability =
            new Reachability("http://backend", LoggerFactory.getLogger("test"), clock);
    private PushExporter exporter = exporter(100, 8);

    private PushExporter exporter(int batchMaxBytes, int inFlightMax) {
        return exporter(batchMaxBytes, inFlightMax, MAX_AGE_MS);
    }

    private PushExporter exporter(int batchMaxBytes, int inFlightMax, int maxAgeMs) {
        return new PushExporter(
                new ExportSettings(batchMaxBytes, LINGER_MS, maxAgeMs, inFlightMax),
                buffer,
                requests,
                reachability,
                metrics,
                clock,
                new BackOff(RetryPolicy.getDefault(), () -> 0.5));
    }

    private void push(String... words) {
        for (String word : words) {
            Pushes.Raw raw = new Pushes.Raw(10);
            assertThat(buffer.offer(raw)).isTrue();
            buffer.converted(take(), pushes.chunk(word));
        }
    }

    private Pushes.Raw take() {
        return buffer.take();
    }

    private void stepAfter(long millis) {
        clock.advanceMillis(millis);
        exporter.step();
    }

    @AfterEach
    void nothingKeepsTheBufferLocked() {
        assertThat(CompletableFuture.supplyAsync(buffer::waiting).orTimeout(60, TimeUnit.SECONDS))
                .succeedsWithin(Duration.ofSeconds(60));
    }

    private long dropped(PushDropReason reason) {
        return metrics.pushesDropped().total(reason);
    }

    @Test
    void pushesWaitForCompanyUntilTheLingerIsOver() {
        push("a1");
        stepAfter(300);
        push("b1");
        stepAfter(199);
        assertThat(requests.sent).isEmpty();

        stepAfter(1);

        assertThat(requests.sent).containsExactly("a1 b1");
    }

    @Test
    void aFullBatchGoesAtOnceAndHoldsNoMoreThanItsBound() {
        exporter = exporter(9, 8);
        push("a1", "b1", "c1", "d1");

        exporter.step();

        assertThat(requests.sent).containsExactly("a1 b1 c1");
    }

    @Test
    void aPushAboveTheBoundGoesAlone() {
        exporter = exporter(9, 8);
        push("a1", "b1234567890", "c1");

        stepAfter(LINGER_MS);

        assertThat(requests.sent).containsExactly("a1", "b1234567890", "c1");
    }

    @Test
    void asManyRequestsAsAllowedAreInFlight() {
        exporter = exporter(3, 8);
        push("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1", "j1");

        exporter.step();

        assertThat(requests.open).hasSize(8);
        assertThat(exporter.requestsInFlight()).isEqualTo(8);
        requests.next().answer(ACCEPTED);
        exporter.step();
        assertThat(requests.sent).hasSize(9).last().isEqualTo("i1");
        assertThat(exporter.requestsInFlight()).isEqualTo(8);
    }

    @Test
    void theOldestPushIsLookedForInEveryStage() {
        assertThat(exporter.oldestPushAgeNanos()).isZero();
        buffer.offer(new Pushes.Raw(10, clock.getAsLong()));
        clock.advanceMillis(200);
        assertThat(exporter.oldestPushAgeNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(200));

        buffer.converted(take(), pushes.chunk("a1"));
        clock.advanceMillis(300);
        push("b1");
        assertThat(exporter.oldestPushAgeNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
        assertThat(exporter.pointsInFlight()).isZero();

        stepAfter(LINGER_MS);
        assertThat(exporter.oldestPushAgeNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(300 + LINGER_MS));
        assertThat(exporter.pointsInFlight()).isEqualTo(2 * 3);

        requests.next().answer(RETRY);
        stepAfter(1);
        assertThat(exporter.oldestPushAgeNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(301 + LINGER_MS));

        stepAfter(60_000 - 301 - LINGER_MS - 1);
        requests.next().answer(ACCEPTED);
        exporter.step();
        assertThat(exporter.oldestPushAgeNanos()).isZero();
    }

    @Test
    void theOldestPushOfARequestIsNotAlwaysItsFirst() {
        push("a1");
        buffer.offer(new Pushes.Raw(10));
        // Received earlier, converted later.
        buffer.converted(
                take(), new Chunk(pushes.instance('b'), "b1 ".getBytes(US_ASCII), 1, clock.getAsLong() - 100_000_000));
        stepAfter(LINGER_MS);

        assertThat(requests.sent).containsExactly("a1 b1");
        assertThat(exporter.oldestPushAgeNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(LINGER_MS + 100));
    }

    @Test
    void ofFailedBatchesThatAreDueTheOneThatIsSoLongestGoesFirst() {
        exporter = exporter(3, 2);
        push("a1", "b1");
        exporter.step();
        requests.of("a1").answer(RETRY);
        exporter.step();
        stepAfter(1000);
        requests.of("a1").answer(RETRY);
        exporter.step();
        clock.advanceMillis(100);
        requests.of("b1").answer(RETRY);
        exporter.step();
        assertThat(requests.sent).containsExactly("a1", "b1", "a1");

        stepAfter(5000);

        assertThat(requests.sent).containsExactly("a1", "b1", "a1", "b1", "a1");
    }

    @Test
    void aClientsPushesAreSentInOrderAlsoWhenTheFirstIsRetried() {
        exporter = exporter(3, 8);
        push("a1", "a2", "b1", "a3");
        exporter.step();
        assertThat(requests.sent).containsExactly("a1", "b1");

        requests.of("a1").answer(RETRY);
        stepAfter(0);
        assertThat(requests.sent).as("a2 waits for a1").hasSize(2);

        stepAfter(1000);
        assertThat(requests.sent).containsExactly("a1", "b1", "a1");
        requests.of("a1").answer(ACCEPTED);
        exporter.step();
        requests.of("a2").answer(ACCEPTED);
        exporter.step();
        assertThat(requests.sent).containsExactly("a1", "b1", "a1", "a2", "a3");
    }

    @Test
    void aBacklogOfOneClientGoesTogetherInOrder() {
        push("a1", "b1", "a2", "a3");

        stepAfter(LINGER_MS);

        assertThat(requests.sent).containsExactly("a1 a2 a3 b1");
    }

    @Test
    void backOffGrowsAsOpenTelemetrysPolicySays() {
        push("a1");
        stepAfter(LINGER_MS);
        long[] waits = {1000, 1500, 2250, 3375, 5000, 5000};
        for (int i = 0; i < waits.length; i++) {
            requests.next().answer(RETRY);
            exporter.step();
            stepAfter(waits[i] - 1);
            assertThat(requests.sent).as("before wait %d is over", i).hasSize(i + 1);
            stepAfter(1);
            assertThat(requests.sent).as("after wait %d", i).hasSize(i + 2);
        }
    }

    @Test
    void jitterStaysWithinAFifth() {
        assertThat(new BackOff(RetryPolicy.getDefault(), () -> 0).nanos(1)).isEqualTo(800_000_000L);
        assertThat(new BackOff(RetryPolicy.getDefault(), () -> 0.9999999).nanos(1))
                .isBetween(1_199_999_000L, 1_200_000_000L);
        assertThat(new BackOff(RetryPolicy.getDefault(), () -> 0.5).nanos(5000)).isEqualTo(5_000_000_000L);
    }

    @Test
    void whenTheEndpointAsksForSilenceNothingIsSentUntilThen() {
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().retryAfter(TimeUnit.SECONDS.toNanos(20));
        exporter.step();
        push("b1");

        stepAfter(19_999);
        assertThat(requests.sent).hasSize(1);

        stepAfter(1);
        assertThat(requests.sent).containsExactly("a1", "a1", "b1");
    }

    @Test
    void aShorterSilenceDoesNotEndALongerOne() {
        exporter = exporter(3, 8);
        push("a1", "b1");
        exporter.step();
        requests.of("a1").retryAfter(TimeUnit.SECONDS.toNanos(20));
        requests.of("b1").retryAfter(TimeUnit.SECONDS.toNanos(5));
        exporter.step();

        stepAfter(19_999);
        assertThat(requests.sent).hasSize(2);

        stepAfter(1);
        assertThat(requests.sent).containsExactly("a1", "b1", "b1", "a1");
    }

    @Test
    void anEndpointThatAsksForAnHourIsLookedAtAgainAfterFiveMinutes() {
        exporter = exporter(100, 8, 900_000);
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().retryAfter(TimeUnit.HOURS.toNanos(1));
        exporter.step();

        stepAfter(299_999);
        assertThat(requests.sent).hasSize(1);

        stepAfter(1);
        assertThat(requests.sent).containsExactly("a1", "a1");
    }

    /** Retry-After: 0 is what some proxies say for want of better knowledge. */
    @Test
    void anEndpointThatAsksForNoSilenceIsTriedAgainAfterTheBackOffAndOthersAtOnce() {
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().retryAfter(0);
        exporter.step();
        push("b1");

        stepAfter(LINGER_MS);
        assertThat(requests.sent).containsExactly("a1", "b1");
        stepAfter(499);
        assertThat(requests.sent).hasSize(2);
        stepAfter(1);
        assertThat(requests.sent).containsExactly("a1", "b1", "a1");
    }

    @Test
    void silenceIsToldWhereOthersGotThrough() {
        push("a1");
        stepAfter(LINGER_MS);
        reachability.answered(Answer.of(ACCEPTED, "", ""), 0, false);

        try (CapturedLog log = new CapturedLog()) {
            requests.next().retryAfter(TimeUnit.SECONDS.toNanos(20));
            exporter.step();

            assertThat(log.lines("WARN Nothing is sent for 20000 ms, as the endpoint wants it: HTTP 503"))
                    .hasSize(1);
        }
    }

    @Test
    void aConnectionThatWentStaleIsReplacedAtOnceButOnlyOnce() {
        push("a1");
        stepAfter(LINGER_MS);

        requests.next().answer(STALE_CONNECTION);
        exporter.step();
        assertThat(requests.sent).hasSize(2);

        requests.next().answer(STALE_CONNECTION);
        exporter.step();
        assertThat(requests.sent).hasSize(2);
        stepAfter(1000);
        assertThat(requests.sent).hasSize(3);
    }

    @Test
    void eachAttemptMayMeetAStaleConnectionOnce() {
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().answer(STALE_CONNECTION);
        exporter.step();
        requests.next().answer(RETRY);
        exporter.step();
        stepAfter(1000);
        assertThat(requests.sent).hasSize(3);

        requests.next().answer(STALE_CONNECTION);
        exporter.step();

        assertThat(requests.sent).as("at once").hasSize(4);
    }

    @Test
    void aRefusedBatchIsHalvedUntilTheGuiltyPushStandsAloneAndOnlyThatIsDropped() {
        push("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1");
        stepAfter(LINGER_MS);
        try (CapturedLog log = new CapturedLog()) {
            while (!requests.open.isEmpty()) {
                HeldRequests.Held held = requests.next();
                held.answer(held.pushes().contains("f1") ? CONTENT_REFUSED : ACCEPTED);
                exporter.step();
            }
            assertThat(log.lines("refused").size() + log.lines("will not take").size())
                    .isEqualTo(1);
            assertThat(log.lines("will not take").get(0)).contains("client-" + (int) 'f', "alone for 30 minutes");
        }

        assertThat(dropped(PushDropReason.REFUSED_BY_BACKEND)).isEqualTo(1);
        assertThat(metrics.pointsSent().total()).isEqualTo(7 * 3);
        assertThat(requests.sent)
                .containsExactly("a1 b1 c1 d1 e1 f1 g1 h1", "a1 b1 c1 d1", "e1 f1 g1 h1", "e1 f1", "g1 h1", "e1", "f1");
        assertThat(buffer.bytes()).isZero();
    }

    @Test
    void aClientWithoutAClientIdIsToldByItsInstanceIdAlone() {
        Client nameless = new Client(null, null, null, null, null, null, null, null);
        assertToldByItsId(new ClientInstances(10, clock).pushed(1, 2, nameless, 0, false));
    }

    @Test
    void aClientOfWhichNothingIsKnownAnyMoreIsToldByItsInstanceIdAlone() {
        ClientInstances one = new ClientInstances(1, clock);
        ClientInstance evicted = one.pushed(1, 2, pushes.instance('a').client(), 0, false);
        one.pushed(3, 4, pushes.instance('b').client(), 0, false);
        assertThat(evicted.client().clientId()).isNull();
        assertToldByItsId(evicted);
    }

    private void assertToldByItsId(ClientInstance instance) {
        buffer.offer(new Pushes.Raw(10));
        buffer.converted(take(), new Chunk(instance, "a1 ".getBytes(US_ASCII), 1, clock.getAsLong()));
        stepAfter(LINGER_MS);
        try (CapturedLog log = new CapturedLog()) {
            requests.next().answer(CONTENT_REFUSED);
            exporter.step();

            assertThat(log.lines("client instance AAAAAAAAAAEAAAAAAAAAAg, which the backend"))
                    .hasSize(1);
        }
    }

    @Test
    void theGuiltyClientsPushesGoAloneForAWhile() {
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().answer(CONTENT_REFUSED);
        push("a2", "b1", "c1", "a3");
        stepAfter(LINGER_MS);
        assertThat(requests.sent).containsExactlyInAnyOrder("a1", "a2", "b1 c1");
        requests.of("a2").answer(ACCEPTED);
        requests.of("b1").answer(ACCEPTED);
        exporter.step();
        assertThat(requests.sent).last().isEqualTo("a3");
        requests.next().answer(ACCEPTED);

        stepAfter(TimeUnit.MINUTES.toMillis(30) - 1);
        push("a4", "b2");
        exporter.step();
        assertThat(requests.sent).last().isEqualTo("a4");
        requests.next().answer(ACCEPTED);
        stepAfter(1);
        push("a5");
        stepAfter(LINGER_MS);

        assertThat(requests.sent).last().isEqualTo("b2 a5");
    }

    @Test
    void ofSeveralPushesOfTheGuiltyClientOnlyTheRefusedOneIsDropped() {
        push("a1", "a2", "a3", "b1");
        stepAfter(LINGER_MS);
        for (int i = 0; !requests.open.isEmpty() && i < 20; i++) {
            HeldRequests.Held held = requests.next();
            held.answer(held.pushes().contains("a2") ? CONTENT_REFUSED : ACCEPTED);
            exporter.step();
        }

        assertThat(requests.sent).containsExactly("a1 a2 a3 b1", "a1 a2 a3", "b1", "a1", "a2", "a3");
        assertThat(dropped(PushDropReason.REFUSED_BY_BACKEND)).isEqualTo(1);
        assertThat(metrics.pointsSent().total()).isEqualTo(3 * 3);
    }

    @Test
    void timeoutsAreNobodysFaultWhileNothingElseGetsThrough() {
        push("a1", "b1");
        stepAfter(LINGER_MS);
        for (int i = 0; i < 5; i++) {
            requests.answerAll(pushes -> true, TIMEOUT);
            exporter.step();
            stepAfter(6000);
        }

        assertThat(requests.sent).startsWith("a1 b1", "a1 b1", "a1", "b1", "a1", "b1");
        assertThat(metrics.pushesDropped().total()).isZero();
    }

    @Test
    void aClientThatTimesOutIsFoundAmongAllOthers() {
        int rounds = 14;
        for (int i = 1; i <= rounds; i++) {
            push("a" + i, "b" + i, "c" + i, "d" + i, "e" + i);
            stepAfter(LINGER_MS);
            requests.answerAll(pushes -> !pushes.contains("c1"), ACCEPTED);
            requests.answerAll(pushes -> true, TIMEOUT);
            exporter.step();
            stepAfter(1500);
        }
        requests.answerAll(pushes -> true, ACCEPTED);
        exporter.step();

        assertThat(metrics.pushesDropped().total()).isEqualTo(1);
        assertThat(dropped(PushDropReason.REFUSED_BY_BACKEND)).isEqualTo(1);
        assertThat(requests.sent.stream().filter("c1"::equals))
                .as("two tries alone")
                .hasSize(2);
    }

    @Test
    void anEndpointThatAnswersNothingGetsNoMorePartsThanRequestsMayBeInFlight() {
        for (char client = 'a'; client <= 'z'; client++) {
            push(client + "1");
        }
        stepAfter(LINGER_MS);
        for (int i = 0; i < 8; i++) {
            requests.answerAll(pushes -> true, TIMEOUT);
            exporter.step();
            stepAfter(6000);
        }
        Set<String> parts = new TreeSet<>(requests.sent.subList(requests.sent.size() - 8, requests.sent.size()));
        assertThat(parts).hasSize(8);
        assertThat(metrics.pushesDropped().total()).isZero();

        requests.answerAll(pushes -> true, ACCEPTED);
        exporter.step();

        assertThat(metrics.pushesDelivered().total()).isEqualTo(26);
    }

    @Test
    void twoTimeoutsWhileOthersGetThroughAreTheBatchsFault() {
        push("a1", "b1");
        stepAfter(LINGER_MS);
        for (int i = 0; i < 40 && buffer.pushes() > 0; i++) {
            requests.answerAll(pushes -> !pushes.contains("a1"), ACCEPTED);
            requests.answerAll(pushes -> true, TIMEOUT);
            exporter.step();
            if (i < 5) {
                push("c" + i);
            }
            stepAfter(1500);
        }

        assertThat(dropped(PushDropReason.REFUSED_BY_BACKEND)).isEqualTo(1);
        assertThat(metrics.pointsSent().total()).isEqualTo(6 * 3);
        assertThat(requests.sent.stream().filter("a1"::equals))
                .as("two tries alone")
                .hasSize(2);
        assertThat(requests.sent.stream().filter("a1 b1"::equals)).hasSize(2);
    }

    @Test
    void halvesOfABatchThatTimedOutTwiceNeedOneTimeoutMore() {
        push("a1", "b1", "c1", "d1");
        stepAfter(LINGER_MS);
        requests.next().answer(TIMEOUT);
        exporter.step();
        push("x1");
        stepAfter(LINGER_MS);
        requests.of("x1").answer(ACCEPTED);
        stepAfter(1000);
        requests.next().answer(TIMEOUT);
        exporter.step();
        assertThat(requests.sent).endsWith("a1 b1 c1 d1", "a1 b1", "c1 d1");

        requests.of("c1").answer(ACCEPTED);
        requests.of("a1").answer(TIMEOUT);
        exporter.step();

        assertThat(requests.sent).endsWith("c1 d1", "a1", "b1");
    }

    @Test
    void halvesOfABatchThatWasRefusedMayTimeOutOnceAsAnyBatch() {
        push("a1", "b1", "c1", "d1");
        stepAfter(LINGER_MS);
        requests.next().answer(CONTENT_REFUSED);
        exporter.step();
        requests.of("c1").answer(ACCEPTED);
        requests.of("a1").answer(TIMEOUT);
        exporter.step();
        stepAfter(1000);

        assertThat(requests.sent).containsExactly("a1 b1 c1 d1", "a1 b1", "c1 d1", "a1 b1");
    }

    @Test
    void whatWasAcceptedWhileABatchGotNoAnswerSpeaksAgainstIt() {
        push("a1");
        stepAfter(LINGER_MS);
        push("b1");
        stepAfter(LINGER_MS);
        requests.of("b1").answer(ACCEPTED);
        exporter.step();

        requests.next().answer(TIMEOUT);
        exporter.step();
        stepAfter(1000);
        requests.next().answer(TIMEOUT);
        exporter.step();

        assertThat(dropped(PushDropReason.REFUSED_BY_BACKEND)).isEqualTo(1);
    }

    @Test
    void whatWasAcceptedBeforeABatchWasSentDoesNotSpeakAgainstIt() {
        push("z1");
        stepAfter(LINGER_MS);
        requests.next().answer(ACCEPTED);
        push("a1", "b1", "c1", "d1");
        stepAfter(LINGER_MS);
        requests.next().answer(TIMEOUT);
        exporter.step();
        stepAfter(1000);
        requests.next().answer(TIMEOUT);
        exporter.step();

        stepAfter(1499);
        assertThat(requests.sent).hasSize(3);
        stepAfter(1);
        assertThat(requests.sent).containsExactly("z1", "a1 b1 c1 d1", "a1 b1 c1 d1", "a1 b1", "c1 d1");

        requests.answerAll(pushes -> true, TIMEOUT);
        exporter.step();
        stepAfter(2249);
        assertThat(requests.sent).hasSize(5);
        stepAfter(1);
        assertThat(requests.sent).endsWith("c1 d1", "a1", "b1", "c1", "d1");
        assertThat(metrics.pushesDropped().total()).isZero();
    }

    @Test
    void aBatchThatTimesOutIsDividedAlsoWhereOnlyOneRequestMayBeInFlight() {
        exporter = exporter(100, 1);
        push("a1", "b1");
        stepAfter(LINGER_MS);
        requests.next().answer(TIMEOUT);
        exporter.step();
        stepAfter(1000);
        requests.next().answer(TIMEOUT);
        exporter.step();
        stepAfter(1500);
        requests.next().answer(ACCEPTED);
        exporter.step();

        assertThat(requests.sent).containsExactly("a1 b1", "a1 b1", "a1", "b1");
    }

    @Test
    void aClientsPushesAreNotDividedForATimeout() {
        push("a1", "a2");
        stepAfter(LINGER_MS);
        for (int i = 0; i < 3; i++) {
            requests.next().answer(TIMEOUT);
            exporter.step();
            stepAfter(5000);
        }

        assertThat(requests.sent).containsExactly("a1 a2", "a1 a2", "a1 a2", "a1 a2");
    }

    @Test
    void pushesThatAreToGoAloneOutlastASilence() {
        exporter = exporter(6, 8);
        push("b12345", "a1", "a2");
        exporter.step();
        requests.of("b12345").retryAfter(TimeUnit.SECONDS.toNanos(20));
        requests.of("a1").answer(CONTENT_REFUSED);
        exporter.step();
        exporter.step();
        stepAfter(20_000);

        assertThat(requests.sent).containsExactly("b12345", "a1 a2", "b12345", "a1");
        assertThat(metrics.pushesDropped().total()).isZero();
    }

    @Test
    void oneHangingBatchKeepsNobodyWaitingEvenWithOneRequestInFlight() {
        exporter = exporter(3, 1);
        push("a1", "b1", "c1");
        exporter.step();

        requests.next().answer(TIMEOUT);
        exporter.step();

        assertThat(requests.sent).containsExactly("a1", "b1");
    }

    @Test
    void whileTheEndpointTakesNothingOnlySoManyBatchesAreTried() {
        exporter = exporter(3, 2);
        push("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1");
        for (int i = 0; i < 50; i++) {
            exporter.step();
            while (!requests.open.isEmpty()) {
                requests.next().answer(RETRY);
            }
            clock.advanceMillis(100);
        }

        assertThat(requests.sent.stream().distinct().toList()).hasSizeLessThanOrEqualTo(4);
        assertThat(requests.sent).hasSizeLessThanOrEqualTo(16);
    }

    @Test
    void anEndpointThatRefusesEverythingIsAskedOnceForEachBatch() {
        push("a1", "b1");
        stepAfter(LINGER_MS);

        requests.next().answer(ENDPOINT_REFUSES);
        stepAfter(100_000);

        assertThat(requests.sent).hasSize(1);
        assertThat(dropped(PushDropReason.REFUSED_BY_BACKEND)).isEqualTo(2);
        assertThat(buffer.bytes()).isZero();
    }

    @Test
    void whatCannotBeDeliveredForTooLongIsDroppedAndItsClientsGoOn() {
        push("a1", "a2");
        stepAfter(LINGER_MS);
        requests.next().answer(RETRY);
        exporter.step();
        push("a3");

        stepAfter(MAX_AGE_MS - LINGER_MS);

        assertThat(dropped(PushDropReason.TOO_OLD)).isEqualTo(2);
        stepAfter(LINGER_MS);
        assertThat(requests.sent).containsExactly("a1 a2", "a3");
    }

    @Test
    void ofABatchThatWaitsForItsNextAttemptTheOldestIsEvictedFirst() {
        ExportBuffer<Pushes.Raw> small = new ExportBuffer<>(8 * 300, metrics);
        PushExporter of = new PushExporter(
                new ExportSettings(1000, 0, MAX_AGE_MS, 1),
                small,
                requests,
                new Reachability("http://backend", LoggerFactory.getLogger("test"), clock),
                metrics,
                clock,
                new BackOff(RetryPolicy.getDefault(), () -> 0.5));
        offer(small, "a1");
        offer(small, "b1");
        of.step();
        requests.next().answer(RETRY);
        of.step();
        for (int i = 0; i < 7; i++) {
            offer(small, "c" + i);
        }

        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(1);
        clock.advanceMillis(1000);
        of.step();

        assertThat(requests.sent).containsExactly("a1 b1", "b1");
        assertThat(of.pointsInFlight()).isEqualTo(3);
        assertExported(0, Map.of("type", 3));
        assertOperations(0, 0);
        requests.next().answer(RETRY);
        of.step();
        for (int i = 0; i < 7; i++) {
            offer(small, "d" + i);
        }
        assertThat(of.pointsInFlight()).as("those of the next batch").isEqualTo(7 * 3);
        assertExported(0, Map.of("type", 6));
        assertOperations(0, 1);
    }

    @Test
    void droppingForWantOfRoomIsToldWhenItBeginsAndWhenItHasEnded() {
        for (PushDropReason reason : List.of(PushDropReason.BUFFER_FULL, PushDropReason.CONVERSION_BACKLOG)) {
            try (CapturedLog log = new CapturedLog()) {
                metrics.pushesDropped().increment(reason);
                exporter.step();
                assertThat(log.lines("WARN Pushes are being dropped, 1 until now"))
                        .singleElement()
                        .asString()
                        .contains("client.telemetry.buffer.max.bytes", "1048576 bytes");
                for (int i = 0; i < 10; i++) {
                    metrics.pushesDropped().increment(reason);
                    stepAfter(20_000);
                }
                stepAfter(59_999);
                assertThat(log.lines()).hasSize(1);

                stepAfter(1);
                stepAfter(60_000);

                assertThat(log.lines()).hasSize(2).last().asString().contains("WARN", "11 were within 200 s");
                metrics.pushesDropped().increment(reason);
                exporter.step();
                assertThat(log.lines("1 until now")).hasSize(2);
                stepAfter(60_000);
            }
        }
    }

    private void offer(ExportBuffer<Pushes.Raw> to, String word) {
        Pushes.Raw raw = new Pushes.Raw(3);
        assertThat(to.offer(raw)).isTrue();
        to.converted(to.take(), pushes.chunk(word));
    }

    @Test
    void aPartialSuccessCountsItsRejectedPointsAndIsNotSentAgain() {
        push("a1", "b1");
        stepAfter(LINGER_MS);

        try (CapturedLog log = new CapturedLog()) {
            requests.next().rejected(2);
            stepAfter(60_000);
            assertThat(log.lines("rejected 2 of 6 data points").size()).isEqualTo(1);
        }

        assertThat(metrics.pointsRejected().total()).isEqualTo(2);
        assertThat(metrics.pointsSent().total()).isEqualTo(4);
        assertThat(requests.sent).hasSize(1);
        assertThat(buffer.bytes()).isZero();
    }

    @Test
    void aWarningOfTheBackendIsToldAndAPlainSuccessIsNot() {
        push("a1");
        stepAfter(LINGER_MS);
        try (CapturedLog log = new CapturedLog()) {
            requests.next().answer(ACCEPTED, "");
            push("b1");
            stepAfter(LINGER_MS);
            assertThat(log.lines()).isEmpty();

            requests.next().answer(ACCEPTED, "soon too many");
            exporter.step();

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .endsWith("WARN The backend took a request and warns: soon too many");
        }
        assertThat(metrics.pointsSent().total()).isEqualTo(6);
    }

    @Test
    void moreRejectedPointsThanWereSentCountAsAll() {
        push("a1");
        stepAfter(LINGER_MS);

        requests.next().rejected(Long.MAX_VALUE);
        exporter.step();

        assertThat(metrics.pointsRejected().total()).isEqualTo(3);
        assertThat(metrics.pointsSent().total()).isZero();
    }

    @Test
    void requestsAreCountedWithTheirRetriesAndErrors() {
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().answer(RETRY);
        exporter.step();
        stepAfter(1000);
        requests.next().answer(ACCEPTED);
        exporter.step();

        assertThat(metrics.requests().total()).isEqualTo(2);
        assertThat(metrics.requestBytes().total()).isEqualTo(6);
    }

    private void assertExported(long taken, Map<String, Integer> failed) {
        assertThat(metrics.pointsSent().total()).as("taken").isEqualTo(taken);
        failed.forEach((type, points) ->
                assertThat(metrics.pointsFailed().total(type)).as(type).isEqualTo((long) points));
        assertThat(metrics.pointsFailed().total())
                .as("given up")
                .isEqualTo(
                        failed.values().stream().mapToLong(Integer::longValue).sum());
    }

    private void assertOperations(long succeeded, long failed) {
        assertThat(metrics.deliveryTimes().succeeded().count()).as("delivered").isEqualTo(succeeded);
        assertThat(metrics.deliveryTimes().failures()).as("not delivered").isEqualTo(failed);
    }

    @Test
    void anExportLastsFromItsFirstAttemptToItsEndThroughTheWaitsBetween() {
        push("a1", "b1");
        stepAfter(LINGER_MS);
        assertThat(exporter.pointsInFlight()).isEqualTo(6);
        clock.advanceMillis(10);
        requests.next().answer(RETRY);
        exporter.step();
        stepAfter(500);
        assertThat(exporter.requestsInFlight()).isZero();
        assertThat(exporter.pointsInFlight()).as("waits for its next attempt").isEqualTo(6);
        assertOperations(0, 0);
        assertExported(0, Map.of());
        stepAfter(500);
        assertThat(exporter.pointsInFlight()).isEqualTo(6);
        clock.advanceMillis(10);
        requests.next().answer(ACCEPTED);
        exporter.step();

        assertThat(exporter.pointsInFlight()).isZero();
        assertExported(6, Map.of());
        assertOperations(1, 0);
        assertThat(metrics.deliveryTimes().succeeded().totalNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1020));
        assertThat(metrics.requestTimes().succeeded().totalNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(10));
        assertThat(metrics.requestTimes().failures()).isEqualTo(1);
    }

    @Test
    void anExportThatEndsForItsAgeFailedAsItsLastAttemptDid() {
        push("a1");
        stepAfter(LINGER_MS);
        push("b1");
        requests.next().retryAfter(TimeUnit.SECONDS.toNanos(1));
        exporter.step();
        stepAfter(1000);
        requests.of("a1").answer(TIMEOUT);
        requests.of("b1").retryAfter(TimeUnit.MINUTES.toNanos(4));
        exporter.step();
        stepAfter(MAX_AGE_MS);

        assertThat(exporter.pointsInFlight()).isZero();
        assertExported(0, Map.of("type", 3, "503", 3));
        assertOperations(0, 2);
        assertThat(metrics.deliveryTimes().failures("503")).isEqualTo(1);
        assertThat(dropped(PushDropReason.TOO_OLD)).isEqualTo(2);
    }

    @Test
    void whatNeverWasInARequestIsNoExport() {
        push("a1");
        buffer.dropOlderThan(0, clock.getAsLong());
        push("b1");
        exporter.close(Duration.ZERO);

        assertThat(exporter.pointsInFlight()).isZero();
        assertExported(0, Map.of());
        assertOperations(0, 0);
    }

    @Test
    void partsOfADividedBatchAreExportsThatBeganWithIt() {
        push("a1", "a2", "b1", "c1");
        stepAfter(LINGER_MS);
        for (int i = 0; !requests.open.isEmpty() && i < 20; i++) {
            assertThat(exporter.pointsInFlight()
                            + metrics.pointsSent().total()
                            + metrics.pointsFailed().total())
                    .isEqualTo(12);
            clock.advanceMillis(1);
            HeldRequests.Held held = requests.next();
            held.answer(held.pushes().contains("a2") ? CONTENT_REFUSED : ACCEPTED);
            exporter.step();
        }

        assertThat(requests.sent).containsExactly("a1 a2 b1 c1", "a1 a2", "b1 c1", "a1", "a2");
        assertThat(exporter.pointsInFlight()).isZero();
        assertExported(9, Map.of("type", 3));
        assertOperations(2, 1);
        assertThat(metrics.deliveryTimes().succeeded().totalNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(3 + 4));
    }

    @Test
    void aPartialSuccessIsAnUnsuccessfulExportOfWhichThePartTakenCounts() {
        push("a1", "b1");
        stepAfter(LINGER_MS);
        requests.next().rejected(2);
        exporter.step();

        assertThat(exporter.pointsInFlight()).isZero();
        assertExported(4, Map.of());
        assertThat(metrics.pointsRejected().total()).isEqualTo(2);
        assertOperations(0, 1);
        assertThat(metrics.deliveryTimes().failures("rejected")).isEqualTo(1);
    }

    @Test
    void whatIsUnderWayOrWaitsAtTheEndFailedAsItsLastAttemptDidOrIsCancelled() {
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().answer(RETRY);
        exporter.step();
        push("b1");
        stepAfter(LINGER_MS);
        assertThat(exporter.pointsInFlight()).isEqualTo(6);

        exporter.start();
        exporter.close(Duration.ZERO);

        await().untilAsserted(() -> assertThat(buffer.pushes()).isZero());
        await().untilAsserted(() -> assertThat(exporter.requestsInFlight()).isZero());
        assertThat(requests.closed).isTrue();
        assertThat(exporter.pointsInFlight()).isZero();
        assertExported(0, Map.of("type", 3, "cancelled", 3));
        assertOperations(0, 2);
    }

    private CompletableFuture<Void> closeWithin(Duration timeout) {
        return CompletableFuture.runAsync(() -> exporter.close(timeout)).orTimeout(60, TimeUnit.SECONDS);
    }

    @Test
    void closingWaitsForWhatIsUnderWayAndForNothingElse() {
        push("a1");
        clock.advanceMillis(LINGER_MS);
        exporter.start();
        await().until(() -> requests.open.size() == 1);

        CompletableFuture<Void> closed = closeWithin(Duration.ofDays(1));
        // Sent without waiting for company.
        push("b1");
        await().until(() -> requests.open.size() == 2);
        requests.of("a1").answer(ACCEPTED);
        requests.of("b1").answer(ACCEPTED);

        assertThat(closed).succeedsWithin(Duration.ofSeconds(60));
        assertThat(metrics.pushesDelivered().total()).isEqualTo(2);
    }

    @Test
    void closingDoesNotWaitForTheEndOfASilenceThatItCannotAwait() {
        push("a1");
        clock.advanceMillis(LINGER_MS);
        exporter.start();
        await().until(() -> requests.open.size() == 1);
        requests.next().retryAfter(TimeUnit.MINUTES.toNanos(1));
        await().until(() -> exporter.requestsInFlight() == 0);

        // The clock stands still, so this would last for ever.
        assertThat(closeWithin(Duration.ofSeconds(59))).succeedsWithin(Duration.ofSeconds(30));
        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(1);
    }

    @Test
    void theLastAnswersCountAlsoWhenTheTimeForClosingIsUp() {
        List<Boolean> takenIn = new CopyOnWriteArrayList<>();
        exporter = exporter(
                closing(() -> {
                    takenIn.add(buffer.offer(new Pushes.Raw(1)));
                    requests.of("a1").answer(ACCEPTED);
                    requests.of("b1").answer(RETRY);
                }),
                LoggerFactory.getLogger("test"));
        for (String push : List.of("a1", "b1", "c1", "d1")) {
            push(push);
            stepAfter(LINGER_MS);
        }
        exporter.start();
        exporter.close(Duration.ZERO);

        await().untilAsserted(() -> assertThat(buffer.pushes()).isZero());
        await().untilAsserted(() -> assertThat(exporter.requestsInFlight()).isZero());
        assertThat(takenIn).containsExactly(false);
        assertThat(metrics.pushesDelivered().total()).isEqualTo(1);
        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(3 + 1);
        assertExported(3, Map.of("type", 3, "cancelled", 6));
    }

    @Test
    void aSenderThatCannotBeClosedKeepsNothing() {
        CompletableFuture<Throwable> diedOf = new CompletableFuture<>();
        exporter = exporter(
                closing(() -> {
                    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> diedOf.complete(failure));
                    throw new IllegalStateException("no end");
                }),
                LoggerFactory.getLogger("test"));
        push("a1");
        stepAfter(LINGER_MS);
        exporter.start();
        exporter.close(Duration.ZERO);

        assertThat(diedOf).succeedsWithin(Duration.ofSeconds(60)).asString().contains("no end");
        assertThat(buffer.pushes()).isZero();
        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(1);
    }

    @Test
    void aBatchInTheSendersHandWhenItsTimeIsUpIsDroppedAndCounted() {
        AtomicBoolean broken = new AtomicBoolean();
        exporter = new PushExporter(
                new ExportSettings(100, LINGER_MS, MAX_AGE_MS, 8),
                buffer,
                closing(() -> {
                    broken.set(false);
                }),
                reachability,
                metrics,
                () -> {
                    if (broken.get() && Thread.currentThread().getName().equals("client-telemetry-sender")) {
                        throw new IllegalStateException("no clock");
                    }
                    return clock.getAsLong();
                },
                new BackOff(RetryPolicy.getDefault(), () -> 0.5));
        push("a1");
        stepAfter(LINGER_MS);
        broken.set(true);
        requests.next().answer(RETRY);
        exporter.start();
        await().until(() -> exporter.requestsInFlight() == 0);

        exporter.close(Duration.ZERO);

        await().untilAsserted(() -> assertThat(buffer.pushes()).isZero());
        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(1);
    }

    private void assertPause(long readyBytes, long millis) {
        assertThat(exporter.pause())
                .isEqualTo(new PushExporter.Pause(readyBytes, TimeUnit.MILLISECONDS.toNanos(millis)));
    }

    @Test
    void theSenderPausesUntilThereIsSomethingToDo() {
        exporter = exporter(9, 2);
        exporter.step();
        assertPause(1, 30_000);
        buffer.offer(new Pushes.Raw(10));
        assertPause(1, 1000);
        buffer.failed(take());

        push("a1");
        clock.advanceMillis(100);
        assertPause(9, 400);
        stepAfter(400);
        push("b12345678");
        exporter.step();
        assertThat(exporter.requestsInFlight()).isEqualTo(2);
        push("c1");
        assertPause(Long.MAX_VALUE, 1000);

        requests.of("a1").answer(RETRY);
        stepAfter(0);
        stepAfter(100);
        assertPause(9, 400);
        stepAfter(400);
        assertThat(requests.sent).last().isEqualTo("c1");
        requests.of("c1").answer(RETRY);
        stepAfter(0);
        stepAfter(300);
        assertPause(1, 200);
        clock.advanceMillis(300);
        assertPause(1, 0);

        requests.of("b12345678").retryAfter(TimeUnit.MILLISECONDS.toNanos(500));
        exporter.step();
        clock.advanceMillis(100);
        assertPause(Long.MAX_VALUE, 400);
    }

    @Test
    void withMoreFailedBatchesThanMayBeTriedNewPushesEndNoPause() {
        exporter = exporter(3, 1);
        push("a1", "b1");
        exporter.step();
        requests.next().answer(RETRY);
        exporter.step();
        requests.next().answer(RETRY);
        exporter.step();
        push("c1");
        clock.advanceMillis(100);

        assertPause(Long.MAX_VALUE, 900);
    }

    @Test
    void closingKeepsATimeForGivingUp() {
        exporter.close(Duration.ofSeconds(4));
        assertPause(1, 3700);
        clock.advanceMillis(3701);
        assertPause(1, 0);

        exporter = exporter(100, 8);
        exporter.close(Duration.ofMillis(400));
        assertPause(1, 300);
    }

    @Test
    void closingTriesAgainWhatFailedAtOnceButOnlyOnce() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        exporter = exporter(
                requests.behind((payload, onAnswer) -> {
                    sizes.add(payload.size());
                    onAnswer.accept(Answer.of(RETRY, "503", "HTTP 503"));
                }),
                LoggerFactory.getLogger("test"));
        push("a1");
        clock.advanceMillis(LINGER_MS);
        exporter.start();
        await().until(() -> sizes.size() == 1 && exporter.requestsInFlight() == 0);
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("client-telemetry-sender"))
                .as("the broker ends without it")
                .isNotEmpty()
                .allMatch(Thread::isDaemon);

        CompletableFuture<Void> closed = closeWithin(Duration.ofSeconds(59));
        await().until(() -> sizes.size() == 2 && exporter.requestsInFlight() == 0 && isASenderWaiting());
        // The time for closing, and whatever the batch would have to wait for.
        clock.advanceMillis(60_000);
        buffer.wake();

        assertThat(closed).succeedsWithin(Duration.ofSeconds(60));
        await().untilAsserted(() -> assertThat(buffer.pushes()).isZero());
        assertThat(sizes).hasSize(2);
        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(1);
    }

    private static boolean isASenderWaiting() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("client-telemetry-sender")
                        && thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void anUnexpectedFailureIsToldAndSendingGoesOnAsIfThereHadBeenNone() {
        AtomicBoolean broken = new AtomicBoolean();
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        exporter = new PushExporter(
                new ExportSettings(100, LINGER_MS, MAX_AGE_MS, 8),
                buffer,
                requests.behind((payload, onAnswer) -> {
                    sizes.add(payload.size());
                    onAnswer.accept(Answer.of(ACCEPTED, "", ""));
                }),
                reachability,
                metrics,
                () -> {
                    if (broken.getAndSet(false)) {
                        throw new IllegalStateException("no clock");
                    }
                    return clock.getAsLong();
                },
                new BackOff(RetryPolicy.getDefault(), () -> 0.5));
        try (CapturedLog log = new CapturedLog()) {
            push("a1");
            clock.advanceMillis(LINGER_MS);
            broken.set(true);
            exporter.start();
            await().until(() -> sizes.size() == 1 && exporter.requestsInFlight() == 0);
            assertThat(log.lines("Sending failed unexpectedly, and goes on")).hasSize(1);

            // As long as it would be told again if it were the case again.
            clock.advanceMillis(600_000);
            push("b1");
            clock.advanceMillis(LINGER_MS);
            buffer.wake();
            await().until(() -> sizes.size() == 2);

            assertThat(log.lines("unexpectedly")).hasSize(1);
        } finally {
            exporter.close(Duration.ofMillis(500));
        }
    }

    @Test
    void whatTheLogOfTheEndpointsStateHeldBackIsToldInTime() {
        try (CapturedLog log = new CapturedLog()) {
            Reachability changing =
                    new Reachability("http://backend", LoggerFactory.getLogger(PushExporter.class), clock);
            exporter = new PushExporter(
                    new ExportSettings(100, LINGER_MS, MAX_AGE_MS, 8),
                    buffer,
                    requests,
                    changing,
                    metrics,
                    clock,
                    new BackOff(RetryPolicy.getDefault(), () -> 0.5));
            for (int i = 0; i < 10; i++) {
                changing.answered(Answer.of(RETRY, "503", "HTTP 503"), changing.accepted(false), false);
                changing.answered(Answer.of(ACCEPTED, "", ""), changing.accepted(false), false);
            }
            changing.answered(Answer.of(RETRY, "503", "HTTP 503"), changing.accepted(false), false);
            int told = log.lines().size();
            exporter.step();
            assertThat(log.lines()).hasSize(told);

            stepAfter(60_000);

            assertThat(log.lines()).hasSize(told + 1);
        }
    }

    @ParameterizedTest
    @EnumSource(Answer.Outcome.class)
    void everyAnswerEndsWithEachPointExportedOnce(Answer.Outcome outcome) {
        push("a1", "a2", "b1");
        stepAfter(LINGER_MS);
        for (int i = 0; buffer.pushes() > 0 && i < 20; i++) {
            assertThat(exporter.pointsInFlight()).isPositive();
            requests.answerAll(pushes -> true, outcome);
            stepAfter(10_000);
        }

        assertThat(buffer.pushes()).isZero();
        assertThat(exporter.pointsInFlight()).isZero();
        assertThat(metrics.pointsSent().total() + metrics.pointsFailed().total())
                .isEqualTo(9);
        assertThat(metrics.deliveryTimes().succeeded().count()
                        + metrics.deliveryTimes().failures())
                .isBetween(1L, 3L);
    }

    @Test
    void closingWithoutStartingFreesEverythingAndCountsIt() {
        push("a1", "b1");

        exporter.close(Duration.ofSeconds(5));

        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(2);
        assertThat(buffer.bytes()).isZero();
        assertThat(requests.closed).isTrue();
        assertThat(buffer.offer(new Pushes.Raw(1))).isFalse();
        assertThat(metrics.pushesDropped().total())
                .as("what comes after is counted too")
                .isEqualTo(3);
    }

    /** The held requests, with an end of its own. */
    private RequestSender closing(Runnable close) {
        return new RequestSender() {
            @Override
            public void send(Payload payload, Consumer<Answer> onAnswer) {
                requests.send(payload, onAnswer);
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }

    private PushExporter exporter(RequestSender sender, Logger log) {
        return new PushExporter(
                new ExportSettings(100, LINGER_MS, MAX_AGE_MS, 8),
                buffer,
                sender,
                reachability,
                metrics,
                clock,
                new BackOff(RetryPolicy.getDefault(), () -> 0.5),
                log);
    }

    /** A log whose disk is full, or worse. */
    private static Logger brokenLog() {
        return (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    throw new IllegalStateException("no log");
                });
    }

    private void stepThatMayThrow() {
        try {
            exporter.step();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("no log");
        }
    }

    @Test
    void aSenderThatThrowsIsAFailedAttempt() {
        boolean[] broken = {true};
        exporter = exporter(
                requests.behind((payload, onAnswer) -> {
                    if (broken[0]) {
                        throw new AssertionError("no threads");
                    }
                    requests.send(payload, onAnswer);
                }),
                LoggerFactory.getLogger("test"));
        push("a1");
        stepAfter(LINGER_MS);
        exporter.step();
        assertThat(exporter.requestsInFlight()).isZero();
        assertThat(buffer.pushes()).isEqualTo(1);

        broken[0] = false;
        stepAfter(10_000);
        requests.next().answer(ACCEPTED);
        exporter.step();

        assertThat(requests.sent).containsExactly("a1");
        assertThat(buffer.bytes()).isZero();
        assertThat(buffer.pushes()).isZero();
        assertThat(metrics.pushesDropped().total()).isZero();
    }

    @Test
    void onlyTheFirstAnswerToAnAttemptCounts() {
        exporter = exporter(
                requests.behind((payload, onAnswer) -> {
                    onAnswer.accept(Answer.of(ACCEPTED, "", ""));
                    onAnswer.accept(Answer.of(ENDPOINT_REFUSES, "401", "no"));
                    throw new IllegalStateException("after all");
                }),
                LoggerFactory.getLogger("test"));
        push("a1");
        stepAfter(LINGER_MS);
        exporter.step();

        assertThat(exporter.requestsInFlight()).isZero();
        assertThat(buffer.bytes()).isZero();
        assertThat(buffer.pushes()).isZero();
        assertThat(metrics.pushesDropped().total()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Answer.Outcome.class)
    void aLogThatThrowsHoldsNothingUp(Answer.Outcome outcome) {
        exporter = exporter(requests, brokenLog());
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().answer(outcome);
        stepThatMayThrow();
        assertThat(exporter.requestsInFlight()).isLessThanOrEqualTo(1);

        for (int i = 0; i < 10 && buffer.pushes() > 0; i++) {
            clock.advanceMillis(10_000);
            stepThatMayThrow();
            requests.answerAll(pushes -> true, ACCEPTED);
            stepThatMayThrow();
        }

        assertThat(exporter.requestsInFlight()).isZero();
        assertThat(buffer.bytes()).isZero();
        assertThat(buffer.pushes()).isZero();
    }

    @Test
    void aLogThatThrowsDoesNotKeepAPartlyRejectedBatch() {
        exporter = exporter(requests, brokenLog());
        push("a1");
        stepAfter(LINGER_MS);
        requests.next().rejected(1);
        exporter.step();

        assertThat(metrics.pointsRejected().total()).isEqualTo(1);
        assertThat(buffer.bytes()).isZero();
    }
}
