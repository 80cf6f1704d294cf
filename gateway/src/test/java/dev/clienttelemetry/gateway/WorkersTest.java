/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private static final int PAYLOAD_BYTES = 100;
    /** What {@link Workers} takes a request to need besides. */
    private static final int REQUEST_BYTES = 1024;

    /** Their time is told by hand: no test waits for a deadline. */
    private final List<Runnable> deadlines = new ArrayList<>();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> schedule(Runnable deadline, long delay, TimeUnit unit) {
            deadlines.add(deadline);
            return super.schedule(deadline, 1, TimeUnit.DAYS);
        }
    };

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
        assertThat(workers.waitingRequests()).isZero();
        assertThat(workers.waitingBytes()).isZero();
    }

    @Test
    void workThatIsDoneInTimeLeavesNoDeadlineBehind() throws Exception {
        timer.setRemoveOnCancelPolicy(true);
        CompletableFuture<String> quick = take("quick", true);
        assertThat(timer.getQueue()).hasSize(1);

        held.countDown();

        assertThat(quick.get()).isEqualTo("quick");
        assertThat(timer.getQueue()).isEmpty();
    }

    @Test
    void aDeadlineAtTheVeryEndOfTheWorkAnswersNothingAndCountsNothing() throws Exception {
        CompletableFuture<String> quick = take("quick", false);
        assertThat(quick.get()).isEqualTo("quick");

        deadlinesPass();

        assertThat(quick.get()).isEqualTo("quick");
        assertThat(workers.late()).isZero();
    }

    @Test
    void workThatFailsIsAnsweredAllTheSameAndItsRoomIsFree() {
        CompletableFuture<String> failing = workers.<String>take(
                        new Workers.Lane(),
                        100,
                        () -> {
                            throw new OutOfMemoryError("for the test");
                        },
                        () -> "instead")
                .orElseThrow()
                .toCompletableFuture();

        assertThat(failing).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("instead");
        assertThat(workers.late()).isZero();
        assertThat(workers.waitingRequests()).isZero();
        assertThat(workers.waitingBytes()).isZero();
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
    void theirBytesAreBoundedToo() throws Exception {
        Workers small = new Workers(1, 99, 2 * PAYLOAD_BYTES + REQUEST_BYTES - 1, timer);
        try {
            CompletableFuture<String> slow =
                    take(small, new Workers.Lane(), "slow", true).orElseThrow().toCompletableFuture();
            holding.await();

            assertThat(take(small, new Workers.Lane(), "second", false)).isEmpty();
            assertThat(small.refused()).isEqualTo(1);
            assertThat(small.waitingRequests()).isEqualTo(1);
            assertThat(small.waitingBytes()).isEqualTo(PAYLOAD_BYTES + REQUEST_BYTES);
            held.countDown();

            assertThat(slow.get()).isEqualTo("slow");
            assertThat(take(small, new Workers.Lane(), "third", false)
                            .orElseThrow()
                            .toCompletableFuture()
                            .get())
                    .isEqualTo("third");
        } finally {
            held.countDown();
            small.close();
        }
    }

    @Test
    void whatComesAfterTheEndIsRefusedAndLeavesNothingBehind() {
        workers.close();

        timer.setRemoveOnCancelPolicy(true);
        assertThat(take(new Workers.Lane(), "late", false)).isEmpty();
        assertThat(workers.refused()).isEqualTo(1);
        assertThat(workers.waitingRequests()).isZero();
        assertThat(workers.waitingBytes()).isZero();
        assertThat(timer.getQueue()).isEmpty();
    }

    /** The pool starts its threads with the work, and the process may have as many as it may have. */
    @Test
    void whatFindsNoThreadIsRefusedAndLeavesNothingBehind() throws Exception {
        AtomicBoolean noThread = new AtomicBoolean(true);
        ScheduledThreadPoolExecutor starved = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable deadline, long delay, TimeUnit unit) {
                if (noThread.get()) {
                    throw new OutOfMemoryError("unable to create native thread (for the test)");
                }
                return super.schedule(deadline, delay, unit);
            }
        };
        Workers waiting = new Workers(1, 3, 1 << 20, starved);
        Workers.Lane lane = new Workers.Lane();
        try {
            assertThat(take(waiting, lane, "starved", false)).isEmpty();
            assertThat(waiting.refused()).isEqualTo(1);
            assertThat(waiting.waitingRequests()).isZero();
            assertThat(waiting.waitingBytes()).isZero();

            noThread.set(false);
            assertThat(take(waiting, lane, "next", false)
                            .orElseThrow()
                            .toCompletableFuture()
                            .get())
                    .isEqualTo("next");
        } finally {
            waiting.close();
            starved.shutdownNow();
        }
    }

    @Test
    void theProxyEndsWithoutTheWorkers() {
        assertThat(workers.take(
                                new Workers.Lane(),
                                0,
                                () -> Thread.currentThread().isDaemon(),
                                () -> false)
                        .orElseThrow())
                .succeedsWithin(Duration.ofSeconds(20))
                .isEqualTo(true);
    }

    private CompletableFuture<String> take(String answer, boolean hold) {
        return take(new Workers.Lane(), answer, hold).orElseThrow().toCompletableFuture();
    }

    private Optional<CompletionStage<String>> take(Workers.Lane lane, String answer, boolean hold) {
        return take(workers, lane, answer, hold);
    }

    private Optional<CompletionStage<String>> take(Workers taking, Workers.Lane lane, String answer, boolean hold) {
        return taking.take(
                lane,
                PAYLOAD_BYTES,
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
        deadlines.forEach(Runnable::run);
    }
}
