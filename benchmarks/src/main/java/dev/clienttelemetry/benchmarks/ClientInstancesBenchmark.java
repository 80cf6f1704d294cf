/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs a request thread that a push's client instance is remembered, beside one look-up in a ConcurrentHashMap.
 * The worker expires once a second, as in a broker. To be run with one thread and with several (-t).
 */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class ClientInstancesBenchmark {
    private static final int BOUND = 16_384;
    private static final Client CLIENT =
            new Client("orders", "apache-kafka-java", "4.4.0", "10.0.0.1", "50000", "User:a", "PLAINTEXT", "PLAINTEXT");

    /**
     * How many instances push in turn: one; as many as are remembered; 20,000, so that each push is of an instance that was
     * evicted and evicts another.
     */
    @Param({"1", "16384", "20000"})
    public int pushing;

    private final Map<UUID, Client> map = new ConcurrentHashMap<>();
    private UUID[] ids;
    private ClientInstances instances;
    private ScheduledExecutorService worker;

    /** Where a thread is in the turn; threads begin apart from each other. */
    @State(Scope.Thread)
    public static class Turn {
        private int next;

        /** Starts anywhere. */
        @Setup(Level.Trial)
        public void start() {
            next = (int) (Thread.currentThread().getId() * 7919);
        }

        int next(int pushing) {
            next++;
            return Math.floorMod(next, pushing);
        }
    }

    /** Has every instance push once. */
    @Setup
    public void setUp() {
        instances = new ClientInstances(BOUND, System::nanoTime);
        ids = new UUID[pushing];
        for (int i = 0; i < pushing; i++) {
            ids[i] = new UUID(i * 0x9e3779b97f4a7c15L, i * 0xc2b2ae3d27d4eb4fL);
            map.put(ids[i], CLIENT);
            instances.pushed(ids[i].getMostSignificantBits(), ids[i].getLeastSignificantBits(), CLIENT, 300_000, false);
        }
        worker = new ScheduledThreadPoolExecutor(1);
        worker.scheduleAtFixedRate(() -> instances.expire(ended -> {}), 1, 1, TimeUnit.SECONDS);
    }

    /** Stops the worker. */
    @TearDown
    public void tearDown() {
        worker.shutdownNow();
    }

    /** The least that knowing a client by its id can cost. */
    @Benchmark
    public Client lookUp(Turn turn) {
        return map.get(ids[turn.next(pushing)]);
    }

    /** What a push does. */
    @Benchmark
    public ClientInstance pushed(Turn turn) {
        UUID id = ids[turn.next(pushing)];
        long most = id.getMostSignificantBits();
        long least = id.getLeastSignificantBits();
        ClientInstance known = instances.live(most, least);
        Client client = known == null ? CLIENT : known.client();
        return instances.pushed(most, least, client, 300_000, false);
    }
}
