/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import dev.clienttelemetry.examples.broker.FreePorts;
import dev.clienttelemetry.examples.broker.JavaProcess;
import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.proxy.KroxyliciousProxy;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An upstream broker, a proxy with the packaged filter or without it, and an OTLP receiver. */
final class RunningGateway implements AutoCloseable {
    private static final Path JAR = Path.of(System.getProperty("gateway.jar"));

    final Path directory;
    final Path subscriptions;
    final KafkaCluster upstream;
    final OtlpReceiver receiver;
    final KroxyliciousProxy proxy;
    final int port;
    final int managementPort;
    private final ConcurrentLinkedQueue<ReceivedPoint> points = new ConcurrentLinkedQueue<>();

    private RunningGateway(Path directory, KafkaCluster upstream, boolean filter, String settings, List<String> jvm)
            throws IOException {
        this.directory = directory;
        this.upstream = upstream;
        this.subscriptions = directory.resolve("subscriptions.yaml");
        subscribe("all", "'*'", 500);
        this.receiver = OtlpReceiver.start(request -> points.addAll(request.points()));
        this.port = FreePorts.next();
        this.managementPort = FreePorts.next();
        int nodePort = FreePorts.next();
        String configuration = """
                management:
                  bindAddress: 127.0.0.1
                  port: %d
                  endpoints:
                    prometheus: {}
                virtualClusters:
                - name: cluster
                  targetCluster:
                    bootstrapServers: %s
                  gateways:
                  - name: clients
                    portIdentifiesNode:
                      bootstrapAddress: localhost:%d
                      nodeStartPort: %d
                      nodeIdRanges:
                      - name: brokers
                        start: 1
                        end: 1
                """.formatted(managementPort, upstream.bootstrapServers(), port, nodePort);
        if (filter) {
            configuration += """
                    filterDefinitions:
                    - name: telemetry
                      type: ClientTelemetryGateway
                      config:
                        exporterConfig:
                          otel.exporter.otlp.endpoint: %s
                          otel.metric.export.interval: 1000
                          client.telemetry.batch.linger.ms: 50
                        subscriptions:
                          path: %s
                          refreshMs: 500
                          parameters:
                            poll.ms: 200
                        clusterId: upstream-1
                    %s
                    defaultFilters:
                    - telemetry
                    """.formatted(receiver.grpcEndpoint(), subscriptions, settings.indent(4));
        }
        boolean started = false;
        try {
            this.proxy = KroxyliciousProxy.start(
                    directory, configuration, filter ? List.of(JAR) : List.of(), jvm, artifact -> {});
            started = true;
        } finally {
            if (!started) {
                receiver.close();
            }
        }
    }

    static RunningGateway start(Path directory, KafkaCluster upstream, String settings, String... jvm)
            throws IOException {
        return new RunningGateway(directory, upstream, true, settings, List.of(jvm));
    }

    static RunningGateway startWithoutFilter(Path directory, KafkaCluster upstream) throws IOException {
        return new RunningGateway(directory, upstream, false, "", List.of());
    }

    /** Replaces the subscriptions by one. */
    void subscribe(String name, String metrics, int intervalMs) throws IOException {
        Path next = directory.resolve("next.yaml");
        Files.writeString(next, """
                subscriptions:
                - name: %s
                  metrics: [%s]
                  interval: %dms
                """.formatted(name, metrics, intervalMs));
        Files.move(next, subscriptions, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    String bootstrap() {
        return "localhost:" + port;
    }

    List<ReceivedPoint> points() {
        return new ArrayList<>(points);
    }

    /** Returns what Kroxylicious' Prometheus endpoint shows. */
    String prometheus() throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Returns the value of a series on Kroxylicious' Prometheus endpoint, NaN where there is none. */
    double prometheus(String name) throws IOException, InterruptedException {
        Matcher matcher = Pattern.compile("(?m)^" + Pattern.quote(name) + "(\\{[^}]*})? (\\S+)$")
                .matcher(prometheus());
        double sum = Double.NaN;
        while (matcher.find()) {
            sum = (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(matcher.group(2));
        }
        return sum;
    }

    /** What {@link Traffic} did. */
    record TrafficResult(
            long produced,
            long produceErrors,
            long consumed,
            long consumeErrors,
            long p50Micros,
            long p99Micros,
            String output) {}

    /** Runs {@link Traffic} with the clients of a released Kafka. */
    TrafficResult traffic(String kafkaVersion, String topic, String prefix, Duration duration, long pauseMicros)
            throws IOException, InterruptedException {
        return traffic(bootstrap(), directory, kafkaVersion, topic, prefix, duration, pauseMicros);
    }

    static TrafficResult traffic(
            String bootstrap,
            Path directory,
            String kafkaVersion,
            String topic,
            String prefix,
            Duration duration,
            long pauseMicros)
            throws IOException, InterruptedException {
        String classPath = KafkaDistribution.of(kafkaVersion).libs().resolve("*") + File.pathSeparator + testClasses();
        JavaProcess process = JavaProcess.start(
                directory,
                prefix,
                List.of(
                        JavaProcess.javaCommand(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath,
                        Traffic.class.getName(),
                        bootstrap,
                        topic,
                        prefix,
                        Long.toString(duration.toMillis()),
                        Long.toString(pauseMicros)),
                Map.of());
        try {
            Pattern line = Pattern.compile("traffic produced=(\\d+) produceErrors=(\\d+) consumed=(\\d+)"
                    + " consumeErrors=(\\d+) p50Micros=(-?\\d+) p99Micros=(-?\\d+)");
            process.awaitOutput("p99Micros=", duration.plusMinutes(4));
            Matcher matcher = line.matcher(process.out());
            if (!matcher.find()) {
                throw new IOException("no result:\n" + process.out() + process.err());
            }
            return new TrafficResult(
                    Long.parseLong(matcher.group(1)),
                    Long.parseLong(matcher.group(2)),
                    Long.parseLong(matcher.group(3)),
                    Long.parseLong(matcher.group(4)),
                    Long.parseLong(matcher.group(5)),
                    Long.parseLong(matcher.group(6)),
                    process.out() + process.err());
        } finally {
            process.kill();
        }
    }

    private static Path testClasses() {
        try {
            return Path.of(Traffic.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        proxy.close();
        receiver.close();
    }
}
