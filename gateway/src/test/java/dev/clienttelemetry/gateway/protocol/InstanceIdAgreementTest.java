/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static dev.clienttelemetry.gateway.protocol.TestBroker.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Every row of KIP-1313's tables for GetTelemetrySubscriptions v0, and what follows for the four combinations of old and
 * new clients and brokers, whose own table is empty in the KIP.
 */
class InstanceIdAgreementTest {
    private static final Uuid ABSENT = Uuid.ZERO_UUID;
    private static final Uuid ID_R = Uuid.randomUuid();
    private static final Uuid ID_H = Uuid.randomUuid();

    private static GetTelemetrySubscriptionsResponseData get(TestBroker broker, Uuid headerId, Uuid requestId) {
        return broker.requests.subscribe(
                new GetTelemetrySubscriptionsRequestData().setClientInstanceId(requestId), headerId, CLIENT);
    }

    private static void assertNew(GetTelemetrySubscriptionsResponseData response) {
        assertThat(response.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(response.clientInstanceId()).isNotEqualTo(Uuid.ZERO_UUID);
    }

    private static void assertAnswered(GetTelemetrySubscriptionsResponseData response, Uuid id) {
        assertThat(response.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(response.clientInstanceId()).isEqualTo(id);
    }

    private static void assertInvalid(GetTelemetrySubscriptionsResponseData response) {
        assertThat(response.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    private static Errors push(TestBroker broker, Uuid headerId, Uuid requestId) {
        return Errors.forCode(broker.requests
                .push(
                        new PushTelemetryRequestData()
                                .setClientInstanceId(requestId)
                                .setSubscriptionId(broker.subscriptionId(requestId)),
                        headerId,
                        CLIENT)
                .errorCode());
    }

    @Nested
    @DisplayName("Pre-KIP-1313 - broker does not expect ClientInstanceId in request header and ignores it")
    class PreKip1313 {
        private final TestBroker asTheTable = new TestBroker(new InstanceIdAgreement(false, false));
        private final TestBroker asKafka = new TestBroker(new InstanceIdAgreement(false, true));

        @Test
        @DisplayName("request.ClientInstanceId = 0: response.ClientInstanceId = UUID-B, NONE (KIP-714 initial)")
        void initial() {
            assertNew(get(asTheTable, ABSENT, ABSENT));
            assertNew(get(asKafka, ABSENT, ABSENT));
        }

        @Test
        @DisplayName("request.ClientInstanceId = UUID-R: response.ClientInstanceId = 0, NONE (KIP-714 non-initial)")
        void nonInitial() {
            assertAnswered(get(asTheTable, ABSENT, ID_R), Uuid.ZERO_UUID);
        }

        @Test
        @DisplayName("the same with the exception for released Java clients: response.ClientInstanceId = UUID-R")
        void nonInitialEchoed() {
            assertAnswered(get(asKafka, ABSENT, ID_R), ID_R);
        }

        @Test
        void anIdInTheHeaderIsIgnored() {
            assertNew(get(asTheTable, ID_H, ABSENT));
            assertAnswered(get(asTheTable, ID_H, ID_R), Uuid.ZERO_UUID);
            assertAnswered(get(asKafka, ID_H, ID_H), ID_H);
            assertThat(push(asKafka, ID_R, ID_H)).isEqualTo(Errors.NONE);
        }
    }

    @Nested
    @DisplayName("Post-KIP-1313 - broker is aware of optional ClientInstanceId in request header")
    class PostKip1313 {
        private final TestBroker asTheTable = new TestBroker(new InstanceIdAgreement(true, false));
        private final TestBroker echoing = new TestBroker(new InstanceIdAgreement(true, true));

        @Test
        @DisplayName("header not present or 0, request 0: response UUID-B, NONE (KIP-714 initial)")
        void initial() {
            assertNew(get(asTheTable, ABSENT, ABSENT));
            assertNew(get(echoing, ABSENT, ABSENT));
        }

        @Test
        @DisplayName("header not present or 0, request UUID-R: response 0, NONE (KIP-714 non-initial)")
        void nonInitial() {
            assertAnswered(get(asTheTable, ABSENT, ID_R), Uuid.ZERO_UUID);
        }

        @Test
        @DisplayName("the same with the exception for released Java clients: response UUID-R")
        void nonInitialEchoed() {
            assertAnswered(get(echoing, ABSENT, ID_R), ID_R);
        }

        @Test
        @DisplayName("header UUID-H, request UUID-H: response 0, NONE")
        void bothEqual() {
            assertAnswered(get(asTheTable, ID_H, ID_H), Uuid.ZERO_UUID);
            assertAnswered(get(echoing, ID_H, ID_H), Uuid.ZERO_UUID);
        }

        @Test
        @DisplayName("header UUID-H, request 0: INVALID_REQUEST")
        void headerWithoutRequest() {
            assertInvalid(get(asTheTable, ID_H, ABSENT));
            assertInvalid(get(echoing, ID_H, ABSENT));
        }

        @Test
        @DisplayName("header UUID-H, request UUID-R != UUID-H: INVALID_REQUEST")
        void headerAndAnotherRequest() {
            assertInvalid(get(asTheTable, ID_H, ID_R));
            assertInvalid(get(echoing, ID_H, ID_R));
        }

        @Test
        void pushTelemetryWithoutAHeaderIdMayCarryAnyId() {
            assertThat(push(echoing, ABSENT, ID_R)).isEqualTo(Errors.NONE);
        }

        @Test
        void pushTelemetrysIdMustEqualTheHeaders() {
            assertThat(push(echoing, ID_H, ID_H)).isEqualTo(Errors.NONE);
            assertThat(push(echoing, ID_H, ID_R)).isEqualTo(Errors.INVALID_REQUEST);
            assertThat(push(echoing, ID_H, ABSENT)).isEqualTo(Errors.INVALID_REQUEST);
        }

        @Test
        void aRefusedIdLeavesNoInstance() {
            get(echoing, ID_H, ID_R);
            push(echoing, ID_H, ID_R);

            assertThat(echoing.requests.instanceCount()).isZero();
        }
    }

    /** Derived from the two tables; an old client has no header id, a new one its own in header and body. */
    @Nested
    class OldAndNewTogether {
        private final TestBroker oldBroker = new TestBroker(new InstanceIdAgreement(false, true));
        private final TestBroker newBroker = new TestBroker(new InstanceIdAgreement(true, true));

        @Test
        void oldClientOldBroker() {
            oldClient(oldBroker);
        }

        @Test
        void oldClientNewBroker() {
            oldClient(newBroker);
        }

        private void oldClient(TestBroker broker) {
            Uuid given = get(broker, ABSENT, ABSENT).clientInstanceId();
            broker.pass(broker.intervalMs());
            assertAnswered(get(broker, ABSENT, given), given);
        }

        @Test
        void newClientOldBroker() {
            GetTelemetrySubscriptionsResponseData initial = get(oldBroker, ID_H, ID_H);
            oldBroker.pass(oldBroker.intervalMs());
            GetTelemetrySubscriptionsResponseData subsequent = get(oldBroker, ID_H, ID_H);

            // The client keeps its own id whatever it is answered.
            assertAnswered(initial, ID_H);
            assertAnswered(subsequent, ID_H);
        }

        @Test
        void newClientNewBroker() {
            GetTelemetrySubscriptionsResponseData initial = get(newBroker, ID_H, ID_H);
            newBroker.pass(newBroker.intervalMs());
            GetTelemetrySubscriptionsResponseData subsequent = get(newBroker, ID_H, ID_H);

            assertAnswered(initial, Uuid.ZERO_UUID);
            assertAnswered(subsequent, Uuid.ZERO_UUID);
        }
    }
}
