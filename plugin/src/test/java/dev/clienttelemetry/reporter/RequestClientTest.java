/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.instance.Client;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RequestClientTest {
    private static final RequestContext USUAL = context("app", "10.1.2.3", 5000, "alice", "apache-kafka-java", "4.4.0");

    @Test
    void everythingThatTheBrokersContextKnowsIsTaken() {
        assertThat(RequestClient.of(USUAL, null))
                .isEqualTo(new Client(
                        "app", "apache-kafka-java", "4.4.0", "10.1.2.3", "5000", "User:alice", "CLIENTS", "SASL_SSL"));
    }

    @Test
    void anUnchangedClientIsTheSameObject() {
        Client known = RequestClient.of(USUAL, null);
        RequestContext again = context("app", "10.1.2.3", 5000, "alice", "apache-kafka-java", "4.4.0");

        assertThat(RequestClient.of(again, known)).isSameAs(known);
    }

    static Stream<RequestContext> changed() {
        return Stream.of(
                context("app2", "10.1.2.3", 5000, "alice", "apache-kafka-java", "4.4.0"),
                context("app", "10.1.2.4", 5000, "alice", "apache-kafka-java", "4.4.0"),
                context("app", "10.1.2.3", 50000, "alice", "apache-kafka-java", "4.4.0"),
                context("app", "10.1.2.3", 500, "alice", "apache-kafka-java", "4.4.0"),
                context("app", "10.1.2.3", 0, "alice", "apache-kafka-java", "4.4.0"),
                context("app", "10.1.2.3", 5000, "alicia", "apache-kafka-java", "4.4.0"),
                context("app", "10.1.2.3", 5000, "blice", "apache-kafka-java", "4.4.0"),
                context("app", "10.1.2.3", 5000, "alice", "librdkafka", "4.4.0"),
                context("app", "10.1.2.3", 5000, "alice", "apache-kafka-java", "4.4.1"));
    }

    @ParameterizedTest
    @MethodSource
    void changed(RequestContext context) {
        Client known = RequestClient.of(USUAL, null);

        assertThat(RequestClient.of(context, known)).isEqualTo(RequestClient.of(context, null));
        assertThat(RequestClient.of(context, known)).isNotEqualTo(known);
    }

    @Test
    void aClientWithVeryLongNamesIsHeldCutAndStillFoundUnchanged() {
        String longName = "\u20ac".repeat(10_000);
        RequestContext context = context(longName, "10.1.2.3", 5000, longName, longName, longName);

        Client known = RequestClient.of(context, null);

        assertThat(known.clientId()).isEqualTo("\u20ac".repeat(341));
        assertThat(known.softwareName()).hasSize(341);
        assertThat(known.softwareVersion()).hasSize(341);
        assertThat(known.principal()).isEqualTo("User:" + "\u20ac".repeat(339));
        assertThat(RequestClient.of(context, known)).isSameAs(known);
        assertThat(RequestClient.of(context("x", "10.1.2.3", 5000, longName, longName, longName), known))
                .isNotSameAs(known);
    }

    @Test
    void aPrincipalOfItsOwnClassSpeaksForItself() {
        KafkaPrincipal named = new KafkaPrincipal("User", "alice") {
            @Override
            public String toString() {
                return "User:a.l.i.c.e";
            }
        };

        Client client = RequestClient.of(context("app", "10.1.2.3", Optional.of(1), named), null);

        assertThat(client.principal()).isEqualTo("User:a.l.i.c.e");
        assertThat(RequestClient.of(context("app", "10.1.2.3", Optional.of(1), named), client))
                .isSameAs(client);
    }

    @Test
    void anIpv6AddressIsWrittenAsJavaDoes() {
        assertThat(RequestClient.of(context("app", "::1", 1, "alice", "x", "1"), null)
                        .sourceAddress())
                .isEqualTo("0:0:0:0:0:0:0:1");
    }

    @Test
    void whatTheHostDoesNotKnowIsLeftOut() {
        RequestContext nothing = new RequestContext(
                new RequestHeader(ApiKeys.PUSH_TELEMETRY, (short) 0, null, 1),
                "connection",
                null,
                Optional.empty(),
                null,
                new ListenerName("CLIENTS"),
                null,
                null,
                false);

        Client client = RequestClient.of(nothing, null);

        assertThat(client).isEqualTo(new Client(null, null, null, null, null, null, "CLIENTS", null));
        assertThat(RequestClient.of(nothing, client)).isSameAs(client);
        assertThat(RequestClient.of(null, client)).isSameAs(client);
        assertThat(RequestClient.of(null, null)).isEqualTo(new Client(null, null, null, null, null, null, null, null));
    }

    @Test
    void aContextWithPublicApiOnlyGivesThePublicPart() throws UnknownHostException {
        InetAddress address = InetAddress.getByName("10.0.0.1");
        AuthorizableRequestContext publicApi = new AuthorizableRequestContext() {
            @Override
            public String listenerName() {
                return "L";
            }

            @Override
            public SecurityProtocol securityProtocol() {
                return SecurityProtocol.SSL;
            }

            @Override
            public KafkaPrincipal principal() {
                return KafkaPrincipal.ANONYMOUS;
            }

            @Override
            public InetAddress clientAddress() {
                return address;
            }

            @Override
            public int requestType() {
                return ApiKeys.PUSH_TELEMETRY.id;
            }

            @Override
            public int requestVersion() {
                return 0;
            }

            @Override
            public String clientId() {
                return "app";
            }

            @Override
            public int correlationId() {
                return 0;
            }
        };

        assertThat(RequestClient.of(publicApi, null))
                .isEqualTo(new Client("app", null, null, "10.0.0.1", null, "User:ANONYMOUS", "L", "SSL"));
    }

    static RequestContext context(
            String clientId, String address, int port, String user, String softwareName, String softwareVersion) {
        return new RequestContext(
                new RequestHeader(ApiKeys.PUSH_TELEMETRY, (short) 0, clientId, 1),
                "connection",
                address(address),
                Optional.of(port),
                new KafkaPrincipal(KafkaPrincipal.USER_TYPE, user),
                new ListenerName("CLIENTS"),
                SecurityProtocol.SASL_SSL,
                new ClientInformation(softwareName, softwareVersion),
                false);
    }

    private static RequestContext context(
            String clientId, String address, Optional<Integer> port, KafkaPrincipal principal) {
        return new RequestContext(
                new RequestHeader(ApiKeys.PUSH_TELEMETRY, (short) 0, clientId, 1),
                "connection",
                address(address),
                port,
                principal,
                new ListenerName("CLIENTS"),
                SecurityProtocol.SASL_SSL,
                new ClientInformation("x", "1"),
                false);
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
