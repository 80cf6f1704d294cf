/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;

/** A telemetry plugin that keeps what it is handed. Found by the name in its configuration, as it is made by name. */
@SuppressWarnings({"deprecation", "removal"})
public final class RecordingPlugin implements ClientTelemetry, Configurable, AutoCloseable {
    private static final Map<String, RecordingPlugin> BY_NAME = new ConcurrentHashMap<>();

    final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    volatile CountDownLatch hold = new CountDownLatch(0);
    volatile RuntimeException refusal;
    volatile boolean closed;

    /** One call of exportMetrics. */
    record Call(String thread, AuthorizableRequestContext context, Uuid id, byte[] bytes) {}

    static RecordingPlugin named(String name) {
        return BY_NAME.get(name);
    }

    @Override
    public void configure(Map<String, ?> configs) {
        BY_NAME.put(configs.get("recording.name").toString(), this);
    }

    @Override
    public ClientTelemetryReceiver clientReceiver() {
        return (context, payload) -> {
            try {
                hold.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            byte[] bytes = new byte[payload.data().remaining()];
            payload.data().duplicate().get(bytes);
            calls.add(new Call(Thread.currentThread().getName(), context, payload.clientInstanceId(), bytes));
            if (refusal != null) {
                throw refusal;
            }
        };
    }

    @Override
    public void close() {
        closed = true;
    }
}
