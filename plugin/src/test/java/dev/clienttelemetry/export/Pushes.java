/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/** Client instances named by a letter, and their pushes. */
final class Pushes {
    private final LongSupplier clock;
    private final ClientInstances instances;

    Pushes(LongSupplier clock) {
        this.clock = clock;
        this.instances = new ClientInstances(100_000, clock);
    }

    /** A push that waits for its conversion. */
    record Raw(int size, long receivedNanos) implements Unconverted {
        Raw(int size) {
            this(size, 0);
        }
    }

    ClientInstance instance(long number) {
        return instances.pushed(
                1, number, new Client("client-" + number, null, null, null, null, null, null, null), 0, false);
    }

    /** Returns a push whose first letter names the client instance, with three data points. */
    Chunk chunk(String push) {
        return new Chunk(instance(push.charAt(0)), (push + " ").getBytes(StandardCharsets.UTF_8), 3, clock.getAsLong());
    }

    Chunk chunk(long instance, int size) {
        return new Chunk(instance(instance), new byte[size], 1, clock.getAsLong());
    }
}
