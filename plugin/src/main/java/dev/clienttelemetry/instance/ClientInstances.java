/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The client instances seen, bounded and in memory only. Thread-safe. */
public final class ClientInstances {
    private final Map<Id, ClientInstance> live = new ConcurrentHashMap<>();

    private record Id(long most, long least) {}

    /**
     * Creates an empty registry.
     *
     * @param max the most instances remembered; beyond it the least recently seen ends
     * @param nanoClock a monotonic clock in nanoseconds, such as {@code System::nanoTime}
     */
    public ClientInstances(int max, LongSupplier nanoClock) {}

    /**
     * Records a push. Called on request threads: never blocks.
     *
     * @param idMost upper half of the client instance id
     * @param idLeast lower half of the client instance id
     * @param client the client as the host knows it
     * @param pushIntervalMs the push interval in milliseconds where the host tells it, else 0
     * @param terminating whether this is the instance's last push
     * @return the instance that pushed
     */
    public ClientInstance pushed(long idMost, long idLeast, Client client, int pushIntervalMs, boolean terminating) {
        ClientInstance instance =
                live.computeIfAbsent(new Id(idMost, idLeast), id -> new ClientInstance(idMost, idLeast, client));
        instance.seen(client);
        return instance;
    }

    /**
     * Finds an instance, so that a request thread may compare its client with the context of the request before it
     * builds another {@link Client}. Never blocks.
     *
     * @param idMost upper half of the client instance id
     * @param idLeast lower half of the client instance id
     * @return the live instance with that id, or null
     */
    public ClientInstance live(long idMost, long idLeast) {
        return live.get(new Id(idMost, idLeast));
    }

    /**
     * Ends the instances whose time is up and hands out each instance that expired or was evicted since the last call,
     * once. Instances that ended with a terminating push are not handed out: whoever converts that push knows.
     *
     * @param ended called for each, on the calling thread
     */
    public void expire(Consumer<ClientInstance> ended) {}

    /** Returns the number of live instances. */
    public int size() {
        return live.size();
    }
}
