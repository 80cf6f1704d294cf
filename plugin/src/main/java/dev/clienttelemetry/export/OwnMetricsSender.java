/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;

/**
 * What OpenTelemetry's exporter sends the plugin's own metrics by. Not retried: they are cumulative, so the next request
 * makes up for a lost one.
 */
abstract class OwnMetricsSender {
    private final OtlpTransport transport;
    private final Notices notices;

    OwnMetricsSender(OtlpTransport transport, Notices notices) {
        this.transport = transport;
        this.notices = notices;
    }

    final void send(MessageWriter message, Runnable onAccepted, Consumer<Throwable> onError) {
        send(new Message(message), true, onAccepted, onError);
    }

    private void send(Payload payload, boolean again, Runnable onAccepted, Consumer<Throwable> onError) {
        transport.send(payload, answer -> {
            switch (answer.outcome()) {
                case ACCEPTED -> {
                    tellOfRejected(answer);
                    onAccepted.run();
                }
                case STALE_CONNECTION -> {
                    if (again) {
                        send(payload, false, onAccepted, onError);
                    } else {
                        onError.accept(new IOException(answer.detail()));
                    }
                }
                case CONTENT_REFUSED -> {
                    notices.warn("own", "The backend refused the plugin's own metrics: " + answer.detail());
                    onError.accept(new IOException(answer.detail()));
                }
                default -> onError.accept(new IOException(answer.detail()));
            }
        });
    }

    private void tellOfRejected(Answer answer) {
        if (answer.rejectedPoints() > 0) {
            notices.warn(
                    "own-partial",
                    "The backend rejected " + answer.rejectedPoints() + " data points of the plugin's own metrics: "
                            + (answer.detail().isEmpty() ? "it did not say why" : answer.detail()));
        } else if (!answer.detail().isEmpty()) {
            notices.warn("own-warning", "The backend took the plugin's own metrics and warns: " + answer.detail());
        }
    }

    /** Frees threads and sockets. */
    public final CompletableResultCode shutdown() {
        transport.close();
        return CompletableResultCode.ofSuccess();
    }

    private record Message(MessageWriter writer) implements Payload {
        @Override
        public int size() {
            return writer.getContentLength();
        }

        @Override
        public boolean isOwnMetrics() {
            return true;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            writer.writeMessage(out);
        }
    }

    static final class Http extends OwnMetricsSender implements HttpSender {
        Http(OtlpTransport transport, Notices notices) {
            super(transport, notices);
        }

        @Override
        public void send(MessageWriter message, Consumer<HttpResponse> onResponse, Consumer<Throwable> onError) {
            send(message, () -> onResponse.accept(new Accepted()), onError);
        }

        private record Accepted() implements HttpResponse {
            @Override
            public int getStatusCode() {
                return 200;
            }

            @Override
            public String getStatusMessage() {
                return "OK";
            }

            @Override
            public byte[] getResponseBody() {
                return new byte[0];
            }
        }
    }

    static final class Grpc extends OwnMetricsSender implements GrpcSender {
        Grpc(OtlpTransport transport, Notices notices) {
            super(transport, notices);
        }

        @Override
        public void send(MessageWriter message, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
            send(message, () -> onResponse.accept(new Accepted()), onError);
        }

        private record Accepted() implements GrpcResponse {
            @Override
            public GrpcStatusCode getStatusCode() {
                return GrpcStatusCode.OK;
            }

            @Override
            public String getStatusDescription() {
                return null;
            }

            @Override
            public byte[] getResponseMessage() {
                return new byte[0];
            }
        }
    }
}
