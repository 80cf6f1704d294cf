/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.metrics.InstanceEnd;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientInstancesTest {
    private static final Client ALICE = client("alice");
    private static final long ID_MOST = 0x0123456789abcdefL;

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - TimeUnit.MINUTES.toNanos(1));
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final ClientInstances instances = new ClientInstances(4, clock::get, metrics);

    @Test
    void anInstanceIsItsIdNotItsClient() {
        ClientInstance first = push(1, ALICE);
        advanceSeconds(10);
        Client moved = client("bob");
        ClientInstance second = push(1, moved);

        assertThat(second).isSameAs(first);
        assertThat(second.client()).isSameAs(moved);
        assertThat(second.pushes()).isEqualTo(2);
        assertThat(second.lastPushNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
        assertThat(second.idMostSignificantBits()).isEqualTo(ID_MOST);
        assertThat(second.idLeastSignificantBits()).isEqualTo(1);
        assertThat(instances.live(ID_MOST, 1)).isSameAs(first);
        assertThat(instances.live(ID_MOST, 2)).isNull();
        assertThat(push(2, ALICE)).isNotSameAs(first);
        assertThat(instances.size()).isEqualTo(2);
    }

    @Test
    void aPushOfAFoundInstanceIsRecordedAsAnyOther() {
        ClientInstance found = push(1, ALICE);

        assertThat(instances.pushed(found, ALICE, 0, false)).isSameAs(found);
        assertThat(found.pushes()).isEqualTo(2);
    }

    @Test
    void aFoundInstanceThatEndedMeanwhileComesBackAsAnother() {
        ClientInstance found = push(1, ALICE);
        advanceSeconds(15 * 60 + 1);
        assertThat(expired()).containsExactly(found);

        ClientInstance again = instances.pushed(found, ALICE, 0, false);

        assertThat(again).isNotSameAs(found);
        assertThat(again.ended()).isFalse();
        assertThat(again.idLeastSignificantBits()).isEqualTo(1);
        assertThat(again.pushes()).isEqualTo(1);
        assertThat(found.pushes()).isEqualTo(1);
        assertThat(instances.live(ID_MOST, 1)).isSameAs(again);
    }

    @ParameterizedTest
    @CsvSource({"1000, 60", "19999, 60", "20000, 60", "30000, 90", "300000, 900", "2147483647, 6442450"})
    void isKeptThreeIntervalsButAtLeastAMinute(int pushIntervalMs, long keptSeconds) {
        ClientInstance instance = instances.pushed(ID_MOST, 1, ALICE, pushIntervalMs, false);

        advanceSeconds(keptSeconds);
        assertThat(expired()).isEmpty();
        assertThat(instance.ended()).isFalse();

        advanceSeconds(1);
        assertThat(expired()).containsExactly(instance);
        assertThat(instance.ended()).isTrue();
        assertThat(instances.size()).isZero();
        assertThat(metrics.instancesEnded().total(InstanceEnd.EXPIRED)).isEqualTo(1);
    }

    @Test
    void withoutAnIntervalFromTheHostFiveMinutesAreAssumedUntilTheSecondPush() {
        ClientInstance instance = push(1, ALICE);

        assertThat(instance.pushIntervalNanos()).isEqualTo(TimeUnit.MINUTES.toNanos(5));
        advanceSeconds(900);
        assertThat(expired()).isEmpty();
        advanceSeconds(1);
        assertThat(expired()).containsExactly(instance);
    }

    @Test
    void withoutAnIntervalFromTheHostTheLongerOfTheLastTwoDistancesCounts() {
        ClientInstance instance = push(1, ALICE);
        for (int seconds : new int[] {100, 40, 70}) {
            advanceSeconds(seconds);
            push(1, ALICE);
        }

        assertThat(instance.pushIntervalNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(70));
        advanceSeconds(210);
        assertThat(expired()).isEmpty();
        advanceSeconds(1);
        assertThat(expired()).containsExactly(instance);
    }

    @Test
    void theIntervalTheHostToldLastCounts() {
        ClientInstance instance = instances.pushed(ID_MOST, 1, ALICE, 300_000, false);
        instances.pushed(ID_MOST, 1, ALICE, 30_000, false);

        assertThat(instance.pushIntervalNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void aPushKeepsAnInstance() {
        ClientInstance instance = instances.pushed(ID_MOST, 1, ALICE, 1000, false);
        for (int i = 0; i < 10; i++) {
            advanceSeconds(59);
            assertThat(expired()).isEmpty();
            assertThat(instances.pushed(ID_MOST, 1, ALICE, 1000, false)).isSameAs(instance);
        }
    }

    @Test
    void anExpiredInstanceIsHandedOutOnceAndComesBackAsAnother() {
        ClientInstance expiring = push(1, ALICE);
        advanceSeconds(901);

        assertThat(expired()).containsExactly(expiring);
        assertThat(expired()).isEmpty();
        assertThat(push(1, ALICE)).isNotSameAs(expiring);
        assertThat(expired()).isEmpty();
    }

    @Test
    void aTerminatingPushEndsAnInstanceWhichIsNotHandedOut() {
        ClientInstance instance = push(1, ALICE);
        ClientInstance terminated = instances.pushed(ID_MOST, 1, ALICE, 0, true);

        assertThat(terminated).isSameAs(instance);
        assertThat(terminated.ended()).isTrue();
        assertThat(terminated.pushes()).isEqualTo(2);
        assertThat(instances.size()).isZero();
        assertThat(instances.live(ID_MOST, 1)).isNull();
        advanceSeconds(10_000);
        assertThat(expired()).isEmpty();
        assertThat(metrics.instancesEnded().total(InstanceEnd.TERMINATED)).isEqualTo(1);
        assertThat(metrics.instancesEnded().total()).isEqualTo(1);
        assertThat(push(1, ALICE)).isNotSameAs(instance);
    }

    @Test
    void aTerminatingPushMayBeTheOnlyOne() {
        ClientInstance instance = instances.pushed(ID_MOST, 1, ALICE, 0, true);

        assertThat(instance.ended()).isTrue();
        assertThat(instance.pushes()).isEqualTo(1);
        assertThat(instances.size()).isZero();
    }

    @Test
    void atTheBoundTheLeastRecentlySeenEnds() {
        List<ClientInstance> pushed = new ArrayList<>();
        for (int id = 0; id < 4; id++) {
            pushed.add(push(id, ALICE));
            advanceSeconds(1);
        }
        push(0, ALICE);
        advanceSeconds(1);

        push(4, ALICE);

        assertThat(instances.size()).isEqualTo(4);
        assertThat(pushed.get(1).ended()).isTrue();
        assertThat(instances.live(ID_MOST, 1)).isNull();
        assertThat(expired()).containsExactly(pushed.get(1));
        assertThat(expired()).isEmpty();
        assertThat(metrics.instancesEnded().total(InstanceEnd.EVICTED)).isEqualTo(1);
    }

    @Test
    void theLeastRecentlySeenEndsHoweverPushesAndTheWorkerMix() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int max = 1 + random.nextInt(40);
            ClientInstances mixed = new ClientInstances(max, clock::get);
            Map<Long, ClientInstance> reference = new LinkedHashMap<>(16, 0.75f, true);
            for (int i = 0; i < 2_000; i++) {
                clock.addAndGet(1 + random.nextInt(10_000_000));
                long id = random.nextInt(2 * max);
                ClientInstance pushed = mixed.pushed(ID_MOST, id, ALICE, 300_000, false);
                ClientInstance known = reference.put(id, pushed);
                assertThat(known == null || known == pushed).isTrue();
                if (reference.size() > max) {
                    ClientInstance leastRecent = reference.values().iterator().next();
                    assertThat(leastRecent.ended())
                            .as("seed %s, push %s", seed, i)
                            .isTrue();
                    reference.remove(leastRecent.idLeastSignificantBits());
                }
                assertThat(mixed.size()).isEqualTo(reference.size());
                if (random.nextInt(20) == 0) {
                    mixed.expire(ended -> assertThat(ended.ended()).isTrue());
                }
            }
            assertThat(reference.values()).noneMatch(ClientInstance::ended);
        }
    }

    @Test
    void twentyThousandInstancesComingAndGoingAreCountedAndTakeNoMoreMemoryThanTheBound() {
        int max = 16_384;
        ClientInstances many = new ClientInstances(max, clock::get, metrics);
        List<ClientInstance> handedOut = new ArrayList<>();
        long afterTwoRounds = 0;
        for (int round = 1; round <= 10; round++) {
            for (int id = 0; id < 20_000; id++) {
                clock.addAndGet(1_000);
                many.pushed(ID_MOST, id, client("client-" + id), 300_000, false);
                if (id % 1_000 == 0) {
                    many.expire(handedOut::add);
                }
            }
            many.expire(handedOut::add);
            assertThat(many.size()).isEqualTo(max);
            // Ids come round in a circle longer than the bound, so that each push finds its instance evicted.
            assertThat(metrics.instancesEnded().total(InstanceEnd.EVICTED)).isEqualTo(20_000L * round - max);
            assertThat(handedOut).hasSize(round == 1 ? 20_000 - max : 20_000).allMatch(ClientInstance::ended);
            handedOut.clear();
            if (round == 2) {
                afterTwoRounds = usedHeap();
            }
        }
        assertThat(usedHeap() - afterTwoRounds).isLessThan(2 << 20);
        assertThat(many.size()).isEqualTo(max);
    }

    @Test
    void noPushIsLostAndTheBoundHoldsUnderConcurrentPushes() throws Exception {
        int max = 16;
        int threads = 4;
        int pushesPerThread = 50_000;
        AtomicLong ticking = new AtomicLong();
        ClientInstances shared = new ClientInstances(max, ticking::incrementAndGet, metrics);
        Set<ClientInstance> everyInstance =
                Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
        Set<ClientInstance> handedOut = Collections.newSetFromMap(new IdentityHashMap<>());
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Random random = new Random(t);
                running.add(pool.submit(() -> {
                    for (int i = 0; i < pushesPerThread; i++) {
                        boolean terminating = random.nextInt(10) == 0;
                        everyInstance.add(shared.pushed(ID_MOST, random.nextInt(24), ALICE, 60_000, terminating));
                    }
                }));
            }
            for (Future<?> thread : running) {
                while (!thread.isDone()) {
                    shared.expire(ended -> assertThat(handedOut.add(ended)).isTrue());
                }
                thread.get();
            }
        } finally {
            pool.shutdown();
        }
        shared.expire(ended -> assertThat(handedOut.add(ended)).isTrue());

        // One that is evicted before its creator has recorded a push in it is never returned.
        everyInstance.addAll(handedOut);
        assertThat(shared.size()).isLessThanOrEqualTo(max);
        assertThat(everyInstance.stream().mapToLong(ClientInstance::pushes).sum())
                .isEqualTo((long) threads * pushesPerThread);
        assertThat(everyInstance.stream().filter(instance -> !instance.ended()).count())
                .isEqualTo(shared.size());
        assertThat(everyInstance.size() - shared.size())
                .isEqualTo((int) metrics.instancesEnded().total());
        assertThat(handedOut).hasSize((int) metrics.instancesEnded().total(InstanceEnd.EVICTED));
    }

    @Test
    void theBoundHoldsWhileManyThreadsBringNewInstances() throws Exception {
        int max = 50;
        int threads = 8;
        int newPerThread = 20_000;
        ClientInstances shared = new ClientInstances(max, System::nanoTime, metrics);
        AtomicLong most = new AtomicLong();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                long firstId = (long) t * newPerThread;
                running.add(pool.submit(() -> {
                    for (int i = 0; i < newPerThread; i++) {
                        shared.pushed(ID_MOST, firstId + i, ALICE, 60_000, false);
                        most.accumulateAndGet(shared.size(), Math::max);
                    }
                }));
            }
            for (Future<?> thread : running) {
                thread.get();
            }
        } finally {
            pool.shutdown();
        }

        assertThat(most.get()).isLessThanOrEqualTo(max + threads);
        assertThat(shared.size()).isEqualTo(max);
        // One that was evicted before its first push was recorded is made again.
        assertThat(metrics.instancesEnded().total(InstanceEnd.EVICTED))
                .isGreaterThanOrEqualTo((long) threads * newPerThread - max);
    }

    @Test
    void anEvictedInstanceThatWaitsForTheWorkerHoldsNothingOfItsClient() {
        ClientInstance evicted = push(0, client("x".repeat(1024)));
        for (int id = 1; id <= 4; id++) {
            advanceSeconds(1);
            push(id, ALICE);
        }

        assertThat(evicted.ended()).isTrue();
        assertThat(evicted.client()).isEqualTo(new Client(null, null, null, null, null, null, null, null));
    }

    @Test
    void aBoundBelowOneIsRefused() {
        assertThatThrownBy(() -> new ClientInstances(0, clock::get)).hasMessageContaining("0");
    }

    private ClientInstance push(long id, Client client) {
        return instances.pushed(ID_MOST, id, client, 0, false);
    }

    private List<ClientInstance> expired() {
        List<ClientInstance> ended = new ArrayList<>();
        instances.expire(ended::add);
        return ended;
    }

    private void advanceSeconds(long seconds) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private static Client client(String id) {
        return new Client(id, null, null, null, null, null, null, null);
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
