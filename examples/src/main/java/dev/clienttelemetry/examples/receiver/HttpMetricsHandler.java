/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import javax.net.ssl.SSLParameters;

/** OTLP/HTTP with protobuf bodies: POST /v1/metrics. */
final class HttpMetricsHandler implements HttpHandler {
    private static final String PATH = "/v1/metrics";
    private static final String PROTOBUF = "application/x-protobuf";
    private static final int BACKLOG = 50;

    private final OtlpReceiver receiver;

    HttpMetricsHandler(OtlpReceiver receiver) {
        this.receiver = receiver;
    }

    static HttpServer serverAt(InetSocketAddress address, ReceiverTls tls) throws IOException {
        if (tls == null) {
            return HttpServer.create(address, BACKLOG);
        }
        HttpsServer server = HttpsServer.create(address, BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(tls.context()) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = getSSLContext().getDefaultSSLParameters();
                ssl.setNeedClientAuth(tls.requiresClientCertificate());
                parameters.setSSLParameters(ssl);
            }
        });
        return server;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                respond(exchange, 404, "OTLP metrics are received at " + PATH);
            } else if (!exchange.getRequestMethod().equals("POST")) {
                respond(exchange, 405, "OTLP metrics are received with POST");
            } else if (!PROTOBUF.equals(exchange.getRequestHeaders().getFirst("Content-Type"))) {
                respond(exchange, 415, "the only content type here is " + PROTOBUF);
            } else {
                receive(exchange);
            }
        }
    }

    private void receive(HttpExchange exchange) throws IOException {
        byte[] body;
        try {
            body = body(exchange);
        } catch (ZipException e) {
            respond(exchange, 400, "not gzip: " + e.getMessage());
            return;
        }
        if (body == null) {
            respond(exchange, 413, "larger than " + OtlpReceiver.MAX_HTTP_BODY_BYTES + " bytes");
            return;
        }
        ExportMetricsServiceRequest message;
        try {
            message = ExportMetricsServiceRequest.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            respond(exchange, 400, "no ExportMetricsServiceRequest: " + e.getMessage());
            return;
        }
        answer(exchange, receiver.receive(new ReceivedRequest(Transport.HTTP_PROTOBUF, headers(exchange), message)));
    }

    private void answer(HttpExchange exchange, Answer answer) throws IOException {
        if (answer instanceof Answer.PartialSuccess partial) {
            exchange.getResponseHeaders().set("Content-Type", PROTOBUF);
            send(exchange, 200, GrpcMetricsService.success(partial).toByteArray());
        } else if (answer instanceof Answer.Http http) {
            http.headers().forEach(exchange.getResponseHeaders()::set);
            respond(exchange, http.code(), http.body());
        } else if (answer instanceof Answer.Grpc grpc) {
            respond(exchange, 500, String.valueOf(grpc.status().getDescription()));
        } else if (answer instanceof Answer.Stall stall) {
            stall(exchange, stall);
        }
    }

    private void stall(HttpExchange exchange, Answer.Stall stall) throws IOException {
        if (stall.withinBody()) {
            exchange.getResponseHeaders().set("Content-Type", PROTOBUF);
            exchange.sendResponseHeaders(200, 1024);
            exchange.getResponseBody().write(0);
            exchange.getResponseBody().flush();
        }
        try {
            receiver.awaitClose();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the decompressed body, or null where it is larger than a collector takes. */
    private static byte[] body(HttpExchange exchange) throws IOException {
        boolean gzip = "gzip".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        InputStream raw = exchange.getRequestBody();
        try (InputStream body = gzip ? new GZIPInputStream(raw) : raw) {
            byte[] bytes = body.readNBytes(OtlpReceiver.MAX_HTTP_BODY_BYTES + 1);
            return bytes.length > OtlpReceiver.MAX_HTTP_BODY_BYTES ? null : bytes;
        }
    }

    private static Map<String, String> headers(HttpExchange exchange) {
        Map<String, String> headers = new LinkedHashMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(", ", values)));
        return headers;
    }

    private static void respond(HttpExchange exchange, int code, String text) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        send(exchange, code, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int code, byte[] body) throws IOException {
        // The JDK's server takes 0 for "length unknown" and -1 for "no body".
        exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
