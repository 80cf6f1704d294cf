/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.instance.Client;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Tells the operator once that the first push has come, or once that none came for ten minutes and why that may be: on
 * a fresh installation nothing else shows whether clients push at all. For one thread.
 */
final class FirstPush {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int LONGEST_SHOWN = 100;
    private static final String CAUSES =
            "there is no subscription (kafka-client-metrics.sh --bootstrap-server ... --describe shows them) or none"
                    + " matches; the clients cannot push (Java before 3.7, librdkafka before 2.5,"
                    + " enable.metrics.push=false); they have been connected since before the plugin was added and must"
                    + " reconnect; they are connected to other brokers, or to a listener in front of which a proxy hides"
                    + " the telemetry requests";

    private final Logger log;
    private final LongSupplier nanoClock;
    private final boolean expected;
    private final Runnable whenItComes;
    private final long startNanos;
    private boolean came;
    private boolean missed;

    /**
     * Begins to wait.
     *
     * @param log where the operator is told
     * @param nanoClock a monotonic clock in nanoseconds
     * @param expected whether it is certain that the host hands pushes over; where it is not, their absence is no warning
     * @param whenItComes run once, before the first push is announced
     */
    FirstPush(Logger log, LongSupplier nanoClock, boolean expected, Runnable whenItComes) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.expected = expected;
        this.whenItComes = whenItComes;
        this.startNanos = nanoClock.getAsLong();
    }

    void received(ReceivedPush push) {
        if (came) {
            return;
        }
        came = true;
        whenItComes.run();
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
        if (expected) {
            log.warn("No client has pushed metrics to this broker within ten minutes. Likely causes: {}", CAUSES);
        } else {
            log.info(
                    "No client has pushed metrics within ten minutes. Either this is the second reporter of a node that is"
                            + " broker and controller, which never gets a push, or: {}",
                    CAUSES);
        }
    }

    /** What a client wrote, safe to log: bounded, and nothing in it but printable ASCII. */
    private static String shown(String text) {
        if (text == null) {
            return "unknown";
        }
        int length = Math.min(text.length(), LONGEST_SHOWN);
        StringBuilder shown = new StringBuilder(length + 2);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                shown.append(c);
            } else {
                shown.append(String.format("\\u%04x", (int) c));
            }
        }
        return length < text.length() ? shown.append("...").toString() : shown.toString();
    }
}
