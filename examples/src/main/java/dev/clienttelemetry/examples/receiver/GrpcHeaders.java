/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.LinkedHashMap;
import java.util.Map;

/** Carries a call's headers to the service, which gets only the message from its stub. */
final class GrpcHeaders implements ServerInterceptor {
    static final Context.Key<Map<String, String>> HEADERS = Context.key("headers");

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : metadata.keys()) {
            if (!name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
                Iterable<String> values = metadata.getAll(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
                headers.put(name, String.join(", ", values));
            }
        }
        return Contexts.interceptCall(Context.current().withValue(HEADERS, headers), call, metadata, next);
    }
}
