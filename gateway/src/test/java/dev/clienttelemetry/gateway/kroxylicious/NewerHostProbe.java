/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import dev.clienttelemetry.gateway.protocol.InvalidRequestAnswers;
import io.kroxylicious.proxy.filter.FilterContext;
import io.kroxylicious.proxy.filter.RequestFilter;
import io.kroxylicious.proxy.filter.RequestFilterResult;
import io.kroxylicious.proxy.filter.ResponseFilter;
import io.kroxylicious.proxy.filter.ResponseFilterResult;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * What {@link NewerHostTest} runs in a class loader with a newer Kroxylicious API and kafka-clients. Calls the filter as
 * Kroxylicious does from 0.19 on, through the interface's five parameters. Returns lines of what happened.
 */
public final class NewerHostProbe {
    private NewerHostProbe() {}

    /** Runs. */
    public static List<String> run(Path directory) throws Exception {
        List<String> told = new ArrayList<>();
        Method onRequest = RequestFilter.class.getMethod(
                "onRequest",
                ApiKeys.class,
                short.class,
                RequestHeaderData.class,
                ApiMessage.class,
                FilterContext.class);
        Method onResponse = ResponseFilter.class.getMethod(
                "onResponse",
                ApiKeys.class,
                short.class,
                ResponseHeaderData.class,
                ApiMessage.class,
                FilterContext.class);
        try (FilterHost host = new FilterHost(directory, true, true, 1, 1 << 20)) {
            request(
                    onRequest,
                    host,
                    3,
                    new ApiVersionsRequestData().setClientSoftwareName("n").setClientSoftwareVersion("1"));
            ResponseFilterResult versions = (ResponseFilterResult) ((CompletionStage<?>) onResponse.invoke(
                            host.filter,
                            ApiKeys.API_VERSIONS,
                            (short) 3,
                            new ResponseHeaderData(),
                            new ApiVersionsResponseData(),
                            FilterHost.context()))
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
            told.add("offered "
                    + ((ApiVersionsResponseData) versions.message()).apiKeys().size());
            GetTelemetrySubscriptionsResponseData subscription = (GetTelemetrySubscriptionsResponseData)
                    request(onRequest, host, 0, new GetTelemetrySubscriptionsRequestData())
                            .message();
            told.add("subscribed " + subscription.errorCode() + " " + subscription.requestedMetrics());
            PushTelemetryResponseData pushed = (PushTelemetryResponseData) request(
                            onRequest,
                            host,
                            0,
                            new PushTelemetryRequestData()
                                    .setClientInstanceId(subscription.clientInstanceId())
                                    .setSubscriptionId(subscription.subscriptionId())
                                    .setMetrics(ByteBuffer.wrap(new byte[] {1})))
                    .message();
            told.add("pushed " + pushed.errorCode() + " " + host.plugin().calls.size());
        }
        told.add(answers());
        return told;
    }

    private static RequestFilterResult request(Method onRequest, FilterHost host, int version, ApiMessage request)
            throws Exception {
        ApiKeys api = ApiKeys.forId(request.apiKey());
        return (RequestFilterResult) ((CompletionStage<?>) onRequest.invoke(
                        host.filter,
                        api,
                        (short) version,
                        FilterHost.header(api, version),
                        request,
                        FilterHost.context()))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    /** Every API and version that the newer Kafka has: an answer that can be written, or none, but never an exception. */
    public static String answers() {
        int answered = 0;
        int without = 0;
        for (ApiKeys api : ApiKeys.values()) {
            for (short version = api.messageType.lowestSupportedVersion();
                    version <= api.messageType.highestSupportedVersion(true);
                    version++) {
                if (api.requestHeaderVersion(version) < 2) {
                    continue;
                }
                var answer = InvalidRequestAnswers.to(api, version, api.messageType.newRequest());
                if (answer.isPresent()) {
                    ObjectSerializationCache cache = new ObjectSerializationCache();
                    int size = answer.get().size(cache, version);
                    answer.get().write(new ByteBufferAccessor(ByteBuffer.allocate(size)), cache, version);
                    answered++;
                } else {
                    without++;
                }
            }
        }
        return "answers " + (answered > 80) + " " + (without > 20);
    }
}
