/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** KIP-1313 over the wire: a client that speaks the new header, a real proxy, and an upstream that does not know it. */
class HeaderIdIT {
    private static final Uuid ID = Uuid.randomUuid();
    private static final Uuid OTHER = Uuid.randomUuid();
    private static final Uuid NONE = null;

    @TempDir
    static Path directory;

    private static KafkaCluster upstream;
    private static RunningGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        upstream = KafkaCluster.builder(KafkaDistribution.of("4.4.0")).start();
        gateway = RunningGateway.start(directory, upstream, "");
    }

    @AfterAll
    static void stop() {
        if (gateway != null) {
            gateway.close();
        }
        if (upstream != null) {
            upstream.close();
        }
    }

    private static RawConnection connect() throws Exception {
        return new RawConnection(gateway.port, "raw");
    }

    /** Waits until a client that comes is asked for what the file says. */
    private static void awaitRequestedMetrics(String metrics) {
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            try (RawConnection connection = connect()) {
                return connection
                        .call(
                                NONE,
                                new GetTelemetrySubscriptionsRequestData(),
                                0,
                                new GetTelemetrySubscriptionsResponseData())
                        .requestedMetrics()
                        .equals(List.of(metrics));
            }
        });
    }

    private static ApiVersionsRequestData apiVersions() {
        return new ApiVersionsRequestData().setClientSoftwareName("raw-client").setClientSoftwareVersion("1.0");
    }

    private static short listGroups(RawConnection connection, Uuid headerId) throws Exception {
        return connection
                .call(headerId, new ListGroupsRequestData(), 3, new ListGroupsResponseData())
                .errorCode();
    }

    @Test
    void aClientWithAnIdInItsHeadersIsServedAndItsMetricsArrive() throws Exception {
        Uuid id = Uuid.randomUuid();
        try (RawConnection connection = connect()) {
            ApiVersionsResponseData versions = connection.call(id, apiVersions(), 3, new ApiVersionsResponseData());
            assertThat(versions.errorCode()).isZero();
            for (ApiKeys api : List.of(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY)) {
                assertThat(versions.apiKeys().find(api.id)).isNotNull().satisfies(offered -> {
                    assertThat(offered.minVersion()).isZero();
                    assertThat(offered.maxVersion()).isZero();
                });
            }
            assertThat(listGroups(connection, id)).isZero();

            GetTelemetrySubscriptionsResponseData subscription = connection.call(
                    id,
                    new GetTelemetrySubscriptionsRequestData().setClientInstanceId(id),
                    0,
                    new GetTelemetrySubscriptionsResponseData());
            assertThat(subscription.errorCode()).isZero();
            assertThat(subscription.clientInstanceId()).isEqualTo(Uuid.ZERO_UUID);
            assertThat(subscription.requestedMetrics()).containsExactly("*");

            PushTelemetryResponseData pushed = connection.call(
                    id,
                    new PushTelemetryRequestData()
                            .setClientInstanceId(id)
                            .setSubscriptionId(subscription.subscriptionId())
                            .setMetrics(ByteBuffer.wrap(gauge("raw.gauge"))),
                    0,
                    new PushTelemetryResponseData());
            assertThat(pushed.errorCode()).isZero();
        }

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(gateway.points()).anySatisfy(point -> {
                    assertThat(point.name()).isEqualTo("raw.gauge");
                    assertThat(point.resource())
                            .containsEntry("client_instance_id", id.toString())
                            .containsEntry("client_id", "raw")
                            .containsEntry("client_software_name", "raw-client");
                }));
    }

    private static byte[] gauge(String name) {
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder()
                                .addMetrics(Metric.newBuilder()
                                        .setName(name)
                                        .setGauge(Gauge.newBuilder()
                                                .addDataPoints(NumberDataPoint.newBuilder()
                                                        .setTimeUnixNano(System.currentTimeMillis() * 1_000_000)
                                                        .setAsDouble(1))))))
                .build()
                .toByteArray();
    }

    @Test
    void withAnIdFirstRequestsWithoutItOrWithAnotherAreInvalidAndTheConnectionLives() throws Exception {
        try (RawConnection connection = connect()) {
            connection.call(ID, apiVersions(), 3, new ApiVersionsResponseData());

            assertThat(listGroups(connection, NONE)).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(listGroups(connection, Uuid.ZERO_UUID)).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(listGroups(connection, OTHER)).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(listGroups(connection, ID)).isZero();
        }
    }

    @Test
    void withoutAnIdFirstNoneMayCarryOne() throws Exception {
        try (RawConnection connection = connect()) {
            connection.call(NONE, apiVersions(), 3, new ApiVersionsResponseData());

            assertThat(listGroups(connection, ID)).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(listGroups(connection, Uuid.ZERO_UUID)).isZero();
            assertThat(listGroups(connection, NONE)).isZero();
            assertThat(connection
                            .call(ID, apiVersions(), 3, new ApiVersionsResponseData())
                            .errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code());
        }
    }

    @Test
    void requestsWithAV1HeaderAreExempt() throws Exception {
        try (RawConnection connection = connect()) {
            connection.call(ID, apiVersions(), 3, new ApiVersionsResponseData());

            OffsetDeleteResponseData response = connection.call(
                    NONE, new OffsetDeleteRequestData().setGroupId("no-such"), 0, new OffsetDeleteResponseData());

            // The upstream's own error, for there is no such group.
            assertThat(response.errorCode())
                    .isIn(
                            Errors.GROUP_ID_NOT_FOUND.code(),
                            Errors.COORDINATOR_NOT_AVAILABLE.code(),
                            Errors.NOT_COORDINATOR.code());
        }
    }

    @Test
    void aViolationIsAnsweredInTheRequestsOwnResponse() throws Exception {
        try (RawConnection connection = connect()) {
            connection.call(ID, apiVersions(), 3, new ApiVersionsResponseData());

            FindCoordinatorResponseData coordinator = connection.call(
                    NONE,
                    new FindCoordinatorRequestData().setCoordinatorKeys(List.of("group-1", "group-2")),
                    4,
                    new FindCoordinatorResponseData());

            assertThat(coordinator.coordinators()).hasSize(2).allSatisfy(entry -> assertThat(entry.errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code()));
        }
    }

    @Test
    void whereTheProtocolCannotCarryTheErrorTheConnectionIsClosedAndCounted() throws Exception {
        double before = gateway.prometheus("client_telemetry_gateway_header_violations_total");
        try (RawConnection connection = connect()) {
            connection.call(ID, apiVersions(), 3, new ApiVersionsResponseData());
            connection.send(null, new ProduceRequestData().setAcks((short) 0).setTimeoutMs(1000), 9);
            assertThat(connection.isClosedByPeer()).isTrue();
        }
        try (RawConnection connection = connect()) {
            connection.call(ID, apiVersions(), 3, new ApiVersionsResponseData());
            connection.send(null, new OffsetFetchRequestData(), 8);
            assertThat(connection.isClosedByPeer()).isTrue();
        }
        assertThat(gateway.prometheus("client_telemetry_gateway_header_violations_total"))
                .isGreaterThanOrEqualTo(before + 2);
        assertThat(gateway.prometheus()).contains("outcome=\"closed\"");
    }

    @Test
    void aMalformedIdIsAViolation() throws Exception {
        try (RawConnection connection = connect()) {
            RawTaggedField half = new RawTaggedField(0, new byte[8]);
            assertThat(connection
                            .call(half, new ListGroupsRequestData(), 3, new ListGroupsResponseData())
                            .errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(listGroups(connection, ID)).isZero();
        }
    }

    @Test
    void headerAndBodyOfATelemetryRequestMustAgree() throws Exception {
        try (RawConnection connection = connect()) {
            assertThat(connection
                            .call(
                                    ID,
                                    new GetTelemetrySubscriptionsRequestData().setClientInstanceId(OTHER),
                                    0,
                                    new GetTelemetrySubscriptionsResponseData())
                            .errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(connection
                            .call(
                                    ID,
                                    new PushTelemetryRequestData().setClientInstanceId(OTHER),
                                    0,
                                    new PushTelemetryResponseData())
                            .errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code());
        }
    }

    @Test
    void anOldClientGetsAnIdAndTheSameOneBack() throws Exception {
        try (RawConnection connection = connect()) {
            Uuid given = connection
                    .call(
                            NONE,
                            new GetTelemetrySubscriptionsRequestData(),
                            0,
                            new GetTelemetrySubscriptionsResponseData())
                    .clientInstanceId();
            assertThat(given).isNotEqualTo(Uuid.ZERO_UUID);

            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                GetTelemetrySubscriptionsResponseData again = connection.call(
                        NONE,
                        new GetTelemetrySubscriptionsRequestData().setClientInstanceId(given),
                        0,
                        new GetTelemetrySubscriptionsResponseData());
                assertThat(again.errorCode()).isZero();
                assertThat(again.clientInstanceId()).isEqualTo(given);
            });
        }
    }

    @Test
    void changedSubscriptionsReachAClientWithoutARestart() throws Exception {
        try (RawConnection connection = connect()) {
            GetTelemetrySubscriptionsResponseData first = connection.call(
                    NONE, new GetTelemetrySubscriptionsRequestData(), 0, new GetTelemetrySubscriptionsResponseData());
            Uuid id = first.clientInstanceId();
            gateway.subscribe("narrow", "org.apache.kafka.consumer.", 400);
            try {
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(connection
                                .call(
                                        NONE,
                                        new PushTelemetryRequestData()
                                                .setClientInstanceId(id)
                                                .setSubscriptionId(first.subscriptionId()),
                                        0,
                                        new PushTelemetryResponseData())
                                .errorCode())
                        .isEqualTo(Errors.UNKNOWN_SUBSCRIPTION_ID.code()));
                GetTelemetrySubscriptionsResponseData next = connection.call(
                        NONE,
                        new GetTelemetrySubscriptionsRequestData().setClientInstanceId(id),
                        0,
                        new GetTelemetrySubscriptionsResponseData());
                assertThat(next.errorCode()).isZero();
                assertThat(next.requestedMetrics()).containsExactly("org.apache.kafka.consumer.");
                assertThat(next.pushIntervalMs()).isEqualTo(400);
            } finally {
                gateway.subscribe("all", "'*'", 500);
                awaitRequestedMetrics("*");
            }
        }
    }
}
