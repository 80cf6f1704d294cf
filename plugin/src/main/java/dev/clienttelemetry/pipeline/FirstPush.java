/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.message.Quoted;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Tells the operator once that the first push has come, or once that none came for ten minutes and why that may be: on
 * a fresh installation nothing else shows whether clients push at all. For one thread.
 */
final class FirstPush {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Logger log;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private boolean came;
    private boolean missed;

    FirstPush(Logger log, LongSupplier nanoClock) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.startNanos = nanoClock.getAsLong();
    }

    void received(ReceivedPush push) {
        if (came) {
            return;
        }
        came = true;
        Client client = push.client();
        log.info(
                "The first push of client metrics has arrived: client id {}, software {} {}, {} bytes",
                shown(client.clientId()),
                shown(client.softwareName()),
                shown(client.softwareVersion()),
                push.size());
    }

    void check() {
        if (came || missed || nanoClock.getAsLong() - startNanos < PATIENCE_NANOS) {
            return;
        }
        missed = true;
        log.warn(
                "No client has pushed metrics to this broker within ten minutes. Likely causes: there is no subscription"
                        + " (kafka-client-metrics.sh --bootstrap-server ... --describe shows them) or none matches; the clients"
                        + " cannot push (Java before 3.7, librdkafka before 2.5, enable.metrics.push=false); they have been"
                        + " connected since before the plugin was added and must reconnect; they are connected to other brokers,"
                        + " or to a listener in front of which a proxy hides the telemetry requests");
    }

    private static String shown(String told) {
        return told == null ? "unknown" : Quoted.text(told);
    }
}
