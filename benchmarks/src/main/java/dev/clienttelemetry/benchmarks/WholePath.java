/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.ReasonCounter;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.otlp.PushConverter;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The whole path at a given rate: pushes of many clients are handed to the plugin as a broker does, and an OTLP receiver
 * made from the official classes takes and decodes what comes out, everything in this process. Nothing is dropped if
 * the receiver has got as many points as the pushes hold.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.clienttelemetry.benchmarks.WholePath grpc|http/protobuf
 * PUSHES_PER_SECOND SECONDS}
 */
public final class WholePath {
    private static final int CLIENTS = 1000;
    private static final int WARM_UP_SECONDS = 10;
    private static final int MAX_WARM_UP_SECONDS = 60;

    private WholePath() {}

    /** Runs once, prints what came out, and ends with 1 where a push was dropped or the rate was not reached. */
    public static void main(String[] args) throws IOException {
        String protocol = args[0];
        int perSecond = Integer.parseInt(args[1]);
        int seconds = Integer.parseInt(args[2]);
        PushSource pushes = new PushSource(ConversionBenchmark.CONSUMER);
        LongAdder points = new LongAdder();
        LongAdder requests = new LongAdder();
        boolean sustained;
        long cpuStart = 0;
        double took;
        try (OtlpReceiver receiver = OtlpReceiver.builder()
                .listener(request -> {
                    points.add(count(request));
                    requests.increment();
                })
                .start()) {
            String endpoint =
                    String.valueOf(protocol.equals("grpc") ? receiver.grpcEndpoint() : receiver.httpEndpoint());
            try (LoadedPlugin plugin = new LoadedPlugin(
                    Map.of("otel.exporter.otlp.protocol", protocol, "otel.exporter.otlp.endpoint", endpoint))) {
                PushRate rate = new PushRate(plugin, pushes, CLIENTS);
                warmUp(plugin, rate, perSecond);
                awaitEnd(points);
                points.reset();
                requests.reset();
                cpuStart = processCpuNanos();
                took = rate.drive(perSecond, seconds);
                cpuStart = processCpuNanos() - cpuStart;
                awaitEnd(points);
            }
        }
        long expected = pointsOfSteadyPush(pushes) * perSecond * seconds;
        System.out.printf(
                "%s: %.0f pushes/s over %.1f s, %.2f cores for everything; %d points received in %d requests, %d expected%n",
                protocol,
                perSecond * seconds / took,
                took,
                cpuStart / 1e9 / took,
                points.sum(),
                requests.sum(),
                expected);
        sustained = took < seconds * 1.01 && points.sum() == expected;
        System.out.println(sustained ? "sustained, nothing dropped" : "NOT sustained");
        System.exit(sustained ? 0 : 1);
    }

    /**
     * Begins with code that is not compiled yet: what that costs is told, but not counted. Ends with a second in which nothing
     * was dropped: a client whose last push was lost begins new sequences with the next, with zero points that count.
     */
    private static void warmUp(LoadedPlugin plugin, PushRate rate, int perSecond) {
        ReasonCounter<PushDropReason> dropped = plugin.metrics().pushesDropped();
        StringBuilder bySecond = new StringBuilder();
        long before = 0;
        long inSecond = 0;
        for (int second = 1; second <= WARM_UP_SECONDS || inSecond > 0 && second <= MAX_WARM_UP_SECONDS; second++) {
            rate.drive(perSecond, 1);
            long total = dropped.total();
            inSecond = total - before;
            bySecond.append(' ').append(inSecond);
            before = total;
        }
        System.out.printf(
                "warm-up: of %d pushes %d dropped, %d of them unconverted; second by second%s%n",
                rate.pushed(), before, dropped.total(PushDropReason.CONVERSION_BACKLOG), bySecond);
    }

    /** Waits until nothing has come for as long as a push may wait for company and a request may take. */
    private static void awaitEnd(LongAdder points) {
        long before = -1;
        while (points.sum() != before) {
            before = points.sum();
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(3));
        }
    }

    private static long pointsOfSteadyPush(PushSource pushes) {
        PushConverter converter = new PushConverter(Host.SETTINGS, new TelemetryMetrics());
        ClientInstance instance = new ClientInstances(1, System::nanoTime).pushed(1, 1, Host.CLIENT, 2000, false);
        converter.convert(instance, Host.CLIENT, pushes.push(0), 0);
        return converter
                .convert(instance, Host.CLIENT, pushes.push(1), PushSource.INTERVAL_NANOS)
                .points();
    }

    private static long count(ReceivedRequest request) {
        long count = 0;
        for (ResourceMetrics resource : request.message().getResourceMetricsList()) {
            // The plugin's own metrics come too.
            if (resource.getResource().getAttributesList().stream()
                    .noneMatch(a -> a.getKey().equals("client_instance_id"))) {
                continue;
            }
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                for (Metric metric : scope.getMetricsList()) {
                    count += metric.hasSum()
                            ? metric.getSum().getDataPointsCount()
                            : metric.getGauge().getDataPointsCount();
                }
            }
        }
        return count;
    }

    private static long processCpuNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(d -> TimeUnit.SECONDS.toNanos(d.toSeconds()) + d.toNanosPart())
                .orElse(0L);
    }
}
