/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ExportBufferTest {
    private static final int PAYLOAD = 744;
    /** What a push counts for: with the overhead, 1000. */
    private static final int COST = 1000;

    private final SetClock clock = new SetClock();
    private final Pushes pushes = new Pushes(clock);
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final ExportBuffer<Pushes.Raw> buffer = new ExportBuffer<>(16 * COST, metrics);

    private boolean offer() {
        return buffer.offer(new Pushes.Raw(PAYLOAD));
    }

    private void convert(int instance) {
        buffer.converted(take(), pushes.chunk(instance, PAYLOAD));
    }

    private Pushes.Raw take() {
        return buffer.take();
    }

    private Batch takeBatch(int bytes) {
        return takeBatch(buffer, new ExportSettings(bytes, 0, 1, 1));
    }

    private Batch takeBatch(ExportBuffer<?> from, ExportSettings settings) {
        Batch batch = new Batch();
        return from.takeBatch(batch, settings, true, clock.getAsLong()) ? batch : null;
    }

    @AfterEach
    void nothingKeepsItLocked() {
        assertThat(CompletableFuture.supplyAsync(buffer::waiting)).succeedsWithin(Duration.ofSeconds(30));
    }

    private long dropped(PushDropReason reason) {
        return metrics.pushesDropped().total(reason);
    }

    @Test
    void bytesCountInEveryStageUntilTheBackendHasThem() {
        assertThat(offer()).isTrue();
        assertThat(buffer.bytes()).isEqualTo(COST);
        Pushes.Raw raw = take();
        assertThat(buffer.bytes()).as("being converted").isEqualTo(COST);
        buffer.converted(raw, pushes.chunk(1, PAYLOAD + 100));
        assertThat(buffer.bytes()).as("converted").isEqualTo(COST + 100);
        Batch batch = takeBatch(10_000);
        assertThat(buffer.bytes()).as("in flight").isEqualTo(COST + 100);
        buffer.keep(batch);
        assertThat(buffer.takeKept(batch, 0)).isTrue();
        assertThat(buffer.bytes()).as("in flight again").isEqualTo(COST + 100);

        buffer.done(batch, null, 0);

        assertThat(buffer.bytes()).isZero();
        assertThat(buffer.pushes()).isZero();
        assertThat(metrics.pushesDropped().total()).isZero();
        assertThat(metrics.pushesDelivered().total()).isEqualTo(1);
        assertThat(metrics.pushesEmpty().total()).isZero();
    }

    @Test
    void aPushThatCannotBeConvertedIsFreedAndCounted() {
        offer();

        buffer.failed(take());

        assertThat(buffer.bytes()).isZero();
        assertThat(buffer.pushes()).isZero();
        assertThat(dropped(PushDropReason.INTERNAL_ERROR)).isEqualTo(1);
        assertThat(metrics.pushesEmpty().total()).isZero();
    }

    @Test
    void aPushOfWhichNothingIsLeftIsFreed() {
        offer();
        offer();

        buffer.converted(take(), null);
        buffer.converted(take(), pushes.chunk(1, 0));

        assertThat(buffer.bytes()).isZero();
        assertThat(metrics.pushesDropped().total()).isZero();
        assertThat(metrics.pushesEmpty().total()).isEqualTo(2);
    }

    @Test
    void convertedPushesNeverTakeTheReserve() {
        for (int i = 0; i < 20; i++) {
            offer();
            convert(i);
        }

        assertThat(buffer.bytes()).isEqualTo(14 * COST);
        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(6);
        assertThat(offer()).isTrue();
        assertThat(offer()).isTrue();
        assertThat(buffer.pushes()).isEqualTo(16);
    }

    @Test
    void theReserveIsAnEighthToTheByte() {
        for (int i = 0; i < 13; i++) {
            offer();
            convert(i);
        }
        offer();
        buffer.converted(take(), pushes.chunk(13, PAYLOAD));
        assertThat(metrics.pushesDropped().total()).isZero();
        buffer.done(takeBatch(PAYLOAD), null, 0);
        offer();
        buffer.converted(take(), pushes.chunk(14, PAYLOAD + 1));

        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(1);
        assertThat(buffer.bytes()).isEqualTo(13 * COST + 1);
    }

    @Test
    void whatWouldFitAloneIsLostToThoseThatWaitForConversion() {
        offer();

        assertThat(buffer.offer(new Pushes.Raw(15 * COST + PAYLOAD))).isFalse();

        assertThat(dropped(PushDropReason.CONVERSION_BACKLOG)).isEqualTo(1);
        assertThat(dropped(PushDropReason.BUFFER_FULL)).isZero();
    }

    @Test
    void theOldestConvertedGoFirst() {
        for (int i = 0; i < 16; i++) {
            offer();
            convert(i);
        }

        Batch batch = takeBatch(100_000);

        assertThat(batch.entries)
                .extracting(entry -> entry.chunk().instance().idLeastSignificantBits())
                .first()
                .isEqualTo(2L);
    }

    @Test
    void whatIsEvictedOutOfAFailedBatchHoldsNoBytesAnyMore() {
        for (int i = 0; i < 14; i++) {
            offer();
            convert(i);
        }
        Batch failed = takeBatch(100_000);
        buffer.begin(failed, 0);
        buffer.keep(failed);
        for (int i = 0; i < 14; i++) {
            offer();
            convert(100 + i);
        }

        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(14);
        assertThat(failed.entries)
                .hasSize(14)
                .allSatisfy(entry -> assertThat(entry.chunk().size()).isZero());
    }

    @Test
    void aPushThatFindsTheRestFullEvictsConvertedOnes() {
        for (int i = 0; i < 14; i++) {
            offer();
            convert(i);
        }
        offer();
        offer();

        assertThat(offer()).as("evicts one").isTrue();

        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(1);
        assertThat(dropped(PushDropReason.CONVERSION_BACKLOG)).isZero();
        assertThat(buffer.bytes()).isEqualTo(16 * COST);
    }

    @Test
    void aPushIsLostUnconvertedOnlyWhereNothingConvertedCanGo() {
        for (int i = 0; i < 14; i++) {
            offer();
            convert(i);
        }
        Batch inFlight = takeBatch(100_000);
        offer();
        offer();

        assertThat(offer()).isFalse();

        assertThat(dropped(PushDropReason.CONVERSION_BACKLOG)).isEqualTo(1);
        assertThat(dropped(PushDropReason.BUFFER_FULL)).isZero();
        buffer.done(inFlight, null, 0);
        assertThat(offer()).isTrue();
    }

    @Test
    void whatIsInFlightIsNotEvictedAndTheNewestGoesInstead() {
        for (int i = 0; i < 14; i++) {
            offer();
            convert(i);
        }
        takeBatch(100_000);
        offer();

        convert(99);

        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(1);
        assertThat(buffer.bytes()).isEqualTo(14 * COST);
    }

    @Test
    void aPushThatCannotFitEvictsNothing() {
        offer();
        convert(1);

        assertThat(buffer.offer(new Pushes.Raw(16 * COST))).isFalse();

        assertThat(buffer.pushes()).isEqualTo(1);
        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(1);
    }

    @Test
    void aPushThatTakesAllTheRoomEvictsWhatWaits() {
        offer();
        convert(1);

        assertThat(buffer.offer(new Pushes.Raw(15 * COST + PAYLOAD))).isTrue();

        assertThat(buffer.bytes()).isEqualTo(16 * COST);
        assertThat(buffer.waiting()).isZero();
        assertThat(dropped(PushDropReason.BUFFER_FULL)).isEqualTo(1);
    }

    @Test
    void aConvertedPushMayTakeAllThatThoseUnderWayLeave() {
        for (int i = 0; i < 13; i++) {
            offer();
            convert(i);
        }
        takeBatch(100_000);
        offer();

        convert(99);

        assertThat(buffer.waiting()).isEqualTo(1);
        assertThat(metrics.pushesDropped().total()).isZero();
    }

    @Test
    void theOldestThatMayBeSentSaysWhenCompanyIsNoLongerWaitedFor() {
        assertThat(buffer.untilDue(500, clock.getAsLong())).isEqualTo(Long.MAX_VALUE);
        offer();
        convert(1);
        assertThat(buffer.untilDue(500, clock.getAsLong())).isEqualTo(500);
        assertThat(buffer.untilDue(500, clock.getAsLong() + 499)).isEqualTo(1);
        assertThat(buffer.untilDue(500, clock.getAsLong() + 501)).isZero();

        buffer.giveBackAlone(takeBatch(10_000), 1000, clock.getAsLong());
        assertThat(buffer.untilDue(500, clock.getAsLong())).as("goes alone").isZero();
    }

    /** Returns a thread once it waits. */
    private Thread waitingFor(long readyBytes) {
        Thread thread = new Thread(() -> {
            try {
                buffer.await(readyBytes, TimeUnit.DAYS.toNanos(1));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        await().until(thread::getState, Thread.State.TIMED_WAITING::equals);
        return thread;
    }

    private static void assertEnds(Thread thread) {
        await().until(() -> !thread.isAlive());
    }

    @Test
    void waitingEndsAsSoonAsEnoughIsReady() throws InterruptedException {
        Thread waiting = waitingFor(2 * PAYLOAD);
        offer();
        convert(1);
        offer();
        convert(2);
        assertEnds(waiting);

        // Enough is there already.
        buffer.await(2 * PAYLOAD, TimeUnit.DAYS.toNanos(1));
    }

    @Test
    void waitingEndsForAPushThatGoesAloneUnlessNothingIsToBeSent() throws InterruptedException {
        buffer.goAlone(pushes.instance(1), TimeUnit.DAYS.toNanos(1), clock.getAsLong());
        buffer.takeBatch(new Batch(), new ExportSettings(1, 0, 1, 1), true, clock.getAsLong());
        Thread waiting = waitingFor(100 * PAYLOAD);
        offer();
        convert(1);
        assertEnds(waiting);
        buffer.await(100 * PAYLOAD, TimeUnit.DAYS.toNanos(1));

        waiting = waitingFor(Long.MAX_VALUE);
        buffer.wake();
        assertEnds(waiting);
    }

    @Test
    void beingWokenEndsOneWaitAlsoIfItIsTheNext() throws InterruptedException {
        buffer.wake();
        buffer.await(Long.MAX_VALUE, TimeUnit.DAYS.toNanos(1));

        Thread waiting = waitingFor(Long.MAX_VALUE);
        buffer.wake();
        assertEnds(waiting);
    }

    /** So that the sum of all that became of pushes is right for whoever waits until none is held. */
    @Test
    void aPushIsCountedBeforeItIsHeldNoMore() {
        AtomicLong taken = new AtomicLong();
        CompletableFuture<Void> offering = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 30_000; i++) {
                assertThat(offer()).isTrue();
                taken.incrementAndGet();
                switch (i % 3) {
                    case 0 -> buffer.failed(take());
                    case 1 -> buffer.converted(take(), null);
                    default -> {
                        convert(1);
                        buffer.done(takeBatch(COST), null, 0);
                    }
                }
            }
        });
        long missing = 0;
        while (!offering.isDone()) {
            long all = taken.get();
            long held = buffer.pushes();
            long counted = metrics.pushesDropped().total()
                    + metrics.pushesEmpty().total()
                    + metrics.pushesDelivered().total();
            missing = Math.max(missing, all - held - counted);
        }

        assertThat(offering).isCompleted();
        assertThat(missing).isZero();
    }

    @Test
    void tinyPushesAreBoundedToo() {
        int taken = 0;
        while (buffer.offer(new Pushes.Raw(2))) {
            taken++;
        }

        assertThat(taken).isEqualTo(16 * COST / 258);
    }

    @Test
    void aPushForWhichThereIsNoMemoryIsNeitherHeldNorCounted() {
        Pushes.Raw push = new Pushes.Raw(PAYLOAD);
        ExportBuffer<Pushes.Raw> failing = new ExportBuffer<>(16 * COST, metrics, new ConcurrentLinkedQueue<>() {
            @Override
            public boolean add(Pushes.Raw added) {
                throw new OutOfMemoryError("as the test says");
            }
        });

        assertThatThrownBy(() -> failing.offer(push)).isInstanceOf(OutOfMemoryError.class);

        assertThat(failing.bytes()).isZero();
        assertThat(failing.pushes()).isZero();
        assertThat(metrics.pushesDropped().total()).isZero();
    }

    @Test
    void anExportBeganWithWhicheverOfItsPushesWasSentFirst() {
        long start = clock.getAsLong();
        offer();
        convert(1);
        Batch busy = takeBatch(PAYLOAD);
        offer();
        convert(1);
        offer();
        convert(2);
        Batch first = takeBatch(PAYLOAD);
        buffer.begin(first, start + 100);
        first.failed("503");
        buffer.giveBackAlone(first, 0, start + 200);
        buffer.done(busy, null, start + 300);

        Batch both = takeBatch(10 * PAYLOAD);
        assertThat(both.instances()).isEqualTo(2);
        assertThat(both.entries.get(0).attempted()).isFalse();
        buffer.begin(both, start + 1000);

        assertThat(both.firstAttemptNanos()).isEqualTo(start + 100);
    }

    @Test
    void closingCountsWhatWaitsInAllStages() {
        offer();
        convert(1);
        offer();
        convert(2);
        Batch batch = takeBatch(PAYLOAD);
        offer();
        offer();
        Pushes.Raw converting = take();

        buffer.close();
        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(2);
        buffer.converted(converting, pushes.chunk(3, PAYLOAD));
        buffer.done(batch, null, 0);

        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(3);
        assertThat(buffer.bytes()).isZero();
        assertThat(offer()).isFalse();
        assertThat(dropped(PushDropReason.SHUTDOWN)).isEqualTo(4);
    }

    /** Whatever happens in which order: the bound holds, every push is accounted for, and each client's order is kept. */
    @Test
    void randomCoursesKeepTheBooks() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            TelemetryMetrics counted = new TelemetryMetrics();
            ExportBuffer<Pushes.Raw> any = new ExportBuffer<>(20_000, counted);
            ExportSettings settings = new ExportSettings(3000, 0, 1000, 4);
            Deque<Pushes.Raw> converting = new ArrayDeque<>();
            Deque<Batch> inFlight = new ArrayDeque<>();
            Deque<Batch> kept = new ArrayDeque<>();
            long[] lastSent = new long[5];
            long offered = 0;
            Set<SendQueue.Entry> begun = Collections.newSetFromMap(new IdentityHashMap<>());
            long deliveredPoints = 0;
            for (int i = 0; i < 2000; i++) {
                clock.advanceMillis(1);
                switch (random.nextInt(8)) {
                    case 0, 1 -> {
                        any.offer(new Pushes.Raw(random.nextInt(1500)));
                        offered++;
                    }
                    case 2 -> {
                        Pushes.Raw raw = any.take();
                        if (raw != null) {
                            converting.add(raw);
                        }
                    }
                    case 3 -> {
                        if (!converting.isEmpty()) {
                            Pushes.Raw raw = converting.removeFirst();
                            switch (random.nextInt(10)) {
                                case 0 -> any.failed(raw);
                                case 1 -> any.converted(raw, null);
                                default ->
                                    any.converted(raw, pushes.chunk(random.nextInt(5), 1 + random.nextInt(1500)));
                            }
                        }
                    }
                    case 4 -> {
                        Batch batch = takeBatch(any, settings);
                        if (batch != null) {
                            any.begin(batch, clock.getAsLong());
                            begun.addAll(batch.entries);
                            inFlight.add(batch);
                        }
                    }
                    case 5 -> {
                        if (!inFlight.isEmpty()) {
                            Batch batch = inFlight.removeFirst();
                            for (SendQueue.Entry entry : batch.entries) {
                                int instance = (int) entry.chunk().instance().idLeastSignificantBits();
                                assertThat(entry.chunk().receivedNanos() - lastSent[instance])
                                        .as("order of instance %d, seed %d", instance, seed)
                                        .satisfies(later -> assertThat(lastSent[instance] == 0 || later > 0)
                                                .isTrue());
                                lastSent[instance] = entry.chunk().receivedNanos();
                            }
                            deliveredPoints += batch.points();
                            any.done(batch, null, clock.getAsLong());
                        }
                    }
                    case 6 -> {
                        if (!inFlight.isEmpty()) {
                            Batch batch = inFlight.removeFirst();
                            batch.failed("503");
                            if (batch.instances() > 1 && random.nextBoolean()) {
                                for (Batch half : batch.halves()) {
                                    any.keep(half);
                                    kept.add(half);
                                }
                            } else if (batch.instances() == 1 && random.nextBoolean()) {
                                any.giveBackAlone(batch, TimeUnit.MILLISECONDS.toNanos(100), clock.getAsLong());
                            } else {
                                any.keep(batch);
                                kept.add(batch);
                            }
                        }
                    }
                    default -> {
                        if (!kept.isEmpty()) {
                            Batch batch = kept.removeFirst();
                            if (any.takeKept(batch, clock.getAsLong())) {
                                any.begin(batch, clock.getAsLong());
                                inFlight.add(batch);
                            }
                        }
                        any.dropOlderThan(TimeUnit.MILLISECONDS.toNanos(700), clock.getAsLong());
                    }
                }
                assertThat(any.bytes()).isBetween(0L, 20_000L);
                assertThat(ended(counted) + any.pushes()).as("seed %d", seed).isEqualTo(offered);
                assertThat(deliveredPoints + counted.pointsFailed().total() + any.pointsInFlight())
                        .as("seed %d", seed)
                        .isEqualTo(points(begun));
            }
            for (Batch batch : inFlight) {
                any.done(batch, PushDropReason.SHUTDOWN, clock.getAsLong());
            }
            converting.forEach(raw -> any.converted(raw, null));
            any.close();

            assertThat(any.bytes()).as("seed %d", seed).isZero();
            assertThat(any.pushes()).isZero();
            assertThat(any.waiting()).isZero();
            assertThat(ended(counted)).isEqualTo(offered);
            assertThat(any.pointsInFlight()).isZero();
            assertThat(deliveredPoints + counted.pointsFailed().total()).isEqualTo(points(begun));
        }
    }

    private static long ended(TelemetryMetrics counted) {
        return counted.pushesDelivered().total()
                + counted.pushesEmpty().total()
                + counted.pushesDropped().total();
    }

    private static long points(Set<SendQueue.Entry> entries) {
        return entries.stream().mapToLong(entry -> entry.chunk().points()).sum();
    }
}
