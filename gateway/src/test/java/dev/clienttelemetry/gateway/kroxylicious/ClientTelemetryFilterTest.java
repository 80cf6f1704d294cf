/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.gateway.CapturedWarnings;
import dev.clienttelemetry.gateway.protocol.ClientInstanceIdHeader;
import io.kroxylicious.proxy.filter.RequestFilterResult;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientTelemetryFilterTest {
    private static final long MEBIBYTE = 1024 * 1024;
    private static final Uuid ID = Uuid.randomUuid();

    @TempDir
    Path directory;

    private FilterHost host(boolean headerRule, boolean passHeaderId) throws Exception {
        return new FilterHost(directory, headerRule, passHeaderId, 1, MEBIBYTE);
    }

    private static ApiMessage answer(CompletableFuture<RequestFilterResult> result) throws Exception {
        RequestFilterResult done = result.get(20, TimeUnit.SECONDS);
        assertThat(done.shortCircuitResponse()).isTrue();
        return done.message();
    }

    private static RequestHeaderData withId(RequestHeaderData header, Uuid id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        header.unknownTaggedFields().add(new RawTaggedField(ClientInstanceIdHeader.TAG, bytes.array()));
        return header;
    }

    private static PushTelemetryRequestData subscribed(FilterHost host) throws Exception {
        GetTelemetrySubscriptionsResponseData subscription =
                (GetTelemetrySubscriptionsResponseData) answer(host.request(
                        FilterHost.header(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0),
                        new GetTelemetrySubscriptionsRequestData()));
        return new PushTelemetryRequestData()
                .setClientInstanceId(subscription.clientInstanceId())
                .setSubscriptionId(subscription.subscriptionId())
                .setMetrics(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    @Test
    void withTheRuleOffOnlyApiVersionsAndTheTelemetryRequestsAreDecoded() throws Exception {
        try (FilterHost host = host(false, true)) {
            for (ApiKeys api : ApiKeys.values()) {
                for (short version = api.oldestVersion(); version <= api.latestVersion(true); version++) {
                    boolean telemetry = api == ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS || api == ApiKeys.PUSH_TELEMETRY;
                    assertThat(host.filter.shouldHandleRequest(api, version))
                            .as(api + " v" + version)
                            .isEqualTo(telemetry || api == ApiKeys.API_VERSIONS);
                    assertThat(host.filter.shouldHandleResponse(api, version)).isEqualTo(api == ApiKeys.API_VERSIONS);
                }
            }
        }
    }

    @Test
    void withTheRuleOnEveryRequestWithAV2HeaderIsDecoded() throws Exception {
        try (FilterHost host = host(true, true)) {
            assertThat(host.filter.shouldHandleRequest(ApiKeys.PRODUCE, (short) 9))
                    .isTrue();
            assertThat(host.filter.shouldHandleRequest(ApiKeys.PRODUCE, (short) 8))
                    .isFalse();
            assertThat(host.filter.shouldHandleRequest(ApiKeys.SASL_HANDSHAKE, (short) 1))
                    .isFalse();
            assertThat(host.filter.shouldHandleRequest(ApiKeys.OFFSET_DELETE, (short) 0))
                    .isFalse();
        }
    }

    @Test
    void thePluginRunsOnAThreadOfTheGatewayAndSeesWhatIsKnown() throws Exception {
        try (FilterHost host = host(true, true)) {
            host.request(
                            FilterHost.header(ApiKeys.API_VERSIONS, 3),
                            new ApiVersionsRequestData()
                                    .setClientSoftwareName("librdkafka")
                                    .setClientSoftwareVersion("2.15.0"))
                    .get();
            PushTelemetryRequestData push = subscribed(host);

            PushTelemetryResponseData response = (PushTelemetryResponseData)
                    answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push));

            assertThat(response.errorCode()).isZero();
            assertThat(host.plugin().calls).singleElement().satisfies(call -> {
                assertThat(call.thread()).startsWith("client-telemetry-gateway-");
                assertThat(call.id()).isEqualTo(push.clientInstanceId());
                assertThat(call.bytes()).containsExactly(1, 2, 3);
                // What a third-party plugin expects: a broker's context, with nothing null.
                RequestContext context = (RequestContext) call.context();
                assertThat(context.clientId()).isEqualTo("client-1");
                assertThat(context.clientInformation.softwareName()).isEqualTo("librdkafka");
                assertThat(context.clientInformation.softwareVersion()).isEqualTo("2.15.0");
                assertThat(context.principal()).isEqualTo(KafkaPrincipal.ANONYMOUS);
                assertThat(context.clientAddress().getHostAddress()).isEqualTo("0.0.0.0");
                assertThat(context.listenerName()).isNotNull();
                assertThat(context.securityProtocol()).isNotNull();
            });
        }
    }

    @Test
    void anEventLoopNeverWaitsForThePlugin() throws Exception {
        try (FilterHost host = host(true, true)) {
            PushTelemetryRequestData push = subscribed(host);
            CountDownLatch held = new CountDownLatch(1);
            host.plugin().hold = held;

            CompletableFuture<RequestFilterResult> pending =
                    host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push);

            assertThat(pending).isNotDone();
            held.countDown();
            assertThat(((PushTelemetryResponseData) answer(pending)).errorCode())
                    .isZero();
        }
    }

    @Test
    void beyondTheBoundOfWhatMayWaitPushesAreThrottled() throws Exception {
        try (FilterHost host = new FilterHost(directory, true, true, 1, 1000)) {
            PushTelemetryRequestData push = subscribed(host);
            push.setMetrics(ByteBuffer.allocate(1000));
            CountDownLatch held = new CountDownLatch(1);
            host.plugin().hold = held;

            CompletableFuture<RequestFilterResult> pending =
                    host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push);
            PushTelemetryResponseData refused = (PushTelemetryResponseData)
                    answer(host.request(host.connection(), FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push));

            assertThat(refused.errorCode()).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED.code());
            assertThat(count(host, "client_telemetry.gateway.refused.requests")).isEqualTo(1);
            assertThat(gauge(host, "client_telemetry.gateway.waiting.requests")).isEqualTo(1);
            assertThat(gauge(host, "client_telemetry.gateway.waiting"))
                    .isEqualTo(host.gateway.workers().waitingBytes())
                    .isGreaterThan(1000);
            held.countDown();
            assertThat(((PushTelemetryResponseData) answer(pending)).errorCode())
                    .isZero();
            assertThat(host.plugin().calls).hasSize(1);
            assertThat(gauge(host, "client_telemetry.gateway.waiting")).isZero();
            assertThat(gauge(host, "client_telemetry.gateway.waiting.requests")).isZero();
        }
    }

    @Test
    void whatIsTooLargeWaitsWithoutItsBytes() throws Exception {
        try (FilterHost host = host(true, true)) {
            PushTelemetryRequestData push = subscribed(host);
            PushTelemetryRequestData tooLarge = subscribed(host).setMetrics(ByteBuffer.allocate(500_000));
            CountDownLatch held = new CountDownLatch(1);
            host.plugin().hold = held;

            CompletableFuture<RequestFilterResult> first =
                    host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push);
            CompletableFuture<RequestFilterResult> second =
                    host.request(host.connection(), FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), tooLarge);

            assertThat(gauge(host, "client_telemetry.gateway.waiting.requests")).isEqualTo(2);
            assertThat(gauge(host, "client_telemetry.gateway.waiting")).isLessThan(10_000);
            assertThat(tooLarge.metrics().remaining()).isLessThan(10_000);
            held.countDown();
            assertThat(((PushTelemetryResponseData) answer(first)).errorCode()).isZero();
            assertThat(((PushTelemetryResponseData) answer(second)).errorCode())
                    .isEqualTo(Errors.TELEMETRY_TOO_LARGE.code());
        }
    }

    @Test
    void pushesRefusedForTheirPayloadAreCountedByReason() throws Exception {
        try (FilterHost host = host(true, true)) {
            int none = 0;
            int gzip = 1;
            int unknown = 9;
            refuse(host, 3, unknown, 100, Errors.UNSUPPORTED_COMPRESSION_TYPE);
            refuse(host, 2, none, 1001, Errors.TELEMETRY_TOO_LARGE);
            refuse(host, 1, gzip, 100, Errors.INVALID_RECORD);

            assertThat(refusedPushes(host, "unsupported_compression")).isEqualTo(3);
            assertThat(refusedPushes(host, "too_large")).isEqualTo(2);
            assertThat(refusedPushes(host, "undecompressable")).isEqualTo(1);
        }
    }

    /** Sends pushes of zeros, each of another instance, so that none is throttled. */
    private static void refuse(FilterHost host, int times, int compressionType, int bytes, Errors error)
            throws Exception {
        for (int i = 0; i < times; i++) {
            PushTelemetryRequestData push =
                    subscribed(host).setCompressionType((byte) compressionType).setMetrics(ByteBuffer.allocate(bytes));
            assertThat(((PushTelemetryResponseData)
                                    answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push)))
                            .errorCode())
                    .isEqualTo(error.code());
        }
    }

    private static double refusedPushes(FilterHost host, String reason) {
        return host.registry
                .get("client_telemetry.gateway.refused.pushes")
                .tag("reason", reason)
                .functionCounter()
                .count();
    }

    @Test
    void aPushThatHangsInThePluginIsAnsweredByThrottling() throws Exception {
        try (FilterHost host = host(true, true)) {
            PushTelemetryRequestData push = subscribed(host);
            CountDownLatch held = new CountDownLatch(1);
            host.plugin().hold = held;

            PushTelemetryResponseData late = (PushTelemetryResponseData)
                    answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push));

            assertThat(late.errorCode()).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED.code());
            await().untilAsserted(
                            () -> assertThat(host.gateway.workers().late()).isEqualTo(1));
            held.countDown();
        }
    }

    @Test
    void aVersionThatIsNotOfferedIsRefused() throws Exception {
        try (FilterHost host = host(true, true)) {
            PushTelemetryRequestData push = subscribed(host);

            PushTelemetryResponseData pushed = (PushTelemetryResponseData)
                    answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 1), push));
            GetTelemetrySubscriptionsResponseData subscription =
                    (GetTelemetrySubscriptionsResponseData) answer(host.request(
                            FilterHost.header(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 1),
                            new GetTelemetrySubscriptionsRequestData()));

            assertThat(pushed.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            assertThat(subscription.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            assertThat(host.plugin().calls).isEmpty();
        }
    }

    @Test
    void aConnectionHasOnePushWithTheWorkers() throws Exception {
        try (FilterHost host = host(true, true)) {
            PushTelemetryRequestData push = subscribed(host);
            CountDownLatch held = new CountDownLatch(1);
            host.plugin().hold = held;

            CompletableFuture<RequestFilterResult> pending =
                    host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push);
            PushTelemetryResponseData refused = (PushTelemetryResponseData)
                    answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push));

            assertThat(refused.errorCode()).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED.code());
            held.countDown();
            assertThat(((PushTelemetryResponseData) answer(pending)).errorCode())
                    .isZero();
            assertThat(host.plugin().calls).hasSize(1);
            assertThat(host.gateway.workers().refused()).isEqualTo(1);
        }
    }

    @Test
    void theHeaderIdIsPassedOnByDefault() throws Exception {
        try (FilterHost host = host(true, true)) {
            RequestHeaderData header = withId(FilterHost.header(ApiKeys.LIST_GROUPS, 3), ID);

            RequestFilterResult result =
                    host.request(header, new ListGroupsRequestData()).get();

            assertThat(ClientInstanceIdHeader.read((RequestHeaderData) result.header()))
                    .isEqualTo(ID);
        }
    }

    @Test
    void theHeaderIdIsStrippedWhereTheSettingSaysSoAndTheRuleStillHolds() throws Exception {
        try (FilterHost host = host(true, false)) {
            RequestFilterResult first = host.request(
                            withId(FilterHost.header(ApiKeys.LIST_GROUPS, 3), ID), new ListGroupsRequestData())
                    .get();
            ApiMessage second =
                    answer(host.request(FilterHost.header(ApiKeys.LIST_GROUPS, 3), new ListGroupsRequestData()));

            assertThat(((RequestHeaderData) first.header()).unknownTaggedFields())
                    .isEmpty();
            assertThat(((ListGroupsResponseData) second).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(violations(host, "answered")).isEqualTo(1);
            assertThat(violations(host, "closed")).isZero();
        }
    }

    @Test
    void aHeaderIdThatCannotBeReadBreaksTheRuleToo() throws Exception {
        try (FilterHost host = host(true, true)) {
            RequestHeaderData header = FilterHost.header(ApiKeys.LIST_GROUPS, 3);
            header.unknownTaggedFields().add(new RawTaggedField(ClientInstanceIdHeader.TAG, new byte[15]));

            ApiMessage response = answer(host.request(header, new ListGroupsRequestData()));

            assertThat(((ListGroupsResponseData) response).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(violations(host, "answered")).isEqualTo(1);
        }
    }

    @Test
    void aViolationWithoutRoomForAnAnswerClosesTheConnection() throws Exception {
        try (FilterHost host = host(true, true)) {
            host.request(withId(FilterHost.header(ApiKeys.LIST_GROUPS, 3), ID), new ListGroupsRequestData())
                    .get();

            RequestFilterResult result = host.request(
                            FilterHost.header(ApiKeys.PRODUCE, 9), new ProduceRequestData().setAcks((short) 0))
                    .get();

            assertThat(result.closeConnection()).isTrue();
            assertThat(result.message()).isNull();
            assertThat(violations(host, "closed")).isEqualTo(1);
            assertThat(violations(host, "answered")).isZero();
        }
    }

    @Test
    void withTheRuleOffHeaderIdsAreIgnored() throws Exception {
        try (FilterHost host = host(false, true)) {
            GetTelemetrySubscriptionsResponseData response =
                    (GetTelemetrySubscriptionsResponseData) answer(host.request(
                            withId(FilterHost.header(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0), ID),
                            new GetTelemetrySubscriptionsRequestData()));
            assertThat(response.errorCode()).isZero();
            assertThat(response.clientInstanceId()).isNotIn(ID, Uuid.ZERO_UUID);

            PushTelemetryRequestData push = new PushTelemetryRequestData()
                    .setClientInstanceId(response.clientInstanceId())
                    .setSubscriptionId(response.subscriptionId())
                    .setMetrics(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            RequestHeaderData unreadable = FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0);
            unreadable.unknownTaggedFields().add(new RawTaggedField(ClientInstanceIdHeader.TAG, new byte[15]));
            assertThat(((PushTelemetryResponseData) answer(host.request(unreadable, push))).errorCode())
                    .isZero();
            assertThat(host.plugin().calls).hasSize(1);

            RequestFilterResult passed = host.request(
                            withId(FilterHost.header(ApiKeys.API_VERSIONS, 3), ID), new ApiVersionsRequestData())
                    .get();
            assertThat(ClientInstanceIdHeader.read((RequestHeaderData) passed.header()))
                    .isEqualTo(ID);
        }
    }

    @Test
    void violationsAreTold() throws Exception {
        for (ApiMessage request : List.of(new ListGroupsRequestData(), new ProduceRequestData().setAcks((short) 0))) {
            try (CapturedWarnings captured = new CapturedWarnings();
                    FilterHost host = host(true, true)) {
                boolean answered = request.apiKey() == ApiKeys.LIST_GROUPS.id;
                ApiKeys api = ApiKeys.forId(request.apiKey());
                host.request(withId(FilterHost.header(ApiKeys.LIST_GROUPS, 3), ID), new ListGroupsRequestData())
                        .get();
                host.request(FilterHost.header(api, answered ? 3 : 9), request).get();

                assertThat(captured.lines())
                        .filteredOn(line -> line.startsWith("A request breaks the rule"))
                        .singleElement()
                        .asString()
                        .contains(
                                "client id client-1, " + api.name,
                                answered
                                        ? "answered INVALID_REQUEST"
                                        : "connection closed: its response has no room for an error");
            }
        }
    }

    /** Kroxylicious closes the connection of a filter that fails, and with it a producer's records. */
    @Test
    void aRequestThatFailsUnforeseenIsAnsweredWithThrottlingAndTold() throws Exception {
        try (CapturedWarnings captured = new CapturedWarnings();
                FilterHost host = host(true, true)) {
            GetTelemetrySubscriptionsRequestData broken =
                    new GetTelemetrySubscriptionsRequestData().setClientInstanceId(null);

            RequestFilterResult result = host.request(FilterHost.header(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0), broken)
                    .get();

            assertThat(result.closeConnection()).isFalse();
            assertThat(((GetTelemetrySubscriptionsResponseData) result.message()).errorCode())
                    .isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED.code());
            assertThat(captured.lines())
                    .filteredOn(line -> line.startsWith("A telemetry request failed"))
                    .hasSize(1);
            assertThat(host.gateway.workers().waitingRequests()).isZero();
        }
    }

    @Test
    void theTelemetryApisAreOfferedInEachAnswerToApiVersions() throws Exception {
        try (FilterHost host = host(true, true)) {
            ApiVersionsResponseData response = new ApiVersionsResponseData();

            host.filter
                    .onResponse(ApiKeys.API_VERSIONS, new ResponseHeaderData(), response, FilterHost.context())
                    .toCompletableFuture()
                    .get();

            assertThat(response.apiKeys())
                    .extracting("apiKey")
                    .contains(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS.id, ApiKeys.PUSH_TELEMETRY.id);
        }
    }

    @Test
    void theEightMetricsAreExact() throws Exception {
        try (FilterHost host = host(true, true)) {
            PushTelemetryRequestData push = subscribed(host);
            answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push));
            // At once again: throttled.
            answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), push));
            // An id that is not known here, with the plugin refusing.
            host.plugin().refusal = new IllegalStateException("no");
            PushTelemetryRequestData unknown = push.duplicate().setClientInstanceId(Uuid.randomUuid());
            answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), unknown));
            PushTelemetryRequestData refused = subscribed(host);
            assertThat(((PushTelemetryResponseData)
                                    answer(host.request(FilterHost.header(ApiKeys.PUSH_TELEMETRY, 0), refused)))
                            .errorCode())
                    .isEqualTo(Errors.INVALID_RECORD.code());

            assertThat(host.registry
                            .get("client_telemetry.instance.count")
                            .gauge()
                            .value())
                    .isEqualTo(3);
            assertThat(host.registry
                            .get("client_telemetry.active_instance.count")
                            .gauge()
                            .value())
                    .isEqualTo(3);
            assertThat(count(host, "client_telemetry.new_instance.requests")).isEqualTo(2);
            assertThat(count(host, "client_telemetry.unknown_instance.requests"))
                    .isEqualTo(1);
            assertThat(count(host, "client_telemetry.throttled.requests")).isEqualTo(1);
            assertThat(count(host, "client_telemetry.plugin.exports")).isEqualTo(2);
            assertThat(count(host, "client_telemetry.plugin.errors")).isEqualTo(1);
            assertThat(host.registry
                            .get("client_telemetry.gateway.event_loop.duration")
                            .timer()
                            .count())
                    .as("6 requests, each taken in and answered")
                    .isEqualTo(12);
            assertThat(host.registry
                            .get("client_telemetry.plugin.export.duration")
                            .functionTimer()
                            .count())
                    .isEqualTo(2);
        }
    }

    private static double violations(FilterHost host, String outcome) {
        return host.registry
                .get("client_telemetry.gateway.header.violations")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private static double gauge(FilterHost host, String name) {
        return host.registry.get(name).gauge().value();
    }

    private static double count(FilterHost host, String name) {
        return host.registry.get(name).functionCounter().count();
    }

    @Test
    void aSecondGatewayOfTheSameNameIsRefused() throws Exception {
        try (FilterHost host = host(true, true)) {
            assertThat(catchThrowable(() -> GatewayMeters.refuseSecond(host.registry, host.name)))
                    .hasMessageContaining("name");
        }
        // Closed, the name is free again.
        try (FilterHost host = host(true, true)) {
            GatewayMeters.refuseSecond(host.registry, "another");
        }
    }
}
