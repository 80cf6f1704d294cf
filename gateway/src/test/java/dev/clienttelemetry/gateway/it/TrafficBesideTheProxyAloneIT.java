/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.gateway.it.RunningGateway.TrafficResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same traffic through a proxy without the filter, with it and with its header rule off: at the same time and before
 * one broker, so that whatever else the machine does meets all alike. Prints the latencies, the CPU time and their ratios.
 */
class TrafficBesideTheProxyAloneIT {
    private static final Duration TRAFFIC = Duration.ofSeconds(Long.getLong("gateway.traffic.seconds", 12));
    private static final long PAUSE_MICROS = 2_000;

    @Test
    void theFilterAddsNoErrors(@TempDir Path directory) throws Exception {
        try (KafkaCluster upstream =
                        KafkaCluster.builder(KafkaDistribution.of("4.4.0")).start();
                RunningGateway alone = RunningGateway.startWithoutFilter(made(directory, "alone"), upstream);
                RunningGateway ruleOff =
                        RunningGateway.start(made(directory, "rule-off"), upstream, "headerRule: false");
                RunningGateway ruleOn =
                        RunningGateway.start(made(directory, "rule-on"), upstream, "headerRule: true")) {
            Map<String, RunningGateway> proxies = new LinkedHashMap<>();
            proxies.put("alone", alone);
            proxies.put("rule-off", ruleOff);
            proxies.put("rule-on", ruleOn);

            Map<String, Long> cpuMillis = new LinkedHashMap<>();
            proxies.forEach((name, proxy) -> cpuMillis.put(name, -cpuMillis(proxy)));
            Map<String, TrafficResult> results = new LinkedHashMap<>();
            ExecutorService threads = Executors.newFixedThreadPool(proxies.size());
            try {
                Map<String, Future<TrafficResult>> running = new LinkedHashMap<>();
                proxies.forEach((name, proxy) -> running.put(
                        name,
                        threads.submit(() -> proxy.traffic("4.4.0", "topic-" + name, name, TRAFFIC, PAUSE_MICROS))));
                for (Map.Entry<String, Future<TrafficResult>> entry : running.entrySet()) {
                    results.put(entry.getKey(), entry.getValue().get());
                }
            } finally {
                threads.shutdownNow();
            }

            proxies.forEach((name, proxy) -> cpuMillis.merge(name, cpuMillis(proxy), Long::sum));
            TrafficResult base = results.get("alone");
            for (Map.Entry<String, TrafficResult> entry : results.entrySet()) {
                TrafficResult result = entry.getValue();
                System.out.printf(
                        "produce latency %s: records %d, p50 %d us (ratio %.2f), p99 %d us (ratio %.2f),"
                                + " CPU of the proxy %d ms (ratio %.2f)%n",
                        entry.getKey(),
                        result.produced(),
                        result.p50Micros(),
                        (double) result.p50Micros() / base.p50Micros(),
                        result.p99Micros(),
                        (double) result.p99Micros() / base.p99Micros(),
                        cpuMillis.get(entry.getKey()),
                        (double) cpuMillis.get(entry.getKey()) / cpuMillis.get("alone"));
                assertThat(List.of(result.produceErrors(), result.consumeErrors()))
                        .as(entry.getKey() + result.output())
                        .containsOnly(0L);
                assertThat(result.consumed()).as(entry.getKey()).isEqualTo(result.produced());
            }
        }
    }

    private static long cpuMillis(RunningGateway proxy) {
        return ProcessHandle.of(proxy.proxy.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .map(Duration::toMillis)
                .orElse(0L);
    }

    private static Path made(Path directory, String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }
}
