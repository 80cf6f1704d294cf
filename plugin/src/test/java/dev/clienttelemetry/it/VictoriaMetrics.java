/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.clienttelemetry.examples.broker.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A VictoriaMetrics process with a database of its own. */
final class VictoriaMetrics implements AutoCloseable {
    private final Process process;
    private final Path log;
    private final URI address;
    private final HttpClient http = HttpClient.newHttpClient();

    private VictoriaMetrics(Process process, Path log, URI address) {
        this.process = process;
        this.log = log;
        this.address = address;
    }

    /** Returns the binary that the environment names or has on its path, or null. */
    static Path binary() {
        String named = System.getenv("VICTORIA_METRICS");
        if (named != null && !named.isEmpty()) {
            return Path.of(named);
        }
        for (String directory : System.getenv("PATH").split(":")) {
            Path binary = Path.of(directory, "victoria-metrics");
            if (Files.isExecutable(binary)) {
                return binary;
            }
        }
        return null;
    }

    static VictoriaMetrics start(Path binary, Path directory) throws IOException {
        URI address = URI.create("http://127.0.0.1:" + FreePorts.next());
        Path log = directory.resolve("victoria-metrics.log");
        Process process = new ProcessBuilder(
                        binary.toString(),
                        "-storageDataPath=" + directory.resolve("victoria-metrics-data"),
                        "-httpListenAddr=" + address.getAuthority(),
                        // Recent points are found at once.
                        "-search.latencyOffset=0s",
                        "-search.disableCache",
                        "-memory.allowedBytes=100MB")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        VictoriaMetrics started = new VictoriaMetrics(process, log, address);
        try {
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> started.get("/health")
                    .equals("OK"));
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** Returns {@code otel.exporter.otlp.endpoint} for protocol http/protobuf. */
    String otlpEndpoint() {
        return address + "/opentelemetry";
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /** Returns the value of each series that an instant query finds, by its labels with the name among them. */
    Map<Map<String, String>, Double> query(String expression) throws IOException, InterruptedException {
        get("/internal/force_flush");
        JsonNode answer = new ObjectMapper()
                .readTree(
                        get("/api/v1/query?nocache=1&query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)));
        Map<Map<String, String>, Double> values = new HashMap<>();
        for (JsonNode series : answer.get("data").get("result")) {
            Map<String, String> labels = new TreeMap<>();
            for (Map.Entry<String, JsonNode> label : series.get("metric").properties()) {
                labels.put(label.getKey(), label.getValue().asText());
            }
            values.put(labels, Double.valueOf(series.get("value").get(1).asText()));
        }
        return values;
    }

    /** Returns the raw samples of the series that a selector selects, a line of JSON each. */
    String export(String selector) throws IOException, InterruptedException {
        return get("/api/v1/export?match%5B%5D=" + URLEncoder.encode(selector, StandardCharsets.UTF_8));
    }

    private String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(address.resolve(path))
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(path + ": " + response.statusCode() + " " + response.body());
        }
        return response.body();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
