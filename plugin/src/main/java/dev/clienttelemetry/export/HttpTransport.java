/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import io.opentelemetry.sdk.common.export.Compressor;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.BufferedSource;

/** OTLP over HTTP with protobuf bodies. */
final class HttpTransport extends OtlpTransport {
    private static final MediaType PROTOBUF = MediaType.get("application/x-protobuf");

    private final Clock clock;

    HttpTransport(SenderSettings settings, Headers extraHeaders, Reachability reachability, Clock clock) {
        super(
                OtlpProtocol.HTTP_PROTOBUF,
                List.of(Protocol.HTTP_2, Protocol.HTTP_1_1),
                settings,
                extraHeaders,
                reachability);
        this.clock = clock;
    }

    @Override
    void addHeaders(Request.Builder request) {
        Compressor compressor = settings().compressor();
        if (compressor != null) {
            request.header("content-encoding", compressor.getEncoding());
        }
    }

    @Override
    RequestBody body(Payload payload) {
        Compressor compressor = settings().compressor();
        return new RequestBody() {
            @Override
            public MediaType contentType() {
                return PROTOBUF;
            }

            @Override
            public long contentLength() {
                return compressor == null ? payload.size() : -1;
            }

            /** OkHttp answers a 408, and a 503 with Retry-After: 0, by itself with the same request, unless it cannot. */
            @Override
            public boolean isOneShot() {
                return true;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                OutputStream out = sink.outputStream();
                if (compressor == null) {
                    payload.writeTo(out);
                } else {
                    compress(compressor, payload, out);
                }
            }
        };
    }

    /** Writes the compressed payload; leaves the stream open, as OkHttp closes it itself. */
    static void compress(Compressor compressor, Payload payload, OutputStream out) throws IOException {
        OutputStream open = new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                flush();
            }
        };
        try (OutputStream compressed = compressor.compress(open)) {
            payload.writeTo(compressed);
        }
    }

    @Override
    Answer answer(Response response) throws IOException {
        if (response.isSuccessful()) {
            return success(response, bounded(response.body().source()));
        }
        if (response.isRedirect()) {
            return Answer.of(
                    Answer.Outcome.ENDPOINT_REFUSES,
                    Integer.toString(response.code()),
                    "HTTP " + response.code() + ": redirected to "
                            + Quoted.line(OtlpSettings.shown(response.header("location", "")))
                            + "; set otel.exporter.otlp.endpoint to where it leads");
        }
        return OtlpAnswers.http(
                response.code(), response.header("retry-after"), errorMessage(response), clock.instant());
    }

    /**
     * A 2xx is a success only with an answer of OTLP: a login page, a proxy's or another service's says 200 too. Nothing at
     * all is a success, whatever its type; so is a JSON object, which some backends answer whatever was sent.
     */
    private static Answer success(Response response, byte[] body) {
        if (body.length == 0) {
            return Answer.accepted(new PartialSuccess(0, ""));
        }
        String type = response.header("content-type", "");
        String lower = type == null ? "" : type.toLowerCase(Locale.ROOT).strip();
        if (lower.startsWith("application/json")) {
            String json = new String(body, StandardCharsets.UTF_8).strip();
            if (json.startsWith("{")) {
                boolean plain = json.chars().noneMatch(c -> c >= '0' && c <= '9') && !json.contains("errorMessage");
                return Answer.accepted(new PartialSuccess(0, plain ? "" : Quoted.line(json)));
            }
        } else if ((lower.isEmpty() || lower.startsWith("application/x-protobuf"))
                && (body.length == MAX_ANSWER_BYTES || PartialSuccess.isResponse(body))) {
            return Answer.accepted(PartialSuccess.parse(body));
        }
        return Answer.of(
                Answer.Outcome.ENDPOINT_REFUSES,
                Answer.INVALID_RESPONSE,
                "HTTP " + response.code() + " with " + (lower.isEmpty() ? "no content type" : Quoted.line(type))
                        + " and a body that is no answer of OTLP" + OtlpAnswers.CHECK_ADDRESS);
    }

    private static String errorMessage(Response response) {
        byte[] body;
        try {
            body = bounded(response.body().source());
        } catch (IOException e) {
            // The status is known; its explanation is not worth failing for.
            return "";
        }
        return isProtobuf(response)
                ? OtlpAnswers.statusMessage(body)
                : Quoted.line(new String(body, StandardCharsets.UTF_8));
    }

    private static boolean isProtobuf(Response response) {
        String type = response.header("content-type", "");
        return type != null && type.startsWith("application/x-protobuf");
    }

    private static byte[] bounded(BufferedSource source) throws IOException {
        source.request(MAX_ANSWER_BYTES);
        return source.getBuffer()
                .readByteArray(Math.min(MAX_ANSWER_BYTES, source.getBuffer().size()));
    }
}
