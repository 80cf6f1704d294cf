/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import dev.clienttelemetry.gateway.Gateway;
import dev.clienttelemetry.gateway.Workers;
import dev.clienttelemetry.gateway.protocol.ClientIdentity;
import dev.clienttelemetry.gateway.protocol.ClientInstanceIdHeader;
import dev.clienttelemetry.gateway.protocol.ClientSoftware;
import dev.clienttelemetry.gateway.protocol.ConnectionClientInstanceId;
import dev.clienttelemetry.gateway.protocol.InvalidRequestAnswers;
import dev.clienttelemetry.gateway.protocol.MalformedHeaderException;
import dev.clienttelemetry.gateway.protocol.OfferedApis;
import io.kroxylicious.proxy.filter.FilterContext;
import io.kroxylicious.proxy.filter.FilterDispatchExecutor;
import io.kroxylicious.proxy.filter.RequestFilter;
import io.kroxylicious.proxy.filter.RequestFilterResult;
import io.kroxylicious.proxy.filter.ResponseFilter;
import io.kroxylicious.proxy.filter.ResponseFilterResult;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
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
import org.apache.kafka.common.protocol.Errors;

/**
 * One connection's part in the gateway: offers the telemetry APIs, answers them, and holds the client to KIP-1313's rule.
 *
 * <p>Called on the connection's event loop, one request after the other. While the answer to one request is being worked
 * on elsewhere, Kroxylicious holds back the connection's next ones, so that their order stays.
 *
 * <p>Kroxylicious has four parameters for {@code onRequest} and {@code onResponse} up to 0.18 and five from 0.19 on. The
 * filter has both, so one class serves all.
 */
final class ClientTelemetryFilter implements RequestFilter, ResponseFilter {
    private final Gateway gateway;
    private final GatewayMeters meters;
    private final FilterDispatchExecutor eventLoop;
    private final boolean headerRule;
    private final boolean passHeaderId;
    private final ConnectionClientInstanceId connectionId =
            new ConnectionClientInstanceId(ConnectionClientInstanceId.HEADER_VERSION);
    private final Workers.Lane lane = new Workers.Lane();
    private ClientSoftware software = ClientSoftware.UNKNOWN;

    ClientTelemetryFilter(Gateway gateway, GatewayMeters meters, FilterDispatchExecutor eventLoop) {
        this.gateway = gateway;
        this.meters = meters;
        this.eventLoop = eventLoop;
        this.headerRule = gateway.settings().headerRule();
        this.passHeaderId = gateway.settings().passHeaderId();
    }

    @Override
    public boolean shouldHandleRequest(ApiKeys api, short version) {
        return api == ApiKeys.API_VERSIONS
                || api == ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS
                || api == ApiKeys.PUSH_TELEMETRY
                || headerRule && connectionId.concerns(api.requestHeaderVersion(version));
    }

    @Override
    public boolean shouldHandleResponse(ApiKeys api, short version) {
        return api == ApiKeys.API_VERSIONS;
    }

    @Override
    public CompletionStage<RequestFilterResult> onRequest(
            ApiKeys api, RequestHeaderData header, ApiMessage request, FilterContext context) {
        return request(api, header.requestApiVersion(), header, request, context);
    }

    /** As Kroxylicious calls it from 0.19 on. */
    public CompletionStage<RequestFilterResult> onRequest(
            ApiKeys api, short version, RequestHeaderData header, ApiMessage request, FilterContext context) {
        return request(api, version, header, request, context);
    }

    private CompletionStage<RequestFilterResult> request(
            ApiKeys api, short version, RequestHeaderData header, ApiMessage request, FilterContext context) {
        long start = System.nanoTime();
        Uuid headerId = Uuid.ZERO_UUID;
        if (headerRule) {
            try {
                short headerVersion = api.requestHeaderVersion(version);
                headerId = ClientInstanceIdHeader.read(header);
                if (!connectionId.allows(headerVersion, headerId)) {
                    return violation(api, version, header, request, context);
                }
            } catch (MalformedHeaderException e) {
                return violation(api, version, header, request, context);
            }
            if (!passHeaderId) {
                ClientInstanceIdHeader.remove(header);
            }
        }
        return switch (api) {
            case API_VERSIONS -> {
                software = ClientSoftware.of(version, (ApiVersionsRequestData) request, software);
                yield context.forwardRequest(header, request);
            }
            case GET_TELEMETRY_SUBSCRIPTIONS ->
                subscribe(start, version, headerId, (GetTelemetrySubscriptionsRequestData) request, header, context);
            case PUSH_TELEMETRY -> push(start, version, headerId, (PushTelemetryRequestData) request, header, context);
            default -> context.forwardRequest(header, request);
        };
    }

