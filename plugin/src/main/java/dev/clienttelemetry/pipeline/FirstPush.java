/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Tells the operator once that the first push with something in it has come, or once that none came for ten minutes, or
 * only empty ones, and why that may be: on a fresh installation nothing else shows whether clients push at all. For one
 * thread.
 */
final class FirstPush {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Logger log;
    private final LongSupplier nanoClock;
    private final TelemetryMetrics metrics;
    private final long startNanos;
    private boolean came;
    private boolean missed;
    private boolean toldEmpty;
    private boolean seenEmpty;
    private long emptySinceNanos;

    /**
     * Begins to wait.
     *
     * @param metrics has the pushes that never get as far as {@link #received}, such as empty ones
     */
    FirstPush(Logger log, LongSupplier nanoClock, TelemetryMetrics metrics) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.metrics = metrics;
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
        if (came || toldEmpty) {
            return;
        }
        long now = nanoClock.getAsLong();
        long empty = metrics.pushesEmpty().total();
        if (empty > 0) {
            checkEmpty(empty, now);
        } else if (!missed && now - startNanos >= PATIENCE_NANOS && !anyCame()) {
            tellMissed();
        }
    }

    /** Pushes that were refused or dropped have lines of their own. */
    private boolean anyCame() {
        return metrics.pushes().total() > 0 || metrics.refusals().total() > 0;
    }

    private void checkEmpty(long empty, long now) {
        if (!seenEmpty) {
            seenEmpty = true;
            emptySinceNanos = now;
        }
        if (now - emptySinceNanos < PATIENCE_NANOS) {
            return;
        }
        toldEmpty = true;
        log.warn(
                "Clients push, but for ten minutes there was nothing in it: {} empty pushes. Likely causes: no metric's name"
                        + " begins with what the subscriptions ask for (kafka-client-metrics.sh --bootstrap-server ..."
                        + " --describe shows them), as with a misspelt prefix; another plugin that takes client telemetry"
                        + " stands before this one in metric.reporters and reads the buffer that both share to its end",
                empty);
    }

    private void tellMissed() {
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
