/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** Pushes of many clients in turn, at a rate, on the calling thread. */
final class PushRate {
    private final LoadedPlugin plugin;
    private final PushSource pushes;
    private final int clients;
    private long number;
    private long[] nanosPerPush = new long[0];

    PushRate(LoadedPlugin plugin, PushSource pushes, int clients) {
        this.plugin = plugin;
        this.pushes = pushes;
        this.clients = clients;
    }

    /** Pushes for some seconds; returns how many it took, which is more where the rate was not reached. */
    double drive(int perSecond, int seconds) {
        int total = perSecond * seconds;
        nanosPerPush = new long[total];
        long start = System.nanoTime();
        for (int i = 0; i < total; i++) {
            long due = start + i * 1_000_000_000L / perSecond;
            for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                LockSupport.parkNanos(due - now);
            }
            ByteBuffer push = ByteBuffer.wrap(pushes.push(number / clients));
            long before = System.nanoTime();
            plugin.push(number % clients, push);
            nanosPerPush[i] = System.nanoTime() - before;
            number++;
        }
        return (System.nanoTime() - start) / 1e9;
    }

    long pushed() {
        return number;
    }

    /** Returns what one call of {@code exportMetrics} took in the last run, in microseconds, at a quantile. */
    double micros(double quantile) {
        long[] sorted = nanosPerPush.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.min(sorted.length - 1L, (long) (quantile * sorted.length))] / 1e3;
    }
}
