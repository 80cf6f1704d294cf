/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import io.opentelemetry.sdk.common.export.Compressor;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSink;
import okio.BufferedSource;

/** OTLP over gRPC: one unary call for each request, framed as the "gRPC over HTTP2" specification says. */
final class GrpcTransport extends OtlpTransport {
    private static final MediaType GRPC = MediaType.get("application/grpc");
    private static final int FRAME_HEADER_BYTES = 5;

    private final Clock clock;

    GrpcTransport(SenderSettings settings, Headers extraHeaders, Reachability reachability, Clock clock) {
        super(
                OtlpProtocol.GRPC,
                settings.url().isHttps()
                        ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1)
                        : List.of(Protocol.H2_PRIOR_KNOWLEDGE),
                settings,
                extraHeaders,
                reachability);
        this.clock = clock;
    }

    @Override
    void addHeaders(Request.Builder request) {
        request.header("te", "trailers")
                .header("grpc-timeout", settings().timeout().toMillis() + "m")
                // Without this OkHttp offers gzip by itself, and means the whole body, not gRPC's messages.
                .header("accept-encoding", "identity");
        Compressor compressor = settings().compressor();
        if (compressor != null) {
            request.header("grpc-encoding", compressor.getEncoding());
        }
    }

    @Override
    RequestBody body(Payload payload) {
        Compressor compressor = settings().compressor();
        return new RequestBody() {
            @Override
            public MediaType contentType() {
                return GRPC;
            }

            @Override
            public long contentLength() {
                return compressor == null ? FRAME_HEADER_BYTES + payload.size() : -1;
            }

            @Override
            public boolean isOneShot() {
                return true;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                if (compressor == null) {
                    sink.writeByte(0).writeInt(payload.size());
                    payload.writeTo(sink.outputStream());
                } else {
                    // The frame says the compressed length first.
                    try (Buffer compressed = new Buffer()) {
                        HttpTransport.compress(compressor, payload, compressed.outputStream());
                        sink.writeByte(1).writeInt((int) compressed.size());
                        sink.writeAll(compressed);
                    }
                }
            }
        };
    }

    @Override
    Answer answer(Response response) throws IOException {
        if (response.code() != 200) {
            return notGrpc(response);
        }
        byte[] message = message(response.body().source());
        // An answer without a message may have all in its headers ("Trailers-Only").
        Headers trailers = response.headers();
        if (trailers.get("grpc-status") == null) {
            trailers = response.trailers();
        }
        String status = trailers.get("grpc-status");
        if (status == null) {
            return isGrpc(response)
                    ? Answer.of(Answer.Outcome.RETRY, "UNKNOWN", "the answer has no grpc-status")
                    : Answer.of(
                            Answer.Outcome.ENDPOINT_REFUSES,
                            "UNKNOWN",
                            "the endpoint answered in " + response.protocol() + " with content type "
                                    + Quoted.line(response.header("content-type")) + ", not in gRPC; is it "
                                    + OtlpProtocol.HTTP_PROTOBUF.description()
                                    + "? Then set otel.exporter.otlp.protocol=http/protobuf");
        }
        int code = code(status);
        if (code != 0) {
            return OtlpAnswers.grpc(
                    code,
                    OtlpAnswers.grpcMessage(trailers.get("grpc-message")),
                    trailers.get("grpc-status-details-bin"));
        }
        // The status is gRPC's word for success; only points rejected in a partial success could be overlooked.
        return Answer.accepted(
                PartialSuccess.isResponse(message)
                        ? PartialSuccess.parse(message)
                        : new PartialSuccess(0, "(its answer's message is no ExportMetricsServiceResponse)"));
    }

    private Answer notGrpc(Response response) {
        Answer answer = OtlpAnswers.http(response.code(), response.header("retry-after"), "", clock.instant());
        if (answer.outcome() == Answer.Outcome.CONTENT_REFUSED && response.code() != 413) {
            // What understands gRPC would have said so in gRPC's own status.
            return answer.as(
                    Answer.Outcome.ENDPOINT_REFUSES,
                    "; does the endpoint speak " + OtlpProtocol.GRPC.description() + "?");
        }
        return answer;
    }

    private static boolean isGrpc(Response response) {
        String type = response.header("content-type", "");
        return type != null && type.startsWith("application/grpc");
    }

    /** Returns the first message; reads to the end, as trailers come after it. */
    private static byte[] message(BufferedSource source) throws IOException {
        byte[] message = new byte[0];
        if (source.request(FRAME_HEADER_BYTES)) {
            boolean compressed = source.readByte() != 0;
            int length = source.readInt();
            if (!compressed && length > 0 && length <= MAX_ANSWER_BYTES && source.request(length)) {
                message = source.readByteArray(length);
            }
        }
        while (!source.exhausted()) {
            source.skip(source.getBuffer().size());
        }
        return message;
    }

    private static int code(String status) {
        try {
            return Integer.parseInt(status.strip());
        } catch (NumberFormatException e) {
            return 2;
        }
    }
}
