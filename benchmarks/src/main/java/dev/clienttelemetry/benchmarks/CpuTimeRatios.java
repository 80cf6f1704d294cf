/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * The same comparisons as {@link Ratios}, by the CPU time of the measuring thread and with the candidates by turns, so
 * that other load on the machine falls on all alike and waiting for a processor does not count. Medians of many rounds.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.clienttelemetry.benchmarks.CpuTimeRatios}
 */
public final class CpuTimeRatios {
    private static final int WARM_UP_ROUNDS = 15;
    private static final int ROUNDS = 21;
    private static final int BURST = 100;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private volatile Object sink;

    private CpuTimeRatios() {}

    /** Runs for about two minutes. */
    public static void main(String[] args) throws Exception {
        CpuTimeRatios ratios = new CpuTimeRatios();
        for (String payload :
                new String[] {ConversionBenchmark.CONSUMER, ConversionBenchmark.PRODUCER, ConversionBenchmark.LIBRDKAFKA
                }) {
            ratios.conversion(payload);
            ratios.exportMetrics(payload);
        }
    }

    private void conversion(String payload) throws Exception {
        ConversionBenchmark benchmark = new ConversionBenchmark();
        benchmark.payload = payload;
        benchmark.clients = 1;
        benchmark.setUp();
        double[] micros = medians(
                payload.startsWith("java") ? 2000 : 20_000,
                () -> {},
                benchmark::copy,
                benchmark::check,
                benchmark::convert,
                benchmark::decodeAndEncode);
        double ours = micros[2] - micros[0];
        double usual = micros[3] - micros[0];
        System.out.printf(
                "%s: check %.2f us, check and conversion %.2f us, decode and encode %.1f us, %.1f times%n",
                payload, micros[1] - micros[0], ours, usual, usual / ours);
    }

    private void exportMetrics(String payload) throws Exception {
        ExportMetricsBenchmark benchmark = new ExportMetricsBenchmark();
        benchmark.payload = payload;
        benchmark.setUp();
        double[] micros = medians(
                1,
                benchmark::nextBurst,
                () -> {
                    for (int i = 0; i < BURST; i++) {
                        sink = benchmark.copied(i);
                    }
                    return null;
                },
                () -> {
                    benchmark.exportMetrics();
                    return null;
                });
        benchmark.tearDown();
        System.out.printf(
                "%s: copy %.2f us, exportMetrics %.2f us, %.1f times%n",
                payload, micros[0] / BURST, micros[1] / BURST, micros[1] / micros[0]);
    }

    private double[] medians(int times, Runnable before, Callable<?>... candidates) throws Exception {
        int perRound = times == 1 ? 20 : 1;
        double[][] micros = new double[candidates.length][ROUNDS];
        for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
            for (int candidate = 0; candidate < candidates.length; candidate++) {
                long nanos = 0;
                for (int part = 0; part < perRound; part++) {
                    before.run();
                    long start = THREADS.getCurrentThreadCpuTime();
                    for (int i = 0; i < times; i++) {
                        sink = candidates[candidate].call();
                    }
                    nanos += THREADS.getCurrentThreadCpuTime() - start;
                }
                if (round >= 0) {
                    micros[candidate][round] = nanos / 1e3 / times / perRound;
                }
            }
        }
        return Arrays.stream(micros)
                .mapToDouble(all -> {
                    Arrays.sort(all);
                    return all[ROUNDS / 2];
                })
                .toArray();
    }
}
