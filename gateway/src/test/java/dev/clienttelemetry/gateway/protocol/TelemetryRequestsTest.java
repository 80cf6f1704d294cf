/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static dev.clienttelemetry.gateway.protocol.TestBroker.CLIENT;
import static dev.clienttelemetry.gateway.protocol.TestBroker.subscription;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Test;

class TelemetryRequestsTest {
    private static final Uuid NO_HEADER_ID = Uuid.ZERO_UUID;

    private final TestBroker broker = new TestBroker();

    private GetTelemetrySubscriptionsResponseData get(Uuid id) {
        return broker.requests.subscribe(
                new GetTelemetrySubscriptionsRequestData().setClientInstanceId(id), NO_HEADER_ID, CLIENT);
    }

    private Errors getError(Uuid id) {
        return Errors.forCode(get(id).errorCode());
    }

    private PushTelemetryRequestData request(Uuid id) {
        return new PushTelemetryRequestData()
                .setClientInstanceId(id)
                .setSubscriptionId(broker.subscriptionId(id))
                .setMetrics(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    private Errors push(PushTelemetryRequestData request) {
        return Errors.forCode(
                broker.requests.push(request, NO_HEADER_ID, CLIENT).errorCode());
    }

    @Test
    void aZeroIdGetsANewOneUniqueAmongTheLive() {
        Set<Uuid> given = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            given.add(get(Uuid.ZERO_UUID).clientInstanceId());
        }

        assertThat(given).hasSize(50).doesNotContain(Uuid.ZERO_UUID);
        assertThat(broker.requests.instanceCount()).isEqualTo(50);
        assertThat(broker.metrics.newInstances().total()).isEqualTo(50);
    }

    @Test
    void theAnswerSaysAllThatKip714Asks() {
        broker.subscribe(
                subscription("a", "org.apache.kafka.producer.,org.apache.kafka.producer.record.", 20_000),
                subscription("b", "org.apache.kafka.consumer.", 5_000),
                subscription("c", "other.", 1_000, "client_id=someone-else"));

        GetTelemetrySubscriptionsResponseData response = get(Uuid.ZERO_UUID);

        assertThat(response.errorCode()).isEqualTo(Errors.NONE.code());
        // A prefix that another covers is removed, which Kafka leaves in.
        assertThat(response.requestedMetrics())
                .containsExactlyInAnyOrder("org.apache.kafka.producer.", "org.apache.kafka.consumer.");
        assertThat(response.pushIntervalMs()).isEqualTo(5_000);
        assertThat(response.subscriptionId()).isEqualTo(broker.subscriptionId(response.clientInstanceId()));
        assertThat(response.acceptedCompressionTypes())
                .containsExactly(
                        CompressionType.ZSTD.id,
                        CompressionType.LZ4.id,
                        CompressionType.GZIP.id,
                        CompressionType.SNAPPY.id);
        assertThat(response.telemetryMaxBytes()).isEqualTo(TestBroker.MAX_BYTES);
        assertThat(response.deltaTemporality()).isTrue();
    }

    @Test
    void aSelectorOnWhatIsNotKnownMatchesNothing() {
        broker.subscribe(
                subscription("address", "a.", 1_000, "client_source_address=.*"),
                subscription("port", "p.", 1_000, "client_source_port=.*"));

        GetTelemetrySubscriptionsResponseData response = get(Uuid.ZERO_UUID);

        assertThat(response.requestedMetrics()).isEmpty();
        assertThat(response.pushIntervalMs()).isEqualTo(300_000);
        assertThat(broker.requests.instanceCount()).isEqualTo(1);
        assertThat(broker.requests.activeInstanceCount()).isZero();
    }

    @Test
    void aSelectorThatExceedsItsStepBoundMatchesNothing() {
        broker.subscribe(subscription("slow", "s.", 1_000, "client_id=(a+)+b"));

        GetTelemetrySubscriptionsResponseData response = broker.requests.subscribe(
                new GetTelemetrySubscriptionsRequestData(),
                NO_HEADER_ID,
                new ClientIdentity("a".repeat(200), "unknown", "unknown"));

        assertThat(response.requestedMetrics()).isEmpty();
    }

    @Test
    void changedSubscriptionsTakeEffectAtTheNextPush() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        PushTelemetryRequestData old = request(id);
        assertThat(push(old)).isEqualTo(Errors.NONE);
        broker.subscribe(subscription("other", "org.apache.kafka.consumer.", 20_000));

        assertThat(push(old)).isEqualTo(Errors.UNKNOWN_SUBSCRIPTION_ID);
        GetTelemetrySubscriptionsResponseData next = get(id);

        assertThat(next.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(next.requestedMetrics()).containsExactly("org.apache.kafka.consumer.");
        assertThat(next.pushIntervalMs()).isEqualTo(20_000);
        assertThat(broker.metrics.unknownSubscriptions().total()).isEqualTo(1);
    }

    @Test
    void aPushBeforeTheIntervalIsThrottled() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        broker.pass(1);

        assertThat(push(request(id))).as("first push after a subscription").isEqualTo(Errors.NONE);
        assertThat(push(request(id))).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
        broker.pass(9_999);
        assertThat(push(request(id))).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
        broker.pass(1);
        assertThat(push(request(id))).isEqualTo(Errors.NONE);
        assertThat(broker.metrics.throttledPushes().total()).isEqualTo(2);
        assertThat(broker.exported).hasSize(2);
    }

