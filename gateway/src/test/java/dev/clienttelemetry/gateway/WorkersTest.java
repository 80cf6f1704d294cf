/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    /** Its tasks are run by hand: no test waits for a deadline. */
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

    private final Workers workers = new Workers(1, 3, 1 << 20, timer);
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch holding = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() {
        held.countDown();
        workers.close();
        timer.shutdownNow();
    }

    @Test
    void workThatTakesTooLongIsAnsweredAndHoldsItsRoomUntilItIsDone() throws Exception {
        CompletableFuture<String> slow = take("slow", true);
        holding.await();

        deadlinesPass();

        assertThat(slow.get()).isEqualTo("too late");
        assertThat(workers.late()).isEqualTo(1);
        assertThat(workers.waitingBytes()).isPositive();
        held.countDown();
        assertThat(take("next", false).get()).isEqualTo("next");
        assertThat(workers.waitingBytes()).isZero();
    }

    @Test
    void workThatStillWaitsWhenItsTimeIsUpIsNotDone() throws Exception {
        take("slow", true);
        holding.await();
        CompletableFuture<String> waiting = take("waiting", false);

        deadlinesPass();
        held.countDown();

        assertThat(waiting.get()).isEqualTo("too late");
        assertThat(take("next", false).get()).isEqualTo("next");
        assertThat(runs).as("slow and next").hasValue(2);
        assertThat(workers.late()).isEqualTo(2);
    }

    @Test
    void workThatIsDoneInTimeLeavesNoDeadlineBehind() throws Exception {
        assertThat(take("quick", false).get()).isEqualTo("quick");

        deadlinesPass();

        assertThat(workers.late()).isZero();
    }

    @Test
    void oneConnectionHasOneRequestWithTheWorkersAlsoWhenItWasAnsweredLate() throws Exception {
        Workers.Lane lane = new Workers.Lane();
        CompletableFuture<String> slow = take(lane, "slow", true).orElseThrow().toCompletableFuture();
        holding.await();

        assertThat(take(lane, "second", false)).isEmpty();
        deadlinesPass();
        assertThat(slow.get()).isEqualTo("too late");
        assertThat(take(lane, "third", false)).isEmpty();
        assertThat(workers.refused()).isEqualTo(2);
        held.countDown();

        assertThat(take("another connection's", false).get()).isEqualTo("another connection's");
        assertThat(take(lane, "fourth", false)
                        .orElseThrow()
                        .toCompletableFuture()
                        .get())
                .isEqualTo("fourth");
        assertThat(workers.waitingRequests()).isZero();
        assertThat(workers.waitingBytes()).isZero();
    }

    @Test
    void theNumberOfRequestsThatWaitIsBounded() throws Exception {
        CompletableFuture<String> slow = take("slow", true);
        holding.await();
        CompletableFuture<String> second = take("second", false);
        CompletableFuture<String> third = take("third", false);

        assertThat(workers.waitingRequests()).isEqualTo(3);
        assertThat(take(new Workers.Lane(), "fourth", false)).isEmpty();
        assertThat(workers.waitingRequests()).isEqualTo(3);
        assertThat(workers.refused()).isEqualTo(1);
        held.countDown();

        assertThat(slow.get()).isEqualTo("slow");
        assertThat(second.get()).isEqualTo("second");
        assertThat(third.get()).isEqualTo("third");
        assertThat(take("fourth", false).get()).isEqualTo("fourth");
    }

    @Test
    void whatComesAfterTheEndIsRefusedAndLeavesNothingBehind() {
        workers.close();

        assertThat(take(new Workers.Lane(), "late", false)).isEmpty();
        assertThat(workers.waitingRequests()).isZero();
        assertThat(workers.waitingBytes()).isZero();
        deadlinesPass();
        assertThat(workers.late()).isZero();
    }

    private CompletableFuture<String> take(String answer, boolean hold) {
        return take(new Workers.Lane(), answer, hold).orElseThrow().toCompletableFuture();
    }

    private Optional<CompletionStage<String>> take(Workers.Lane lane, String answer, boolean hold) {
        return workers.take(
                lane,
                100,
                () -> {
                    runs.incrementAndGet();
                    if (hold) {
                        awaitRelease();
                    }
                    return answer;
                },
                () -> "too late");
    }

    private void awaitRelease() {
        holding.countDown();
        try {
            held.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void deadlinesPass() {
        for (Runnable deadline : timer.getQueue().toArray(Runnable[]::new)) {
            timer.remove(deadline);
            deadline.run();
        }
    }
}
