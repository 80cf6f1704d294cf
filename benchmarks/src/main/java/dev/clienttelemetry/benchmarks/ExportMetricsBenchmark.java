/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What {@code exportMetrics} costs the broker's request thread, beside a plain copy of the payload. The worker and the
 * sender run as in a broker; between bursts the benchmark waits until the worker has nothing to do, so that the buffer
 * never fills and no push takes the short way out.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class ExportMetricsBenchmark {
    private static final int BURST = 100;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** A payload of a real client. */
    @Param({ConversionBenchmark.CONSUMER, ConversionBenchmark.PRODUCER, ConversionBenchmark.LIBRDKAFKA})
    public String payload;

    private final ByteBuffer[] burst = new ByteBuffer[BURST];
    private PushSource pushes;
    private ExecutorService threads;
    private HttpServer server;
    private LoadedPlugin plugin;
    private Thread worker;
    private long number;

    /** Starts the plugin, and a receiver that reads and forgets. */
    @Setup
    public void setUp() throws IOException {
        pushes = new PushSource(payload);
        threads = Executors.newCachedThreadPool();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.createContext("/v1/metrics", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        plugin = new LoadedPlugin(Map.of(
                "otel.exporter.otlp.protocol",
                "http/protobuf",
                "otel.exporter.otlp.endpoint",
                "http://127.0.0.1:" + server.getAddress().getPort()));
        worker = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("client-telemetry-worker"))
                .findAny()
                .orElseThrow();
    }

    /** Stops both. */
    @TearDown
    public void tearDown() {
        plugin.close();
        server.stop(0);
        threads.shutdownNow();
    }

    /** Brings the next pushes of as many clients, in buffers as the network gave them, once the worker is idle. */
    @Setup(Level.Invocation)
    public void nextBurst() {
        long round = number++;
        for (int i = 0; i < BURST; i++) {
            burst[i] = ByteBuffer.wrap(pushes.push(round));
        }
        awaitIdleWorker();
    }

    /** Waits until the worker has looked for pushes after the last one came, and sleeps again since it finds no more. */
    private void awaitIdleWorker() {
        long before = THREADS.getThreadCpuTime(worker.getId());
        long last;
        long now = before;
        do {
            last = now;
            LockSupport.parkNanos(1_000_000);
            now = THREADS.getThreadCpuTime(worker.getId());
        } while (now == before || now != last || worker.getState() != Thread.State.TIMED_WAITING);
    }

    /** The least that any plugin has to do: the host's buffer is not its own to keep. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void copy(Blackhole hole) {
        for (int i = 0; i < BURST; i++) {
            hole.consume(copied(i));
        }
    }

    byte[] copied(int push) {
        ByteBuffer data = burst[push];
        byte[] copy = new byte[data.remaining()];
        data.get(data.position(), copy);
        return copy;
    }

    /** The plugin's part in the request. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void exportMetrics() {
        for (int i = 0; i < BURST; i++) {
            plugin.push(i, burst[i]);
        }
    }
}
