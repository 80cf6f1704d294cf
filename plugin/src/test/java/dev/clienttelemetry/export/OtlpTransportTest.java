/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.receiver.Answer.Grpc;
import dev.clienttelemetry.examples.receiver.Answer.Http;
import dev.clienttelemetry.examples.receiver.Answer.Stall;
import dev.clienttelemetry.examples.receiver.Certificates;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.examples.receiver.Transport;
import dev.clienttelemetry.pipeline.CapturedLog;
import io.grpc.Status;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests over the wire, to a receiver made from the official stubs and to servers that misbehave. */
@Timeout(180)
class OtlpTransportTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Map<String, String> SHORT_TIMEOUT = Map.of("otel.exporter.otlp.timeout", "2s");

    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
    private OtlpReceiver receiver;

    @BeforeEach
    void startReceiver() throws IOException {
        receiver = OtlpReceiver.start(received::add);
    }

    @AfterEach
    void stopReceiver() {
        receiver.close();
    }

    /** A push with one gauge named as given. */
    private static byte[] push(String name, int padding) {
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(Resource.newBuilder()
                                .addAttributes(KeyValue.newBuilder()
                                        .setKey("padding")
                                        .setValue(AnyValue.newBuilder().setStringValue("x".repeat(padding)))))
                        .addScopeMetrics(ScopeMetrics.newBuilder()
                                .addMetrics(Metric.newBuilder()
                                        .setName(name)
                                        .setGauge(Gauge.newBuilder()
                                                .addDataPoints(NumberDataPoint.newBuilder()
                                                        .setTimeUnixNano(1)
                                                        .setAsInt(1))))))
                .build()
                .toByteArray();
    }

    private record Bytes(List<byte[]> parts) implements Payload {
        @Override
        public int size() {
            return parts.stream().mapToInt(part -> part.length).sum();
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            for (byte[] part : parts) {
                out.write(part);
            }
        }
    }

    /** Gets a connection that is kept, so that what comes next does not depend on how long connecting takes. */
    private static void connect(OtlpConnection connection) {
        await().atMost(PATIENCE).until(() -> send(connection, payload()).outcome() == Answer.Outcome.ACCEPTED);
    }

    private static Payload payload() {
        return new Bytes(List.of(push("first", 10), push("second", 10)));
    }

    private OtlpConnection open(OtlpProtocol protocol, Map<String, String> more) {
        String endpoint = protocol == OtlpProtocol.GRPC
                ? receiver.grpcEndpoint().toString()
                : receiver.httpEndpoint().toString();
        return openAt(protocol, endpoint, more);
    }

    private static OtlpConnection openAt(OtlpProtocol protocol, String endpoint, Map<String, String> more) {
        Map<String, String> server = new HashMap<>(more);
        server.putIfAbsent("otel.exporter.otlp.protocol", protocol.configured());
        server.putIfAbsent("otel.exporter.otlp.endpoint", endpoint);
        // Where the test is not about it: the first request of a JVM, or a TLS handshake, may take long.
        server.putIfAbsent("otel.exporter.otlp.timeout", "60s");
        return OtlpConnection.open(OtelProperties.of(server, Map.of(), Map.of()));
    }

    private static Answer send(OtlpConnection connection, Payload payload) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        connection.transport().send(payload, answer::complete);
        return answer.orTimeout(90, TimeUnit.SECONDS).join();
    }

    private Answer sendOnce(OtlpProtocol protocol, Map<String, String> more) {
        try (OtlpConnection connection = open(protocol, more)) {
            return send(connection, payload());
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void pushesOneAfterTheOtherAreOneRequest(OtlpProtocol protocol) {
        Answer answer = sendOnce(protocol, Map.of("otel.exporter.otlp.headers", "x-tenant=a%20b,x-other=c"));

        assertThat(answer).isEqualTo(Answer.accepted(new PartialSuccess(0, "")));
        assertThat(received).hasSize(1);
        ReceivedRequest request = received.get(0);
        assertThat(request.transport())
                .isEqualTo(protocol == OtlpProtocol.GRPC ? Transport.GRPC : Transport.HTTP_PROTOBUF);
        assertThat(request.points()).extracting("name").containsExactly("first", "second");
        assertThat(request.headers())
                .containsEntry("x-tenant", "a b")
                .containsEntry("x-other", "c")
                .doesNotContainKey("grpc-encoding")
                .doesNotContainKey("content-encoding");
        assertThat(request.headers().get("user-agent")).startsWith("kafka-client-telemetry");
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void requestsAreCompressed(OtlpProtocol protocol) {
        Answer answer = sendOnce(protocol, Map.of("otel.exporter.otlp.compression", "gzip"));

        assertThat(answer.outcome()).as(answer.detail()).isEqualTo(Answer.Outcome.ACCEPTED);
        assertThat(received.get(0).points()).extracting("name").containsExactly("first", "second");
        assertThat(received.get(0).headers())
                .containsEntry(protocol == OtlpProtocol.GRPC ? "grpc-encoding" : "content-encoding", "gzip");
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void largeRequestsArrive(OtlpProtocol protocol) {
        try (OtlpConnection connection = open(protocol, Map.of())) {
            Answer answer = send(connection, new Bytes(List.of(push("big", 2_000_000), push("big", 1_900_000))));

            assertThat(answer.outcome()).as(answer.detail()).isEqualTo(Answer.Outcome.ACCEPTED);
            assertThat(received.get(0).points()).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aPartialSuccessIsTold(OtlpProtocol protocol) {
        receiver.answerWith(
                request -> new dev.clienttelemetry.examples.receiver.Answer.PartialSuccess(3, "too\u001b[31m old"));

        Answer answer = sendOnce(protocol, Map.of());

        assertThat(answer.outcome()).isEqualTo(Answer.Outcome.ACCEPTED);
        assertThat(answer.rejectedPoints()).isEqualTo(3);
        assertThat(answer.detail()).isEqualTo("too\\u001b[31m old");
    }

    @Test
    void httpErrorsAreTold() {
        receiver.answerWith(request -> new Http(503, Map.of("Retry-After", "7"), "try\nlater"));

        Answer answer = sendOnce(OtlpProtocol.HTTP_PROTOBUF, Map.of());

        assertThat(answer)
                .isEqualTo(new Answer(
                        Answer.Outcome.RETRY,
                        "503",
                        "HTTP 503: try later; it asks to wait 7 s",
                        TimeUnit.SECONDS.toNanos(7),
                        0));
        assertThat(received).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | text/html | <html>log in</html> | ENDPOINT_REFUSES",
                "200 | text/html | '' | ACCEPTED",
                "200 | text/plain | ok | ENDPOINT_REFUSES",
                "200 | application/x-protobuf | <html>log in</html> | ENDPOINT_REFUSES",
                "200 | application/x-protobuf | '' | ACCEPTED",
                "200 | '' | <html>log in</html> | ENDPOINT_REFUSES",
                "200 | '' | '' | ACCEPTED",
                "202 | application/json; charset=utf-8 | {} | ACCEPTED",
                "200 | application/json | {\"partialSuccess\":{}} | ACCEPTED",
                "200 | application/json | {\"partialSuccess\":{\"rejectedDataPoints\":\"3\"}} | ACCEPTED",
                "200 | application/json | 7 | ENDPOINT_REFUSES"
            })
    void aSuccessIsOneOnlyWithAnAnswerOfOtlp(int status, String type, String body, Answer.Outcome outcome)
            throws IOException {
        try (RawServer server = new RawServer(socket -> {
            RawServer.readRequest(socket.getInputStream());
            String head = "HTTP/1.1 " + status + " OK\r\n" + (type.isEmpty() ? "" : "Content-Type: " + type + "\r\n");
            socket.getOutputStream()
                    .write((head + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().read();
        })) {
            try (OtlpConnection connection =
                    openAt(OtlpProtocol.HTTP_PROTOBUF, server.endpoint().toString(), Map.of())) {
                Answer answer = send(connection, payload());

                assertThat(answer.outcome()).as(answer.detail()).isEqualTo(outcome);
                if (outcome == Answer.Outcome.ENDPOINT_REFUSES) {
                    assertThat(answer.errorType()).isEqualTo("invalid_response");
                    assertThat(answer.detail())
                            .contains(
                                    "HTTP " + status + " with ",
                                    "no answer of OTLP",
                                    "check host, port and path in otel.exporter.otlp.endpoint");
                    assertThat(connection.reachability().state()).isEqualTo(Reachability.State.UNREACHABLE);
                } else {
                    assertThat(answer.detail()).isEqualTo(body.contains("rejected") ? body : "");
                }
            }
        }
    }

    @Test
    void whereARedirectLeadsIsToldWithoutSecrets() {
        receiver.answerWith(request -> new Http(302, Map.of("Location", "http://a:s3cr3t@login/?next=s3cr3t"), ""));

        assertThat(sendOnce(OtlpProtocol.HTTP_PROTOBUF, Map.of()).detail())
                .contains("redirected to http://login/?(not shown)")
                .doesNotContain("s3cr3t");
    }

    /** OkHttp would send these once more by itself. */
    @ParameterizedTest
    @ValueSource(ints = {408, 503, 421})
    void nothingIsSentTwiceByItself(int status) {
        receiver.answerWith(request -> new Http(status, Map.of("Retry-After", "0"), ""));

        sendOnce(OtlpProtocol.HTTP_PROTOBUF, Map.of());

        assertThat(received).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void redirectsAreNotFollowedButTold(int status) {
        receiver.answerWith(
                request -> new Http(status, Map.of("Location", receiver.httpEndpoint() + "/elsewhere"), ""));

        Answer answer = sendOnce(OtlpProtocol.HTTP_PROTOBUF, Map.of());

        assertThat(answer.outcome()).isEqualTo(Answer.Outcome.ENDPOINT_REFUSES);
        assertThat(answer.detail()).contains("/elsewhere", "otel.exporter.otlp.endpoint");
        assertThat(received).hasSize(1);
    }

    @Test
    void anEndlessErrorMessageIsCut() {
        receiver.answerWith(request -> new Http(400, Map.of(), "x".repeat(3_000_000)));

        assertThat(sendOnce(OtlpProtocol.HTTP_PROTOBUF, Map.of()).detail()).hasSizeLessThan(400);
    }

    @Test
    void grpcErrorsAreTold() {
        receiver.answerWith(request -> new Grpc(Status.UNAVAILABLE.withDescription("über\nload"), null));

        assertThat(sendOnce(OtlpProtocol.GRPC, Map.of()))
                .isEqualTo(Answer.of(Answer.Outcome.RETRY, "UNAVAILABLE", "gRPC UNAVAILABLE: über load"));
    }

    @Test
    void retryInfoIsTold() {
        receiver.answerWith(request -> new Grpc(Status.RESOURCE_EXHAUSTED, Duration.ofMillis(2500)));
        Answer throttled = sendOnce(OtlpProtocol.GRPC, Map.of());
        receiver.answerWith(request -> new Grpc(Status.RESOURCE_EXHAUSTED, null));
        Answer refused = sendOnce(OtlpProtocol.GRPC, Map.of());

        assertThat(throttled.outcome()).isEqualTo(Answer.Outcome.RETRY);
        assertThat(throttled.retryAfterNanos()).isEqualTo(2_500_000_000L);
        assertThat(refused.outcome()).isEqualTo(Answer.Outcome.CONTENT_REFUSED);
    }

    @Test
    void aMessageLargerThanTheServerTakesIsTheContentsFault() {
        // The server stops reading, and OkHttp looks at the answer only when writing has timed out: a tenth before all.
        try (OtlpConnection connection = open(OtlpProtocol.GRPC, Map.of("otel.exporter.otlp.timeout", "10s"))) {
            connect(connection);

            Answer answer = send(connection, new Bytes(List.of(push("big", 5_000_000))));

            assertThat(answer.outcome()).as(answer.detail()).isEqualTo(Answer.Outcome.CONTENT_REFUSED);
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void noAnswerEndsWithTheTimeout(OtlpProtocol protocol) {
        try (OtlpConnection connection = open(protocol, SHORT_TIMEOUT)) {
            connect(connection);
            receiver.answerWith(request -> new Stall(false));

            Answer answer = send(connection, payload());

            assertThat(answer.outcome()).as(answer.detail()).isEqualTo(Answer.Outcome.TIMEOUT);
        }
    }

    @Test
    void aBodyThatStallsEndsWithTheTimeoutToo() {
        try (OtlpConnection connection = open(OtlpProtocol.HTTP_PROTOBUF, SHORT_TIMEOUT)) {
            connect(connection);
            receiver.answerWith(request -> new Stall(true));

            assertThat(send(connection, payload()))
                    .isEqualTo(Answer.of(Answer.Outcome.TIMEOUT, "timeout", "the answer did not end within 2000 ms"));
        }
    }

    @Test
    void aBodyThatDripsEndsWithTheTimeoutToo() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        try (RawServer dripping = new RawServer(socket -> {
            RawServer.readRequest(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            do {
                out.write('x');
            } while (!over.await(50, TimeUnit.MILLISECONDS));
        })) {
            try (OtlpConnection connection =
                    openAt(OtlpProtocol.HTTP_PROTOBUF, dripping.endpoint().toString(), SHORT_TIMEOUT)) {
                assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.TIMEOUT);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aServerThatReadsNothingEndsWithTheTimeout(OtlpProtocol protocol) throws IOException {
        try (RawServer deaf = new RawServer(socket -> Thread.currentThread().join())) {
            try (OtlpConnection connection = openAt(protocol, deaf.endpoint().toString(), SHORT_TIMEOUT)) {
                Answer answer = send(connection, new Bytes(List.of(push("big", 20_000_000))));

                assertThat(answer.outcome()).as(answer.detail()).isEqualTo(Answer.Outcome.TIMEOUT);
            }
        }
    }

    /** Lets the client send 2 GiB, and reads nothing: socket buffers fill, and a write has no end of its own. */
    private static RawServer hungServer() throws IOException {
        byte[] muchMayBeSent = {
            0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, -1, -1, -1, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, -2, 0, 0
        };
        return new RawServer(socket -> {
            socket.getOutputStream().write(muchMayBeSent);
            Thread.currentThread().join();
        });
    }

    /** All requests on an HTTP/2 connection wait for a write that hangs. */
    @Test
    void aServerThatStopsReadingAmidRequestsHoldsUpNoneBeyondItsTimeout() throws IOException {
        try (RawServer deaf = hungServer();
                OtlpConnection connection =
                        openAt(OtlpProtocol.GRPC, deaf.endpoint().toString(), SHORT_TIMEOUT)) {
            Payload large = new Bytes(List.of(new byte[4_000_000]));
            for (int round = 1; round <= 3; round++) {
                List<Answer> answers = new CopyOnWriteArrayList<>();
                for (int i = 0; i < 8; i++) {
                    connection.transport().send(large, answers::add);
                }

                await().atMost(PATIENCE).until(() -> answers.size() == 8);

                assertThat(answers).extracting(Answer::errorType).containsOnly("timeout");
            }
            assertThat(deaf.connections()).isGreaterThanOrEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aRefusedConnectionIsCalledThat(OtlpProtocol protocol) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        for (String host : List.of("127.0.0.1", "localhost")) {
            try (OtlpConnection connection = openAt(protocol, "http://" + host + ":" + port, Map.of())) {
                Answer answer = send(connection, payload());

                assertThat(answer.outcome()).isEqualTo(Answer.Outcome.RETRY);
                assertThat(answer.detail()).isEqualTo("connection refused");
                assertThat(answer.errorType()).isEqualTo("java.net.ConnectException");
                assertThat(connection.reachability().state()).isEqualTo(Reachability.State.UNREACHABLE);
                assertThat(connection.reachability().cause()).isEqualTo("connection refused");
            }
        }
    }

    @Test
    void anAnswerInAProxysNameIsARefusal() {
        receiver.answerWith(request -> new Http(407, Map.of(), "who are you?"));

        Answer answer = sendOnce(OtlpProtocol.HTTP_PROTOBUF, Map.of());

        assertThat(answer.outcome()).isEqualTo(Answer.Outcome.ENDPOINT_REFUSES);
        assertThat(answer.errorType()).isEqualTo("407");
        assertThat(answer.detail()).startsWith("HTTP 407");
    }

    @Test
    void anUnknownHostIsCalledThat() {
        try (OtlpConnection connection = openAt(OtlpProtocol.GRPC, "http://no-such-host.invalid:4317", Map.of())) {
            for (int i = 0; i < 2; i++) {
                assertThat(send(connection, payload()).detail()).isEqualTo("unknown host: no-such-host.invalid");
            }
        }
    }

    @Test
    void localhostWorksWhicheverAddressListens() {
        try (OtlpConnection connection =
                openAt(OtlpProtocol.GRPC, "http://localhost:" + receiver.grpcPort(), Map.of())) {
            assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void theWrongProtocolIsCalledThat(OtlpProtocol protocol) {
        String other = protocol == OtlpProtocol.GRPC
                ? receiver.httpEndpoint().toString()
                : receiver.grpcEndpoint().toString();
        try (OtlpConnection connection = openAt(protocol, other, Map.of("otel.exporter.otlp.timeout", "20s"))) {
            Answer answer = send(connection, payload());

            assertThat(answer.outcome()).as(answer.detail()).isIn(Answer.Outcome.RETRY, Answer.Outcome.TIMEOUT);
            assertThat(answer.detail()).contains("does the endpoint speak " + protocol.description() + "?");
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aNewConnectionThatIsResetAsksForTheProtocol(OtlpProtocol protocol) throws IOException {
        for (boolean reads : new boolean[] {true, false}) {
            try (RawServer hostile = new RawServer(socket -> {
                        if (reads) {
                            socket.getInputStream().read();
                        }
                        socket.setSoLinger(true, 0);
                    });
                    OtlpConnection connection = openAt(
                            protocol, hostile.endpoint().toString(), Map.of("otel.exporter.otlp.timeout", "20s"))) {
                // Where it breaks, and how the system calls that, is by chance.
                for (int i = 0; i < 30; i++) {
                    Answer answer = send(connection, payload());

                    assertThat(answer.outcome()).isEqualTo(Answer.Outcome.RETRY);
                    assertThat(answer.detail())
                            .startsWith("the connection broke before an answer")
                            .contains("does the endpoint speak " + protocol.description() + "?");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void tlsAtAnEndpointSpokenToWithoutIsAskedFor(OtlpProtocol protocol, @TempDir Path directory) throws Exception {
        try (OtlpReceiver secure = OtlpReceiver.builder()
                .tls(new Certificates(directory).mutualTls())
                .start()) {
            Answer answer = sendTo(protocol, plain(protocol, secure), Map.of());

            assertThat(answer.outcome()).isEqualTo(Answer.Outcome.RETRY);
            assertThat(answer.detail())
                    .endsWith("Or TLS? With it the endpoint begins with https://")
                    .doesNotContain("limit=");
        }
    }

    private static String plain(OtlpProtocol protocol, OtlpReceiver receiver) {
        return (protocol == OtlpProtocol.GRPC ? receiver.grpcEndpoint() : receiver.httpEndpoint())
                .toString()
                .replace("https://", "http://");
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aServerWithoutTlsThatAnswersIsCalledThat(OtlpProtocol protocol) throws IOException {
        try (RawServer plain = new RawServer(socket -> {
            socket.getInputStream().read();
            socket.getOutputStream().write("HTTP/1.1 400 What?\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            socket.getInputStream().readAllBytes();
        })) {
            String endpoint = plain.endpoint().toString().replace("http://", "https://");

            assertThat(sendTo(protocol, endpoint, Map.of()).detail())
                    .startsWith("TLS handshake failed")
                    .endsWith("does the endpoint speak TLS? Without it the endpoint begins with http://");
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aMissingOrWrongClientCertificateIsAskedFor(
            OtlpProtocol protocol, @TempDir Path directory, @TempDir Path others) throws Exception {
        Certificates authority = new Certificates(directory);
        Certificates.Identity stranger = new Certificates(others).issue("client");
        String trusted = authority.authorityPem().toString();
        try (OtlpReceiver mutual =
                OtlpReceiver.builder().tls(authority.mutualTls()).start()) {
            String endpoint = plain(protocol, mutual).replace("http://", "https://");
            for (Map<String, String> settings : List.of(
                    Map.of("otel.exporter.otlp.certificate", trusted),
                    Map.of(
                            "otel.exporter.otlp.certificate",
                            trusted,
                            "otel.exporter.otlp.client.key",
                            stranger.key().toString(),
                            "otel.exporter.otlp.client.certificate",
                            stranger.certificate().toString()))) {
                // Whether the alert or the end of the connection is seen first is by chance.
                for (int i = 0; i < 10; i++) {
                    assertThat(sendTo(protocol, endpoint, settings).detail())
                            .containsIgnoringCase(
                                    "want a client certificate, or another one (otel.exporter.otlp.client.certificate)?");
                }
            }
        }
    }

    private static final List<String> PROXY =
            List.of("http.proxyHost", "http.proxyPort", "https.proxyHost", "https.proxyPort");

    private static Answer throughProxy(int port, OtlpProtocol protocol, String endpoint) {
        try {
            for (String key : PROXY) {
                System.setProperty(key, key.endsWith("Host") ? "127.0.0.1" : String.valueOf(port));
            }
            return sendTo(protocol, endpoint, Map.of());
        } finally {
            PROXY.forEach(System::clearProperty);
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aProxyThatIsNotThereIsNamed(OtlpProtocol protocol) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        for (String scheme : List.of("http", "https")) {
            Answer answer = throughProxy(port, protocol, scheme + "://collector.invalid:4317");

            assertThat(answer.outcome()).isEqualTo(Answer.Outcome.RETRY);
            assertThat(answer.errorType()).isEqualTo("java.net.ConnectException");
            assertThat(answer.detail())
                    .isEqualTo("through the proxy 127.0.0.1:" + port + " of the JVM's settings: connection refused");
        }
    }

    @Test
    void whatAProxyAnswersIsNotTakenForTheEndpoints() throws IOException {
        for (String status : List.of("407 Who", "403 No", "502 Gone")) {
            try (RawServer refusing = new RawServer(socket -> {
                while (readHead(socket)) {
                    socket.getOutputStream()
                            .write(("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n")
                                    .getBytes(StandardCharsets.ISO_8859_1));
                }
            })) {
                int port = refusing.endpoint().getPort();
                String proxy = "the proxy 127.0.0.1:" + port + " of the JVM's settings";
                for (String scheme : List.of("http", "https")) {
                    Answer answer =
                            throughProxy(port, OtlpProtocol.HTTP_PROTOBUF, scheme + "://collector.invalid:4318");

                    assertThat(answer.detail()).contains(proxy, status.substring(0, 3));
                    if (status.startsWith("407")) {
                        assertThat(answer.errorType()).isEqualTo("407");
                        assertThat(answer.detail())
                                .contains("wants credentials", "http.nonProxyHosts")
                                .doesNotContain("otel.exporter.otlp.headers");
                    }
                }
            }
        }
    }

    private static boolean readHead(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = socket.getInputStream().read();
            if (c < 0) {
                return false;
            }
            head.append((char) c);
        }
        return true;
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aTlsHandshakeWithoutAnAnswerIsCalledThat(OtlpProtocol protocol) throws IOException {
        try (RawServer quiet = new RawServer(socket -> socket.getInputStream().readAllBytes())) {
            String endpoint = quiet.endpoint().toString().replace("http://", "https://");
            try (OtlpConnection connection = openAt(protocol, endpoint, SHORT_TIMEOUT)) {
                Answer answer = send(connection, payload());

                assertThat(answer.outcome()).isEqualTo(Answer.Outcome.RETRY);
                assertThat(answer.errorType()).isEqualTo("timeout");
                assertThat(answer.detail())
                        .contains("the TLS handshake got no answer within 2000 ms", "does the endpoint speak TLS?");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aConnectionThatEndsAmidAnAnswerHasNoEmptyCause(OtlpProtocol protocol) throws IOException {
        try (RawServer closing = new RawServer(socket -> {
            socket.getInputStream().read();
            socket.getOutputStream().write("HTTP/".getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        })) {
            try (OtlpConnection connection = openAt(protocol, closing.endpoint().toString(), Map.of())) {
                assertThat(send(connection, payload()).detail())
                        .contains("broke")
                        .doesNotContain(": ;", ": null");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void garbageIsNoAnswer(OtlpProtocol protocol) throws IOException {
        try (RawServer garbage = new RawServer(socket -> {
            socket.getInputStream().read();
            socket.getOutputStream()
                    .write("\u0007\u001b[2Jgarbage\r\n\r\n".repeat(1000).getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            socket.getInputStream().readNBytes(100);
        })) {
            try (OtlpConnection connection =
                    openAt(protocol, garbage.endpoint().toString(), Map.of("otel.exporter.otlp.timeout", "20s"))) {
                Answer answer = send(connection, payload());

                assertThat(answer.outcome()).as(answer.detail()).isIn(Answer.Outcome.RETRY, Answer.Outcome.TIMEOUT);
                assertThat(answer.detail().chars()).allMatch(c -> c >= ' ');
                assertThat(answer.detail()).hasSizeLessThan(500);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aResetConnectionIsTriedAgainLater(OtlpProtocol protocol) throws IOException {
        try (RawServer resetting = new RawServer(socket -> {
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        })) {
            try (OtlpConnection connection =
                    openAt(protocol, resetting.endpoint().toString(), Map.of())) {
                Answer answer = send(connection, payload());

                assertThat(answer.outcome()).as(answer.detail()).isEqualTo(Answer.Outcome.RETRY);
                assertThat(answer.detail()).contains("broke");
                assertThat(resetting.connections()).isEqualTo(1);
            }
        }
    }

    @Test
    void aKeptConnectionThatTheServerClosesOnTheNextRequestIsStale() throws IOException {
        try (RawServer closing = new RawServer(socket -> {
            RawServer.readRequest(socket.getInputStream());
            socket.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().read();
        })) {
            try (OtlpConnection connection =
                    openAt(OtlpProtocol.HTTP_PROTOBUF, closing.endpoint().toString(), Map.of())) {
                assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);

                Answer answer = send(connection, payload());

                assertThat(answer.outcome()).as(answer.detail()).isEqualTo(Answer.Outcome.STALE_CONNECTION);
                assertThat(connection.reachability().state()).isEqualTo(Reachability.State.REACHABLE);
                assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);
            }
        }
    }

    /** Without a ping, every later request would hang on the dead connection until TCP gives up, some 15 minutes. */
    @Test
    void anHttp2ConnectionThatDiedSilentlyIsReplaced() throws IOException {
        try (SilentRelay relay = new SilentRelay(receiver.grpcPort())) {
            try (OtlpConnection connection = openAt(OtlpProtocol.GRPC, relay.endpoint(), SHORT_TIMEOUT)) {
                connect(connection);
                relay.fallSilent();

                assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.TIMEOUT);

                connect(connection);
                assertThat(relay.connections()).isGreaterThanOrEqualTo(2);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void eightRequestsAreInFlightAtOnce(OtlpProtocol protocol) {
        CompletableFuture<Void> release = new CompletableFuture<>();
        receiver.answerWith(request -> {
            release.join();
            return dev.clienttelemetry.examples.receiver.Answer.ACCEPT;
        });
        try (OtlpConnection connection = open(protocol, Map.of())) {
            List<Answer> answers = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 8; i++) {
                connection.transport().send(payload(), answers::add);
            }

            await().atMost(PATIENCE).until(() -> received.size() == 8);
            assertThat(answers).isEmpty();
            release.complete(null);
            await().atMost(PATIENCE).until(() -> answers.size() == 8);
            assertThat(answers).extracting(Answer::outcome).containsOnly(Answer.Outcome.ACCEPTED);
        }
    }

    @Test
    void closingGivesUpWhatIsInFlightAtOnce() {
        receiver.answerWith(request -> new Stall(false));
        OtlpConnection connection = open(OtlpProtocol.GRPC, Map.of());
        List<Answer> answers = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 8; i++) {
            connection.transport().send(payload(), answers::add);
        }
        await().atMost(PATIENCE).until(() -> received.size() == 8);

        connection.close();

        await().atMost(PATIENCE).until(() -> answers.size() == 8);
        assertThat(answers).extracting(Answer::outcome).containsOnly(Answer.Outcome.CANCELLED);
        assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.CANCELLED);
    }

    @Test
    void closingEndsWritesThatHang() throws IOException {
        try (RawServer deaf = hungServer()) {
            OtlpConnection connection =
                    openAt(OtlpProtocol.GRPC, deaf.endpoint().toString(), Map.of("otel.exporter.otlp.timeout", "600s"));
            List<Answer> answers = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 8; i++) {
                connection.transport().send(new Bytes(List.of(new byte[4_000_000])), answers::add);
            }
            await().atMost(PATIENCE).until(OtlpTransportTest::isAWriteUnderWay);

            connection.close();

            await().atMost(PATIENCE).until(() -> answers.size() == 8);
            assertThat(answers).extracting(Answer::outcome).containsOnly(Answer.Outcome.CANCELLED);
            await().atMost(PATIENCE).until(() -> !isAWriteUnderWay());
        }
    }

    private static boolean isAWriteUnderWay() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("client-telemetry-send-"))
                .flatMap(thread -> Arrays.stream(thread.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals("implWrite"));
    }

    @Test
    void userAndPasswordOfTheEndpointBecomeCredentials() {
        String endpoint = "http://alice:s3cr3t@127.0.0.1:" + receiver.httpPort();
        try (OtlpConnection connection = openAt(OtlpProtocol.HTTP_PROTOBUF, endpoint, Map.of())) {
            assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);
        }
        try (OtlpConnection connection = openAt(
                OtlpProtocol.HTTP_PROTOBUF,
                endpoint,
                Map.of("otel.exporter.otlp.headers", "Authorization=Bearer%20x"))) {
            send(connection, payload());
        }

        assertThat(received)
                .extracting(request -> request.headers().get("authorization"))
                .containsExactly("Basic YWxpY2U6czNjcjN0", "Bearer x");
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void theHeadersThatAreToldToBeSentAreThoseThatAre(OtlpProtocol protocol) {
        List<String> names = List.of(
                "x-tenant",
                "Authorization",
                "user-agent",
                "accept",
                "expires",
                "Host",
                "Accept-Encoding",
                "connection",
                "content-encoding",
                "content-length",
                "Content-Type",
                "encoding",
                "grpc-accept-encoding",
                "grpc-encoding",
                "grpc-timeout",
                "keep-alive",
                "proxy-connection",
                "TE",
                "trailer",
                "transfer-encoding",
                "upgrade");
        String headers = String.join("=configured,", names) + "=configured";
        try (CapturedLog log = new CapturedLog();
                OtlpConnection connection = open(protocol, Map.of("otel.exporter.otlp.headers", headers))) {
            assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);

            String told = connection.description();
            List<String> shown = List.of(told.substring(told.indexOf("headers ") + 8, told.indexOf(" (values"))
                    .split(", "));
            String line = log.lines("not sent").get(0);
            List<String> notSent =
                    List.of(line.substring(line.indexOf("itself: ") + 8).split(", "));
            for (String name : names) {
                // In HTTP/2 the host is :authority, which is no header to the receiver.
                boolean arrived = name.equals("Host")
                        || "configured".equals(received.get(0).headers().get(name.toLowerCase(Locale.ROOT)));
                assertThat(shown.contains(name)).as(name).isEqualTo(arrived);
                assertThat(notSent.contains(name)).as(name).isEqualTo(!arrived);
            }
            assertThat(shown).containsExactly("x-tenant", "Authorization", "user-agent", "accept", "expires", "Host");
        }
    }

    @Test
    void socketsAreWithoutNaglesAlgorithm() throws IOException {
        try (Socket socket = new OtlpSocketFactory(Duration.ofSeconds(1)).createSocket()) {
            assertThat(socket.getTcpNoDelay()).isTrue();
        }
    }

    @Test
    void threadsDoNotGrowWithConnectionsThatComeAndGo() {
        for (int i = 0; i < 3; i++) {
            comeAndGo();
        }
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        for (int i = 0; i < 20; i++) {
            comeAndGo();
        }

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("client-telemetry-"));
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> !before.contains(thread))
                            .filter(thread -> thread.getName().contains("OkHttp")))
                    .hasSizeLessThanOrEqualTo(2);
        });
        assertThat(java.util.logging.Logger.getLogger("okhttp3").getHandlers()).isEmpty();
    }

    private void comeAndGo() {
        for (OtlpProtocol protocol : OtlpProtocol.values()) {
            try (OtlpConnection connection = open(protocol, Map.of())) {
                assertThat(send(connection, payload()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);
            }
        }
    }

    @Test
    void tlsWithAPrivateAuthorityAndClientCertificates(@TempDir Path directory) throws Exception {
        Certificates authority = new Certificates(directory);
        Certificates.Identity client = authority.issue("client");
        Map<String, String> trusting = Map.of(
                "otel.exporter.otlp.certificate", authority.authorityPem().toString());
        Map<String, String> known = new HashMap<>(trusting);
        known.put("otel.exporter.otlp.client.key", client.key().toString());
        known.put("otel.exporter.otlp.client.certificate", client.certificate().toString());
        try (OtlpReceiver mutual = OtlpReceiver.builder()
                .listener(received::add)
                .tls(authority.mutualTls())
                .start()) {
            for (OtlpProtocol protocol : OtlpProtocol.values()) {
                String endpoint = protocol == OtlpProtocol.GRPC
                        ? mutual.grpcEndpoint().toString()
                        : mutual.httpEndpoint().toString();
                Answer welcome = sendTo(protocol, endpoint, known);
                assertThat(welcome.outcome()).as(welcome.detail()).isEqualTo(Answer.Outcome.ACCEPTED);

                Answer unknown = sendTo(protocol, endpoint, trusting);
                assertThat(unknown.outcome()).as("without a client certificate").isEqualTo(Answer.Outcome.RETRY);
                assertThat(unknown.detail()).containsAnyOf("certificate", "TLS", "broke");

                Answer distrusted = sendTo(protocol, endpoint, Map.of());
                assertThat(distrusted.outcome()).as("not trusting the server").isEqualTo(Answer.Outcome.RETRY);
                assertThat(distrusted.detail()).contains("TLS handshake failed", "otel.exporter.otlp.certificate");

                Answer misnamed = sendTo(protocol, endpoint.replace("127.0.0.1", "127.0.0.2"), known);
                assertThat(misnamed.outcome()).as("another host's certificate").isEqualTo(Answer.Outcome.RETRY);
            }
        }
    }

    private static Answer sendTo(OtlpProtocol protocol, String endpoint, Map<String, String> more) {
        try (OtlpConnection connection = openAt(protocol, endpoint, more)) {
            return send(connection, payload());
        }
    }
}
