/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * A receiver that answers, then accepts and never answers, then answers again: the heap must stay flat, a push must cost
 * its caller what it costs in the good case, and in the end every push is either delivered or counted as dropped.
 * Pushes, receiver and plugin share this process, so its heap has to hold all three.
 *
 * <p>{@code java -Xmx256m -cp benchmarks/target/benchmarks.jar dev.clienttelemetry.benchmarks.SilentReceiver
 * PUSHES_PER_SECOND SECONDS}
 */
public final class SilentReceiver {
    private static final int CLIENTS = 1000;
    private static final int STEP_SECONDS = 10;

    private SilentReceiver() {}

    /** Runs once, prints what came out, and ends with 1 where a push is unaccounted for. */
    public static void main(String[] args) throws IOException, JMException {
        int perSecond = Integer.parseInt(args[0]);
        int seconds = Integer.parseInt(args[1]);
        AtomicBoolean silent = new AtomicBoolean();
        CountDownLatch end = new CountDownLatch(1);
        LongAdder delivered = new LongAdder();
        ExecutorService threads = Executors.newCachedThreadPool();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.createContext("/v1/metrics", exchange -> {
            try (exchange) {
                if (silent.get()) {
                    exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
                    end.await();
                    return;
                }
                int pushes = pushes(exchange.getRequestBody().readAllBytes());
                exchange.sendResponseHeaders(200, -1);
                delivered.add(pushes);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        long unaccounted;
        try (LoadedPlugin plugin = new LoadedPlugin(Map.of(
                "otel.exporter.otlp.protocol",
                "http/protobuf",
                "otel.exporter.otlp.endpoint",
                "http://127.0.0.1:" + server.getAddress().getPort()))) {
            PushRate rate = new PushRate(plugin, new PushSource(ConversionBenchmark.CONSUMER), CLIENTS);
            rate.drive(perSecond, STEP_SECONDS);
            run("answers", rate, perSecond, seconds);
            silent.set(true);
            run("is silent", rate, perSecond, seconds);
            silent.set(false);
            end.countDown();
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            do {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                unaccounted = rate.pushed() - delivered.sum() - dropped();
            } while (unaccounted != 0 && System.nanoTime() < deadline);
            System.out.printf(
                    "pushes: %d; delivered: %d; dropped: %d; unaccounted for: %d%n",
                    rate.pushed(), delivered.sum(), dropped(), unaccounted);
        }
        server.stop(0);
        threads.shutdownNow();
        System.exit(unaccounted == 0 ? 0 : 1);
    }

    private static void run(String receiver, PushRate rate, int perSecond, int seconds) throws JMException {
        for (int done = STEP_SECONDS; done <= seconds; done += STEP_SECONDS) {
            rate.drive(perSecond, STEP_SECONDS);
            System.out.printf(
                    "receiver %s, %d s: exportMetrics %.1f us in the median, %.1f us at 99 %%; heap after collection"
                            + " %d MiB; pushes dropped so far %d%n",
                    receiver, done, rate.micros(0.5), rate.micros(0.99), heapAfterCollection() >> 20, dropped());
        }
    }

    /** Reads what the plugin itself counts, where an operator does. */
    private static long dropped() throws JMException {
        return ((Number) ManagementFactory.getPlatformMBeanServer()
                        .getAttribute(
                                new ObjectName("kafka.server:type=ClientMetrics,name=ClientMetricsPushDroppedCount"),
                                "Value"))
                .longValue();
    }

    private static long heapAfterCollection() {
        long used = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null) {
                used += pool.getCollectionUsage().getUsed();
            }
        }
        return used;
    }

    /** Counts the pushes in a request: each is one resource with the instance's label. */
    private static int pushes(byte[] request) throws IOException {
        int pushes = 0;
        for (ResourceMetrics resource : MetricsData.parseFrom(request).getResourceMetricsList()) {
            for (KeyValue attribute : resource.getResource().getAttributesList()) {
                pushes += attribute.getKey().equals("client_instance_id") ? 1 : 0;
            }
        }
        return pushes;
    }
}
