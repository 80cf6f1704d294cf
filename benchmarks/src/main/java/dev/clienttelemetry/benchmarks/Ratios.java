/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.otlp.PushConverter;
import java.io.PrintStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs the benchmarks that compare and prints the ratios as the tables of README.md.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.clienttelemetry.benchmarks.Ratios}
 */
public final class Ratios {
    private static final String[] PAYLOADS = {
        ConversionBenchmark.CONSUMER, ConversionBenchmark.PRODUCER, ConversionBenchmark.LIBRDKAFKA
    };

    private final Map<String, double[]> timeAndAllocation = new HashMap<>();

    private Ratios(Collection<RunResult> results) {
        for (RunResult result : results) {
            String benchmark = result.getParams().getBenchmark();
            String[] names = benchmark.split("\\.");
            timeAndAllocation.put(
                    names[names.length - 2] + "." + names[names.length - 1] + "/"
                            + result.getParams().getParam("payload"),
                    new double[] {
                        result.getPrimaryResult().getScore(),
                        result.getSecondaryResults().get("gc.alloc.rate.norm").getScore()
                    });
        }
    }

    /** Runs for some minutes; takes JMH's options, such as {@code -f 1 -i 3}. */
    public static void main(String[] args) throws RunnerException, CommandLineOptionException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .parent(new CommandLineOptions(args))
                .include(ConversionBenchmark.class.getName())
                .include(ExportMetricsBenchmark.class.getName())
                .param("clients", "1")
                .jvmArgsAppend("-Xms1g", "-Xmx1g")
                .addProfiler(GCProfiler.class);
        new Ratios(new Runner(options.build()).run()).print(System.out);
    }

    private void print(PrintStream out) {
        out.println("| payload | decode and encode | this project | throughput | allocation, decode and encode |"
                + " allocation, this project | bytes in | bytes out |");
        out.println("|---|---|---|---|---|---|---|---|");
        for (String payload : PAYLOADS) {
            double[] usual = of("ConversionBenchmark.decodeAndEncode", payload);
            double[] ours = of("ConversionBenchmark.convert", payload);
            double[] copy = of("ConversionBenchmark.copy", payload);
            int in = new PushSource(payload).size();
            int sent = steadySize(payload);
            out.printf(
                    "| %s | %.1f us | %.2f us | %.1f times | %,.0f B | %,.0f B | %,d | %,d (%.1f %%) |%n",
                    payload,
                    usual[0],
                    ours[0],
                    usual[0] / ours[0],
                    usual[1] - copy[1],
                    ours[1] - copy[1],
                    in,
                    sent,
                    100.0 * sent / in);
        }
        out.println();
        out.println("| payload | plain copy | exportMetrics | ratio |");
        out.println("|---|---|---|---|");
        for (String payload : PAYLOADS) {
            double[] copy = of("ExportMetricsBenchmark.copy", payload);
            double[] export = of("ExportMetricsBenchmark.exportMetrics", payload);
            out.printf("| %s | %.2f us | %.2f us | %.1f |%n", payload, copy[0], export[0], export[0] / copy[0]);
        }
        out.println();
        out.printf("allocated by exportMetrics itself, consumer push: %.3f times the payload%n", exportAllocation());
    }

    private double[] of(String benchmark, String payload) {
        return timeAndAllocation.get(benchmark + "/" + payload);
    }

    private static int steadySize(String payload) {
        PushSource pushes = new PushSource(payload);
        PushConverter converter = new PushConverter(Host.SETTINGS, new TelemetryMetrics());
        ClientInstance instance = new ClientInstances(1, System::nanoTime).pushed(1, 1, Host.CLIENT, 2000, false);
        converter.convert(instance, Host.CLIENT, pushes.push(0), 0);
        return converter
                .convert(instance, Host.CLIENT, pushes.push(1), PushSource.INTERVAL_NANOS)
                .bytes()
                .length;
    }

    /** JMH counts all threads' memory, so the worker's too; this is the calling thread's alone. */
    private static double exportAllocation() {
        PushSource pushes = new PushSource(ConversionBenchmark.CONSUMER);
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long allocated = 0;
        int rounds = 2000;
        try (LoadedPlugin plugin = new LoadedPlugin(Map.of("otel.exporter.otlp.endpoint", "http://127.0.0.1:9"))) {
            for (int i = -rounds; i < rounds; i++) {
                java.nio.ByteBuffer push = java.nio.ByteBuffer.wrap(pushes.push(i + rounds));
                long before = threads.getCurrentThreadAllocatedBytes();
                plugin.push(0, push);
                allocated += i < 0 ? 0 : threads.getCurrentThreadAllocatedBytes() - before;
            }
        }
        return allocated / (double) rounds / pushes.size();
    }
}
