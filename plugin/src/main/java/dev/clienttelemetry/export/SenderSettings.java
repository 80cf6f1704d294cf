/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import io.opentelemetry.sdk.common.export.Compressor;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;
import okhttp3.HttpUrl;

/**
 * What OpenTelemetry's exporter asks of a sender.
 *
 * @param url where requests go to
 * @param headers sent with each request
 * @param compressor null for none
 * @param timeout for one request, from connecting to the answer's last byte
 * @param connectTimeout for connecting
 * @param sslContext null where the platform's is to be used
 * @param trustManager null where the platform's is to be used
 * @param retryPolicy how long to wait between attempts
 */
record SenderSettings(
        HttpUrl url,
        Map<String, List<String>> headers,
        Compressor compressor,
        Duration timeout,
        Duration connectTimeout,
        SSLContext sslContext,
        X509TrustManager trustManager,
        RetryPolicy retryPolicy) {
    static SenderSettings of(HttpSenderConfig config) {
        return new SenderSettings(
                HttpUrl.get(config.getEndpoint().toString()),
                config.getHeadersSupplier().get(),
                config.getCompressor(),
                config.getTimeout(),
                config.getConnectTimeout(),
                config.getSslContext(),
                config.getTrustManager(),
                orDefault(config.getRetryPolicy()));
    }

    static SenderSettings of(GrpcSenderConfig config) {
        HttpUrl endpoint = HttpUrl.get(config.getEndpoint().toString());
        return new SenderSettings(
                endpoint.newBuilder()
                        .encodedPath("/" + config.getFullMethodName())
                        .build(),
                config.getHeadersSupplier().get(),
                config.getCompressor(),
                config.getTimeout(),
                config.getConnectTimeout(),
                config.getSslContext(),
                config.getTrustManager(),
                orDefault(config.getRetryPolicy()));
    }

    private static RetryPolicy orDefault(RetryPolicy policy) {
        return policy == null ? RetryPolicy.getDefault() : policy;
    }
}
