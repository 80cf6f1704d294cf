/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.exporter;

import dev.clienttelemetry.gateway.protocol.ClientIdentity;
import java.net.InetAddress;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;

/**
 * A push's request context that says null wherever the gateway does not know. For our own plugin, which leaves a label
 * out rather than label with a guess; it finds the client's software in the public field that Kafka's own context has.
 */
public final class KnownClientContext implements AuthorizableRequestContext {
    /** The client's library, under the name that it has in Kafka's {@code RequestContext}. */
    public final ClientInformation clientInformation;

    private final String clientId;

    KnownClientContext(ClientIdentity client) {
        this.clientInformation = new ClientInformation(client.softwareName(), client.softwareVersion());
        this.clientId = client.clientId();
    }

    @Override
    public String listenerName() {
        return null;
    }

    @Override
    public SecurityProtocol securityProtocol() {
        return null;
    }

    @Override
    public KafkaPrincipal principal() {
        return null;
    }

    @Override
    public InetAddress clientAddress() {
        return null;
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
        return clientId;
    }

    @Override
    public int correlationId() {
        return 0;
    }
}
