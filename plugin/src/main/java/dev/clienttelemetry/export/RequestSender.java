/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.util.function.Consumer;

/** Sends requests to one OTLP endpoint and says what came of each. Thread-safe. */
interface RequestSender extends AutoCloseable {
    /**
     * Sends a request, once. Returns at once and never throws.
     *
     * @param onAnswer called once, on another thread unless this is closed
     */
    void send(Payload payload, Consumer<Answer> onAnswer);

    /** Gives up what is in flight and frees threads and sockets. Waits a moment for the threads to end. Repeatable. */
    @Override
    void close();
}
