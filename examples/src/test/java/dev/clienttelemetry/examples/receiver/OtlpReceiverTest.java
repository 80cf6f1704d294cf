/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.rpc.RetryInfo;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OtlpReceiverTest {
    private static final ExportMetricsServiceRequest MESSAGE = ExportMetricsServiceRequest.newBuilder()
            .addResourceMetrics(ResourceMetrics.newBuilder()
                    .addScopeMetrics(ScopeMetrics.newBuilder()
                            .addMetrics(Metric.newBuilder()
                                    .setName("a.gauge")
                                    .setGauge(Gauge.newBuilder()
                                            .addDataPoints(NumberDataPoint.newBuilder()
                                                    .setTimeUnixNano(7)
                                                    .setAsDouble(1.5))))))
            .build();

    private final Queue<ReceivedRequest> received = new ConcurrentLinkedQueue<>();
    private OtlpReceiver receiver;
    private ManagedChannel channel;

    @AfterEach
    void close() {
        if (channel != null) {
            channel.shutdownNow();
        }
        if (receiver != null) {
            receiver.close();
        }
    }

    @Test
    void handsOverWhatComesByGrpcWithItsHeaders() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("x-tenant", Metadata.ASCII_STRING_MARSHALLER), "blue");

        ExportMetricsServiceResponse response = grpc(InsecureChannelCredentials.create())
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .withCompression("gzip")
                .export(MESSAGE);

        assertThat(response.hasPartialSuccess()).isFalse();
        assertThat(received).singleElement().satisfies(request -> {
            assertThat(request.transport()).isEqualTo(Transport.GRPC);
            assertThat(request.message()).isEqualTo(MESSAGE);
            assertThat(request.headers()).containsEntry("x-tenant", "blue").containsEntry("grpc-encoding", "gzip");
        });
    }

    @Test
    void handsOverWhatComesByHttpWithItsHeaders() throws Exception {
        receiver = OtlpReceiver.start(received::add);

        HttpResponse<byte[]> response = post(HttpClient.newHttpClient(), MESSAGE.toByteArray(), "X-Tenant", "blue");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(ExportMetricsServiceResponse.parseFrom(response.body()).hasPartialSuccess())
                .isFalse();
        assertThat(received).singleElement().satisfies(request -> {
            assertThat(request.transport()).isEqualTo(Transport.HTTP_PROTOBUF);
            assertThat(request.points()).singleElement().satisfies(point -> {
                assertThat(point.name()).isEqualTo("a.gauge");
                assertThat(point.value()).isEqualTo(1.5);
                assertThat(point.temporality()).isNull();
            });
            assertThat(request.headers()).containsEntry("x-tenant", "blue");
        });
    }

    @Test
    void decompressesGzipOverHttp() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            MESSAGE.writeTo(gzip);
        }

        post(HttpClient.newHttpClient(), compressed.toByteArray(), "Content-Encoding", "gzip");

        assertThat(received)
                .singleElement()
                .extracting(ReceivedRequest::message)
                .isEqualTo(MESSAGE);
    }

    @Test
    void refusesWhatIsNoOtlp() throws Exception {
        receiver = OtlpReceiver.start(received::add);

        assertThat(post(HttpClient.newHttpClient(), new byte[] {1, 2, 3}).statusCode())
                .isEqualTo(400);
        assertThat(received).isEmpty();
    }

    @Test
    void refusesWhatIsLargerThanACollectorTakes() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        byte[] body = new byte[OtlpReceiver.MAX_HTTP_BODY_BYTES + 1];

        assertThat(post(HttpClient.newHttpClient(), body).statusCode()).isEqualTo(413);
    }

    @Test
    void answersOverHttpAsTold() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        receiver.answerWith(request -> new Answer.Http(503, Map.of("Retry-After", "7"), "later"));

        HttpResponse<byte[]> response = post(HttpClient.newHttpClient(), MESSAGE.toByteArray());

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).contains("7");
        assertThat(response.body()).asString().isEqualTo("later");
    }

    @Test
    void answersOverGrpcAsTold() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        receiver.answerWith(request ->
                new Answer.Grpc(Status.RESOURCE_EXHAUSTED.withDescription("later"), Duration.ofMillis(1500)));

        assertThatThrownBy(() -> grpc(InsecureChannelCredentials.create()).export(MESSAGE))
                .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                    assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                    assertThat(e.getStatus().getDescription()).isEqualTo("later");
                    assertThat(StatusProto.fromThrowable(e).getDetailsList())
                            .singleElement()
                            .satisfies(detail -> assertThat(detail.unpack(RetryInfo.class)
                                            .getRetryDelay()
                                            .getNanos())
                                    .isEqualTo(500_000_000));
                });
    }

    @Test
    void answersPartialSuccess() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        receiver.answerWith(request -> new Answer.PartialSuccess(3, "too old"));

        ExportMetricsServiceResponse overHttp = ExportMetricsServiceResponse.parseFrom(
                post(HttpClient.newHttpClient(), MESSAGE.toByteArray()).body());
        ExportMetricsServiceResponse overGrpc =
                grpc(InsecureChannelCredentials.create()).export(MESSAGE);

        assertThat(overHttp.getPartialSuccess().getRejectedDataPoints()).isEqualTo(3);
        assertThat(overHttp.getPartialSuccess().getErrorMessage()).isEqualTo("too old");
        assertThat(overGrpc).isEqualTo(overHttp);
    }

    @Test
    void stallsWithinTheBody() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        receiver.answerWith(request -> new Answer.Stall(true));
        HttpRequest request = request(MESSAGE.toByteArray()).build();

        HttpResponse<InputStream> response =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofInputStream());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body().read()).isZero();
        receiver.close();
        assertThatThrownBy(() -> response.body().read()).isInstanceOf(IOException.class);
    }

    @Test
    void stallsBeforeTheAnswer() throws Exception {
        receiver = OtlpReceiver.start(received::add);
        receiver.answerWith(request -> new Answer.Stall(false));

        assertThatThrownBy(() -> grpc(InsecureChannelCredentials.create())
                        .withDeadlineAfter(100, TimeUnit.MILLISECONDS)
                        .export(MESSAGE))
                .hasMessageContaining("DEADLINE_EXCEEDED");
        HttpRequest request =
                request(MESSAGE.toByteArray()).timeout(Duration.ofMillis(100)).build();
        assertThatThrownBy(() -> HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()))
                .isInstanceOf(HttpTimeoutException.class);
    }

    @Test
    void hasToldTheListenerOfAllThatCameWhenItIsClosed() throws Exception {
        CountDownLatch beingTold = new CountDownLatch(2);
        CountDownLatch never = new CountDownLatch(1);
        Thread closing = Thread.currentThread();
        receiver = OtlpReceiver.start(request -> {
            beingTold.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                // The receiver ends, and this takes longer than all the rest of it.
                await().atMost(Duration.ofSeconds(60)).until(() -> waitsForThreads(closing));
            }
            received.add(request);
        });
        grpcFuture().export(MESSAGE);
        HttpClient.newHttpClient()
                .sendAsync(request(MESSAGE.toByteArray()).build(), HttpResponse.BodyHandlers.discarding());
        assertThat(beingTold.await(60, TimeUnit.SECONDS)).isTrue();

        receiver.close();

        assertThat(received).hasSize(2);
    }

    private static boolean waitsForThreads(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(ThreadPoolExecutor.class.getName())
                        && frame.getMethodName().equals("awaitTermination"));
    }

    private MetricsServiceGrpc.MetricsServiceFutureStub grpcFuture() {
        return MetricsServiceGrpc.newFutureStub(
                grpc(InsecureChannelCredentials.create()).getChannel());
    }

    @Test
    void asksForAClientCertificateOnBothPorts(@TempDir Path directory) throws Exception {
        Certificates certificates = new Certificates(directory);
        Certificates.Identity client = certificates.issue("client");
        receiver = OtlpReceiver.builder()
                .listener(received::add)
                .tls(certificates.mutualTls())
                .start();
        ChannelCredentials credentials = TlsChannelCredentials.newBuilder()
                .trustManager(certificates.authorityPem().toFile())
                .keyManager(client.certificate().toFile(), client.key().toFile())
                .build();

        grpc(credentials).export(MESSAGE);
        post(https(certificates, client), MESSAGE.toByteArray());

        assertThat(received).hasSize(2);
        assertThatThrownBy(() -> post(https(certificates, null), MESSAGE.toByteArray()))
                .isInstanceOf(IOException.class);
        ChannelCredentials anonymous = TlsChannelCredentials.newBuilder()
                .trustManager(certificates.authorityPem().toFile())
                .build();
        assertThatThrownBy(() -> grpc(anonymous).export(MESSAGE)).isInstanceOf(StatusRuntimeException.class);
        assertThat(received).hasSize(2);
    }

    @Test
    void asksNothingOfTheClientWithPlainTls(@TempDir Path directory) throws Exception {
        Certificates certificates = new Certificates(directory);
        receiver = OtlpReceiver.builder()
                .listener(received::add)
                .tls(certificates.serverTls())
                .start();

        post(https(certificates, null), MESSAGE.toByteArray());

        assertThat(received).hasSize(1);
    }

    private MetricsServiceGrpc.MetricsServiceBlockingStub grpc(ChannelCredentials credentials) {
        if (channel != null) {
            channel.shutdownNow();
        }
        channel = NettyChannelBuilder.forAddress("127.0.0.1", receiver.grpcPort(), credentials)
                .build();
        return MetricsServiceGrpc.newBlockingStub(channel);
    }

    private HttpRequest.Builder request(byte[] body) {
        return HttpRequest.newBuilder(URI.create(receiver.httpEndpoint() + "/v1/metrics"))
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    }

    private HttpResponse<byte[]> post(HttpClient client, byte[] body, String... headers) throws Exception {
        HttpRequest.Builder request = request(body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static HttpClient https(Certificates certificates, Certificates.Identity client) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(client == null ? null : keyStore(client.keyStore(), certificates), certificates.password());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keyStore(certificates.trustStore(), certificates));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private static KeyStore keyStore(Path file, Certificates certificates) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, certificates.password());
        }
        return store;
    }
}
