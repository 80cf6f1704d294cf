/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.junit.jupiter.api.Test;

class OfferedApisTest {
    private static final short GET = ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS.id;
    private static final short PUSH = ApiKeys.PUSH_TELEMETRY.id;

    private final ApiVersionsResponseData response = new ApiVersionsResponseData();

    @Test
    void anUpstreamWithoutTelemetryIsGivenVersion0OfBoth() {
        response.apiKeys().add(new ApiVersion().setApiKey(ApiKeys.FETCH.id).setMaxVersion((short) 17));

        OfferedApis.offerTelemetry(response);

        assertThat(response.apiKeys())
                .containsExactlyInAnyOrder(
                        new ApiVersion().setApiKey(ApiKeys.FETCH.id).setMaxVersion((short) 17),
                        new ApiVersion().setApiKey(GET),
                        new ApiVersion().setApiKey(PUSH));
    }

    @Test
    void whateverTheUpstreamSaysOfThemIsReplaced() {
        response.apiKeys()
                .add(new ApiVersion().setApiKey(GET).setMinVersion((short) 1).setMaxVersion((short) 3));

        OfferedApis.offerTelemetry(response);

        assertThat(response.apiKeys())
                .containsExactlyInAnyOrder(new ApiVersion().setApiKey(GET), new ApiVersion().setApiKey(PUSH));
    }

    @Test
    void anErrorStaysAsItIs() {
        response.setErrorCode(Errors.UNSUPPORTED_VERSION.code());

        OfferedApis.offerTelemetry(response);

        assertThat(response.apiKeys()).isEmpty();
    }

    @Test
    void theClientsSoftwareIsTakenWhereABrokerWouldTakeIt() {
        ApiVersionsRequestData request = new ApiVersionsRequestData()
                .setClientSoftwareName("apache-kafka-java")
                .setClientSoftwareVersion("4.0.0");
        ClientSoftware known = ClientSoftware.of((short) 3, request, ClientSoftware.UNKNOWN);

        assertThat(known).isEqualTo(new ClientSoftware("apache-kafka-java", "4.0.0"));
        assertThat(ClientSoftware.of((short) 2, request, ClientSoftware.UNKNOWN))
                .isEqualTo(ClientSoftware.UNKNOWN);
        for (String forged : new String[] {"", "-a", "a-", ".", "a b", "a\nb", "a=\"b\"", "ä"}) {
            request.setClientSoftwareName(forged);
            assertThat(ClientSoftware.of((short) 3, request, known)).isEqualTo(known);
            // As the broker's own check has it.
            assertThat(new ApiVersionsRequest(request, (short) 3).isValid()).isFalse();
        }
    }
}
