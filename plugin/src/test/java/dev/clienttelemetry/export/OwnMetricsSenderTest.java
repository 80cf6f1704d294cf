/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.receiver.Answer;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.pipeline.CapturedLog;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The exporter for the plugin's own metrics: OpenTelemetry's, on the same settings, with a sender of ours. */
@Timeout(180)
class OwnMetricsSenderTest {
    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();

    private static OtlpConnection open(OtlpProtocol protocol, String endpoint) {
        return OtlpConnection.open(OtelProperties.of(
                Map.of(
                        "otel.exporter.otlp.protocol",
                        protocol.configured(),
                        "otel.exporter.otlp.endpoint",
                        endpoint,
                        "otel.exporter.otlp.timeout",
                        "60s",
                        "otel.exporter.otlp.headers",
                        "x-tenant=a",
                        "otel.exporter.otlp.compression",
                        "gzip"),
                Map.of(),
                Map.of()));
    }

    private static boolean export(MetricExporter exporter) {
        try (SdkMeterProvider provider = SdkMeterProvider.builder()
                .registerMetricReader(PeriodicMetricReader.create(exporter))
                .build()) {
            provider.get("scope").counterBuilder("own").build().add(1);
            return provider.forceFlush().join(90, TimeUnit.SECONDS).isSuccess();
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void ownMetricsArriveWithTheSameSettings(OtlpProtocol protocol) throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(received::add);
                CapturedLog log = new CapturedLog()) {
            String endpoint = protocol == OtlpProtocol.GRPC
                    ? receiver.grpcEndpoint().toString()
                    : receiver.httpEndpoint().toString();
            try (OtlpConnection connection = open(protocol, endpoint)) {
                assertThat(export(connection.ownMetricsExporter())).isTrue();

                assertThat(received).isNotEmpty();
                assertThat(received.get(0).points()).extracting("name").containsExactly("own");
                assertThat(received.get(0).points()).extracting("scope").containsExactly("scope");
                assertThat(received.get(0).headers()).containsEntry("x-tenant", "a");
                assertThat(connection.reachability().state()).isEqualTo(Reachability.State.REACHABLE);
                assertThat(log.lines("WARN")).isEmpty();
            }
        }
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().startsWith("client-telemetry-")));
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aFailureIsToldOnceByTheSameStateAndNotByOpenTelemetry(OtlpProtocol protocol) throws IOException {
        try (CapturedLog log = new CapturedLog();
                OtlpConnection connection = open(protocol, "http://127.0.0.1:1")) {
            assertThat(export(connection.ownMetricsExporter())).isFalse();

            assertThat(connection.reachability().cause()).isEqualTo("connection refused");
            assertThat(log.lines()).singleElement().asString().contains("connection refused");
        }
    }

    @Test
    void ownMetricsThatAreRejectedInAPartialSuccessAreTold() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(received::add);
                CapturedLog log = new CapturedLog();
                OtlpConnection connection =
                        open(OtlpProtocol.HTTP_PROTOBUF, receiver.httpEndpoint().toString())) {
            receiver.answerWith(request -> new Answer.PartialSuccess(1, "too old"));

            assertThat(export(connection.ownMetricsExporter())).isTrue();

            assertThat(log.lines("own metrics"))
                    .singleElement()
                    .asString()
                    .contains("rejected 1 data points of the plugin's own metrics: too old");
        }
    }

    @Test
    void refusedOwnMetricsAreTold() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(received::add);
                CapturedLog log = new CapturedLog();
                OtlpConnection connection =
                        open(OtlpProtocol.HTTP_PROTOBUF, receiver.httpEndpoint().toString())) {
            receiver.answerWith(request -> new Answer.Http(400, Map.of(), "no thanks"));

            assertThat(export(connection.ownMetricsExporter())).isFalse();

            assertThat(log.lines("The backend refused the plugin's own metrics"))
                    .singleElement()
                    .asString()
                    .contains("no thanks");
        }
    }

    @Test
    void anEndpointThatRefusesOwnMetricsIsToldOfThoseAndNotOfPushes() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(received::add);
                CapturedLog log = new CapturedLog();
                OtlpConnection connection =
                        open(OtlpProtocol.HTTP_PROTOBUF, receiver.httpEndpoint().toString())) {
            receiver.answerWith(request -> new Answer.Http(403, Map.of(), ""));

            assertThat(export(connection.ownMetricsExporter())).isFalse();

            assertThat(log.lines("HTTP 403")).singleElement().asString().contains("the plugin's own metrics");
        }
    }

    @Test
    void aWarningAboutOwnMetricsIsTold() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start(received::add);
                CapturedLog log = new CapturedLog();
                OtlpConnection connection =
                        open(OtlpProtocol.HTTP_PROTOBUF, receiver.httpEndpoint().toString())) {
            receiver.answerWith(request -> new Answer.PartialSuccess(0, "soon too many"));

            assertThat(export(connection.ownMetricsExporter())).isTrue();

            assertThat(log.lines("own metrics"))
                    .singleElement()
                    .asString()
                    .endsWith("The backend took the plugin's own metrics and warns: soon too many");
        }
    }

    /** Their interval is a minute, for which few proxies keep a connection. */
    @Test
    void ownMetricsThatMeetAConnectionGoneStaleAreSentAgainAtOnce() throws IOException {
        try (RawServer closing = new RawServer(socket -> {
                    RawServer.readRequest(socket.getInputStream());
                    socket.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().read();
                });
                OtlpConnection connection = OtlpConnection.open(OtelProperties.of(
                        Map.of(
                                "otel.exporter.otlp.protocol",
                                "http/protobuf",
                                "otel.exporter.otlp.endpoint",
                                closing.endpoint().toString()),
                        Map.of(),
                        Map.of()));
                SdkMeterProvider provider = SdkMeterProvider.builder()
                        .registerMetricReader(PeriodicMetricReader.builder(connection.ownMetricsExporter())
                                .setInterval(Duration.ofDays(1))
                                .build())
                        .build()) {
            for (int i = 1; i <= 3; i++) {
                provider.get("scope").counterBuilder("own").build().add(1);

                assertThat(provider.forceFlush().join(60, TimeUnit.SECONDS).isSuccess())
                        .isTrue();
                assertThat(closing.connections()).isEqualTo(i);
            }
        }
    }
}
