/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import com.sun.net.httpserver.HttpServer;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptors;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Receives OTLP metrics over gRPC and over HTTP/protobuf on the loopback interface, with or without gzip. Holds no
 * request after its listener and its answer are done. Thread-safe; the listener is called on several threads at once.
 */
public final class OtlpReceiver implements AutoCloseable {
    /** The largest message accepted over gRPC, in bytes: the default of collectors. */
    public static final int MAX_GRPC_MESSAGE_BYTES = 4 * 1024 * 1024;

    /** The largest body accepted over HTTP, decompressed, in bytes: the default of collectors. */
    public static final int MAX_HTTP_BODY_BYTES = 20 * 1024 * 1024;

    private static final long CLOSE_SECONDS = 5;

    private final ExecutorService threads;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Consumer<ReceivedRequest> listener;
    private final String scheme;
    private final Server grpc;
    private final HttpServer http;
    private volatile Function<ReceivedRequest, Answer> answers = request -> Answer.ACCEPT;

    private OtlpReceiver(Builder builder) throws IOException {
        listener = builder.listener;
        scheme = builder.tls == null ? "http" : "https";
        AtomicInteger number = new AtomicInteger();
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "otlp-receiver-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        grpc = NettyServerBuilder.forAddress(loopback(builder.grpcPort), credentials(builder.tls))
                .executor(threads)
                .maxInboundMessageSize(MAX_GRPC_MESSAGE_BYTES)
                .addService(ServerInterceptors.intercept(new GrpcMetricsService(this), new GrpcHeaders()))
                .build()
                .start();
        try {
            http = HttpMetricsHandler.serverAt(loopback(builder.httpPort), builder.tls);
            http.createContext("/", new HttpMetricsHandler(this));
            http.setExecutor(threads);
            http.start();
        } catch (IOException e) {
            grpc.shutdownNow();
            throw e;
        }
    }

    /** Starts a receiver without TLS on free ports that accepts everything. */
    public static OtlpReceiver start(Consumer<ReceivedRequest> listener) throws IOException {
        return builder().listener(listener).start();
    }

    /** Returns what a receiver is made with. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the value of {@code otel.exporter.otlp.endpoint} for protocol {@code grpc}. */
    public URI grpcEndpoint() {
        return URI.create(scheme + "://127.0.0.1:" + grpcPort());
    }

    /** Returns the value of {@code otel.exporter.otlp.endpoint} for protocol {@code http/protobuf}. */
    public URI httpEndpoint() {
        return URI.create(scheme + "://127.0.0.1:" + httpPort());
    }

    /** Returns the port for gRPC. */
    public int grpcPort() {
        return grpc.getPort();
    }

    /** Returns the port for HTTP/protobuf. */
    public int httpPort() {
        return http.getAddress().getPort();
    }

    /** Decides every later request's answer; called after the listener, on the request's thread. */
    public void answerWith(Function<ReceivedRequest, Answer> decision) {
        answers = decision;
    }

    /** Stops both servers and frees their ports; requests that stall end, and the listener is told of none afterwards. */
    @Override
    public void close() {
        closed.countDown();
        http.stop(0);
        grpc.shutdownNow();
        try {
            grpc.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            threads.shutdownNow();
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    Answer receive(ReceivedRequest request) {
        listener.accept(request);
        return answers.apply(request);
    }

    void awaitClose() throws InterruptedException {
        closed.await();
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static ServerCredentials credentials(ReceiverTls tls) {
        if (tls == null) {
            return InsecureServerCredentials.create();
        }
        TlsServerCredentials.Builder credentials =
                TlsServerCredentials.newBuilder().keyManager(tls.keyManagers());
        if (tls.requiresClientCertificate()) {
            credentials.trustManager(tls.trustManagers()).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
        }
        return credentials.build();
    }

    /** What a receiver is made with. */
    public static final class Builder {
        private Consumer<ReceivedRequest> listener = request -> {};
        private ReceiverTls tls;
        private int grpcPort;
        private int httpPort;

        private Builder() {}

        /** Sets who is told of every request, before it is answered; by default nobody. */
        public Builder listener(Consumer<ReceivedRequest> listener) {
            this.listener = listener;
            return this;
        }

        /** Speaks TLS on both ports; by default neither does. */
        public Builder tls(ReceiverTls tls) {
            this.tls = tls;
            return this;
        }

        /** Sets the port for gRPC; by default, or with 0, a free one. */
        public Builder grpcPort(int port) {
            this.grpcPort = port;
            return this;
        }

        /** Sets the port for HTTP/protobuf; by default, or with 0, a free one. */
        public Builder httpPort(int port) {
            this.httpPort = port;
            return this;
        }

        /**
         * Starts both servers.
         *
         * @throws IOException where a port cannot be had
         */
        public OtlpReceiver start() throws IOException {
            return new OtlpReceiver(this);
        }
    }
}