    @Test
    void aTerminatingPushIsNotThrottled() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        push(request(id));

        assertThat(push(request(id).setTerminating(true))).isEqualTo(Errors.NONE);
        assertThat(broker.exported).extracting(PushedMetrics::terminating).containsExactly(false, true);
    }

    @Test
    void aGetBeforeTheIntervalIsThrottledAndNotCountedAsAPush() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();

        assertThat(getError(id)).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
        broker.pass(10_000);
        assertThat(getError(id)).isEqualTo(Errors.NONE);
        assertThat(broker.metrics.throttledPushes().total()).isZero();
    }

    @Test
    void aGetAfterAnUnknownSubscriptionIsNotThrottled() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();

        assertThat(push(request(id).setSubscriptionId(broker.subscriptionId(id) + 1)))
                .isEqualTo(Errors.UNKNOWN_SUBSCRIPTION_ID);
        assertThat(getError(id)).isEqualTo(Errors.NONE);
        assertThat(getError(id)).as("once").isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
    }

    @Test
    void aGetAfterAnUnsupportedCompressionIsNotThrottled() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();

        assertThat(push(request(id).setCompressionType((byte) 5))).isEqualTo(Errors.UNSUPPORTED_COMPRESSION_TYPE);
        assertThat(getError(id)).isEqualTo(Errors.NONE);
    }

    @Test
    void errorsComeInKafkasOrder() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        byte[] tooLarge = new byte[TestBroker.MAX_BYTES + 1];
        PushTelemetryRequestData allWrong = request(id)
                .setSubscriptionId(broker.subscriptionId(id) + 1)
                .setCompressionType((byte) -1)
                .setMetrics(ByteBuffer.wrap(tooLarge));

        assertThat(push(request(Uuid.ZERO_UUID))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(push(request(Uuid.ONE_UUID))).as("a reserved id").isEqualTo(Errors.INVALID_REQUEST);
        assertThat(push(allWrong)).isEqualTo(Errors.UNKNOWN_SUBSCRIPTION_ID);
        assertThat(push(allWrong)).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
        broker.pass(10_000);
        allWrong.setSubscriptionId(broker.subscriptionId(id));
        assertThat(push(allWrong)).isEqualTo(Errors.UNSUPPORTED_COMPRESSION_TYPE);
        broker.pass(10_000);
        allWrong.setCompressionType(CompressionType.GZIP.id);
        assertThat(push(allWrong)).isEqualTo(Errors.TELEMETRY_TOO_LARGE);
        broker.pass(10_000);
        assertThat(push(request(id).setCompressionType(CompressionType.GZIP.id)))
                .as("not gzip")
                .isEqualTo(Errors.INVALID_RECORD);
        assertThat(broker.metrics.unsupportedCompressions().total()).isEqualTo(1);
        assertThat(broker.metrics.tooLarge().total()).isEqualTo(1);
        assertThat(broker.metrics.undecompressable().total()).isEqualTo(1);
        assertThat(broker.exported).isEmpty();
    }

    @Test
    void aRefusalByThePluginIsInvalidRecord() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        broker.exportTo(push -> {
            throw new IllegalStateException("no");
        });

        assertThat(push(request(id))).isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void afterATerminatingPushEveryFurtherRequestIsInvalid() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        push(request(id).setTerminating(true));
        broker.pass(20_000);

        assertThat(push(request(id))).isEqualTo(Errors.INVALID_REQUEST);
        // Apache Kafka accepts this one.
        assertThat(push(request(id))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(getError(id)).isEqualTo(Errors.INVALID_REQUEST);
        broker.subscribe(subscription("other", "x.", 20_000));
        assertThat(push(request(id))).as("after a change of subscriptions").isEqualTo(Errors.INVALID_REQUEST);
    }

    @Test
    void anEmptyPushNeverReachesThePlugin() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();

        assertThat(push(request(id).setMetrics(ByteBuffer.allocate(0)))).isEqualTo(Errors.NONE);
        assertThat(broker.exported).isEmpty();
    }

    @Test
    void everyOfferedCompressionIsTakenOff() throws Exception {
        byte[] otlp = "metrics".repeat(20).getBytes(StandardCharsets.UTF_8);
        for (CompressionType type : CompressionType.values()) {
            Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
            broker.exported.clear();

            assertThat(push(request(id).setCompressionType(type.id).setMetrics(CompressedSample.of(otlp, type))))
                    .isEqualTo(Errors.NONE);
            assertThat(broker.exported).singleElement().satisfies(push -> {
                assertThat(push.metrics()).isEqualTo(otlp);
                assertThat(push.clientInstanceId()).isEqualTo(id);
                assertThat(push.client()).isEqualTo(CLIENT);
                assertThat(push.pushIntervalMs()).isEqualTo(10_000);
            });
        }
    }

    @Test
    void aDecompressionBombIsTooLarge() throws Exception {
        for (CompressionType type : CompressionType.values()) {
            if (type == CompressionType.NONE) {
                continue;
            }
            Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
            ByteBuffer bomb = CompressedSample.of(new byte[10_000], type);
            assertThat(bomb.remaining()).isLessThan(TestBroker.MAX_BYTES);

            assertThat(push(request(id).setCompressionType(type.id).setMetrics(bomb)))
                    .as(type.name)
                    .isEqualTo(Errors.TELEMETRY_TOO_LARGE);
        }
        assertThat(broker.metrics.tooLarge().total()).isEqualTo(4);
        assertThat(broker.exported).isEmpty();
    }

    @Test
    void anInstanceIsKeptForAMinuteOrThreeIntervals() {
        broker.subscribe(subscription("short", "a.", 1_000));
        Uuid shortLived = get(Uuid.ZERO_UUID).clientInstanceId();
        broker.pass(59_999);
        assertThat(broker.requests.instanceCount()).isEqualTo(1);
        broker.pass(1);
        assertThat(broker.requests.instanceCount()).isZero();
        broker.requests.expireInstances();

        broker.subscribe(subscription("long", "a.", 60_000));
        get(Uuid.ZERO_UUID);
        broker.pass(179_999);
        assertThat(broker.requests.instanceCount()).isEqualTo(1);
        broker.pass(1);
        assertThat(broker.requests.instanceCount()).isZero();

        assertThat(broker.metrics.unknownInstances().total()).isZero();
        assertThat(getError(shortLived)).isEqualTo(Errors.NONE);
        assertThat(broker.metrics.unknownInstances().total()).isEqualTo(1);
    }

    @Test
    void everyRequestProlongsAnInstance() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        for (int i = 0; i < 10; i++) {
            broker.pass(50_000);
            push(request(id));
        }

        assertThat(broker.requests.instanceCount()).isEqualTo(1);
        assertThat(broker.metrics.unknownInstances().total()).isZero();
    }

    @Test
    void anExpiredInstanceBeginsAnew() {
        Uuid id = get(Uuid.ZERO_UUID).clientInstanceId();
        push(request(id).setTerminating(true));
        broker.pass(60_000);

        assertThat(push(request(id))).isEqualTo(Errors.NONE);
    }

    @Test
    void beyondTheBoundTheLeastRecentlySeenGoes() {
        TestBroker small = new TestBroker(new InstanceIdAgreement(true, true), 2);
        Uuid first = small.requests
                .subscribe(new GetTelemetrySubscriptionsRequestData(), NO_HEADER_ID, CLIENT)
                .clientInstanceId();
        Uuid second = small.requests
                .subscribe(new GetTelemetrySubscriptionsRequestData(), NO_HEADER_ID, CLIENT)
                .clientInstanceId();
        small.requests.subscribe(
                new GetTelemetrySubscriptionsRequestData().setClientInstanceId(first), NO_HEADER_ID, CLIENT);
        small.requests.subscribe(new GetTelemetrySubscriptionsRequestData(), NO_HEADER_ID, CLIENT);

        assertThat(small.requests.instanceCount()).isEqualTo(2);
        long unknown = small.metrics.unknownInstances().total();
        small.requests.subscribe(
                new GetTelemetrySubscriptionsRequestData().setClientInstanceId(first), NO_HEADER_ID, CLIENT);
        assertThat(small.metrics.unknownInstances().total()).isEqualTo(unknown);
        small.requests.subscribe(
                new GetTelemetrySubscriptionsRequestData().setClientInstanceId(second), NO_HEADER_ID, CLIENT);
        assertThat(small.metrics.unknownInstances().total()).isEqualTo(unknown + 1);
    }
}