    private CompletionStage<RequestFilterResult> subscribe(
            long start,
            short version,
            Uuid headerId,
            GetTelemetrySubscriptionsRequestData request,
            RequestHeaderData header,
            FilterContext context) {
        Function<Errors, ApiMessage> refusal =
                error -> new GetTelemetrySubscriptionsResponseData().setErrorCode(error.code());
        if (version != 0) {
            return answer(refusal.apply(Errors.UNSUPPORTED_VERSION), context);
        }
        ClientIdentity client = client(header);
        return work(start, 0, () -> gateway.requests().subscribe(request, headerId, client), refusal, context);
    }

    private CompletionStage<RequestFilterResult> push(
            long start,
            short version,
            Uuid headerId,
            PushTelemetryRequestData request,
            RequestHeaderData header,
            FilterContext context) {
        Function<Errors, ApiMessage> refusal = error -> new PushTelemetryResponseData().setErrorCode(error.code());
        if (version != 0) {
            return answer(refusal.apply(Errors.UNSUPPORTED_VERSION), context);
        }
        ClientIdentity client = client(header);
        int payloadBytes = request.metrics() == null ? 0 : request.metrics().remaining();
        if (payloadBytes > gateway.settings().telemetryMaxBytes()) {
            // It is refused for its size, in its turn among the checks. Its bytes shall not wait for that.
            request.setMetrics(gateway.tooLargePayload());
            payloadBytes = 0;
        }
        return work(start, payloadBytes, () -> gateway.requests().push(request, headerId, client), refusal, context);
    }

    private CompletionStage<RequestFilterResult> work(
            long start,
            int payloadBytes,
            Supplier<ApiMessage> work,
            Function<Errors, ApiMessage> refusal,
            FilterContext context) {
        Optional<CompletionStage<ApiMessage>> working =
                gateway.workers().take(lane, payloadBytes, work, () -> refusal.apply(Errors.THROTTLING_QUOTA_EXCEEDED));
        if (working.isEmpty()) {
            // Clients come again after a push interval; any other error would have them stop or come at once.
            return answer(refusal.apply(Errors.THROTTLING_QUOTA_EXCEEDED), context);
        }
        CompletionStage<RequestFilterResult> answered = eventLoop
                .completeOnFilterDispatchThread(working.get())
                .thenCompose(response -> {
                    long back = System.nanoTime();
                    CompletionStage<RequestFilterResult> answer = answer(response, context);
                    meters.eventLoopTime(System.nanoTime() - back);
                    return answer;
                });
        meters.eventLoopTime(System.nanoTime() - start);
        return answered;
    }

    private CompletionStage<RequestFilterResult> violation(
            ApiKeys api, short version, RequestHeaderData header, ApiMessage request, FilterContext context) {
        Optional<ApiMessage> answer = InvalidRequestAnswers.to(api, version, request);
        if (answer.isPresent()) {
            meters.violationAnswered();
            gateway.headerViolations().happened(header.clientId(), api, version, "answered INVALID_REQUEST");
            return answer(answer.get(), context);
        }
        meters.violationClosed();
        gateway.headerViolations()
                .happened(header.clientId(), api, version, "connection closed: its response has no room for an error");
        return context.requestFilterResultBuilder().withCloseConnection().completed();
    }

    private static CompletionStage<RequestFilterResult> answer(ApiMessage response, FilterContext context) {
        return context.requestFilterResultBuilder()
                .shortCircuitResponse(response)
                .completed();
    }

    private ClientIdentity client(RequestHeaderData header) {
        return new ClientIdentity(header.clientId(), software.name(), software.version());
    }

    @Override
    public CompletionStage<ResponseFilterResult> onResponse(
            ApiKeys api, ResponseHeaderData header, ApiMessage response, FilterContext context) {
        return response(header, response, context);
    }

    /** As Kroxylicious calls it from 0.19 on. */
    public CompletionStage<ResponseFilterResult> onResponse(
            ApiKeys api, short version, ResponseHeaderData header, ApiMessage response, FilterContext context) {
        return response(header, response, context);
    }

    private static CompletionStage<ResponseFilterResult> response(
            ResponseHeaderData header, ApiMessage response, FilterContext context) {
        if (response instanceof ApiVersionsResponseData apiVersions) {
            OfferedApis.offerTelemetry(apiVersions);
        }
        return context.forwardResponse(header, response);
    }
}
