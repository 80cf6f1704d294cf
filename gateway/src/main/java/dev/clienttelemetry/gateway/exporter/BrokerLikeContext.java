/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import dev.clienttelemetry.gateway.protocol.ClientIdentity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * A push's request context for other plugins, which expect the very class that a broker passes and nothing null: the
 * anonymous principal and the address 0.0.0.0 stand for what the gateway does not know.
 */
final class BrokerLikeContext {
    private static final String NO_CONNECTION_ID = "";
    private static final ListenerName LISTENER = new ListenerName("GATEWAY");
    private static final InetAddress NO_ADDRESS = noAddress();

    private BrokerLikeContext() {}

    static RequestContext of(ClientIdentity client) {
        return new RequestContext(
                new RequestHeader(ApiKeys.PUSH_TELEMETRY, (short) 0, client.clientId(), 0),
                NO_CONNECTION_ID,
                NO_ADDRESS,
                Optional.empty(),
                KafkaPrincipal.ANONYMOUS,
                LISTENER,
                SecurityProtocol.PLAINTEXT,
                new ClientInformation(client.softwareName(), client.softwareVersion()),
                false);
    }

    private static InetAddress noAddress() {
        try {
            return InetAddress.getByAddress(new byte[4]);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
