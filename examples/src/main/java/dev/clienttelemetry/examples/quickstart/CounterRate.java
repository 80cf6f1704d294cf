/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;

/**
 * How fast a cumulative counter grows, as a backend tells it: between its last two points. A client's own rate metrics
 * are means over half a minute that start low. Not thread-safe.
 */
final class CounterRate {
    private static final double NANOS_PER_SECOND = 1e9;

    private ReceivedPoint last;
    private double perSecond = Double.NaN;

    /** Takes note of the counter's next point. */
    void next(ReceivedPoint point) {
        if (last != null
                && last.startTimeUnixNano() == point.startTimeUnixNano()
                && last.timeUnixNano() < point.timeUnixNano()) {
            perSecond =
                    (point.value() - last.value()) * NANOS_PER_SECOND / (point.timeUnixNano() - last.timeUnixNano());
        }
        last = point;
    }

    /** Returns the growth per second, NaN before it is known. */
    double perSecond() {
        return perSecond;
    }
}
