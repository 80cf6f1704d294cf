/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import com.google.protobuf.Any;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import java.time.Duration;

/** OTLP/gRPC's MetricsService. */
final class GrpcMetricsService extends MetricsServiceGrpc.MetricsServiceImplBase {
    private final OtlpReceiver receiver;

    GrpcMetricsService(OtlpReceiver receiver) {
        this.receiver = receiver;
    }

    @Override
    public void export(ExportMetricsServiceRequest message, StreamObserver<ExportMetricsServiceResponse> response) {
        Answer answer = receiver.receive(new ReceivedRequest(Transport.GRPC, GrpcHeaders.HEADERS.get(), message));
        if (answer instanceof Answer.PartialSuccess partial) {
            response.onNext(success(partial));
            response.onCompleted();
        } else if (answer instanceof Answer.Grpc grpc) {
            response.onError(error(grpc));
        } else if (answer instanceof Answer.Http http) {
            response.onError(Status.UNKNOWN.withDescription(http.body()).asRuntimeException());
        }
        // A stall needs nothing: the call stays open until the server ends.
    }

    static ExportMetricsServiceResponse success(Answer.PartialSuccess partial) {
        if (partial.equals(Answer.ACCEPT)) {
            return ExportMetricsServiceResponse.getDefaultInstance();
        }
        return ExportMetricsServiceResponse.newBuilder()
                .setPartialSuccess(ExportMetricsPartialSuccess.newBuilder()
                        .setRejectedDataPoints(partial.rejectedDataPoints())
                        .setErrorMessage(partial.message()))
                .build();
    }

    private static StatusRuntimeException error(Answer.Grpc answer) {
        if (answer.retryDelay() == null) {
            return answer.status().asRuntimeException();
        }
        Duration delay = answer.retryDelay();
        RetryInfo retryInfo = RetryInfo.newBuilder()
                .setRetryDelay(com.google.protobuf.Duration.newBuilder()
                        .setSeconds(delay.getSeconds())
                        .setNanos(delay.getNano()))
                .build();
        com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder()
                .setCode(answer.status().getCode().value())
                .addDetails(Any.pack(retryInfo));
        if (answer.status().getDescription() != null) {
            status.setMessage(answer.status().getDescription());
        }
        return StatusProto.toStatusRuntimeException(status.build());
    }
}
