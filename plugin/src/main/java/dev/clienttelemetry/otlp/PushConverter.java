/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.function.LongSupplier;

/** Labels, coalesces and converts checked pushes. For one thread; {@link #series()} may be read from any. */
public final class PushConverter {

    /**
     * Creates a converter without state.
     *
     * @param settings what the configuration says
     * @param metrics filled with what is dropped and why
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public PushConverter(ConversionSettings settings, TelemetryMetrics metrics, LongSupplier nanoClock) {}

    /**
     * Converts one push. Pushes of an instance must come in the order in which they were received.
     *
     * @param instance whose state the push belongs to; state of an {@linkplain ClientInstance#ended() ended} instance
     *     is not kept
     * @param client the client as the host knew it when it pushed
     * @param payload a payload that {@link PushCheck} accepted
     * @return the push to send, with no points where nothing of it is left
     */
    public ConvertedPush convert(ClientInstance instance, Client client, byte[] payload) {
        return new ConvertedPush(payload, 0);
    }

    /** Drops the state of an instance that ended. */
    public void forget(ClientInstance instance) {}

    /** Returns the number of series with state. */
    public int series() {
        return 0;
    }
}
