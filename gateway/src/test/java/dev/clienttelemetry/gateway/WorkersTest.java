/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    /** Its tasks are run by hand: no test waits for a deadline. */
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

    private final Workers workers = new Workers(1, 1 << 20, timer);
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

    private CompletableFuture<String> take(String answer, boolean hold) {
        return workers.<String>take(
                        100,
                        () -> {
                            runs.incrementAndGet();
                            if (hold) {
                                awaitRelease();
                            }
                            return answer;
                        },
                        () -> "too late")
                .orElseThrow()
                .toCompletableFuture();
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
