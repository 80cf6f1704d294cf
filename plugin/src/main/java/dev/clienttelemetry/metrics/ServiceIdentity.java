/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.resources.Resource;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;

/**
 * Who it is whose own metrics are sent: what becomes of OpenTelemetry's resource.
 *
 * @param clusterId the host's cluster id, null where unknown
 * @param nodeId the host's node id, null where unknown
 * @param version the plugin's version
 * @param resourceAttributes {@code otel.resource.attributes}, which win over what is known otherwise; values
 *     percent-encoded, as OpenTelemetry defines it
 */
public record ServiceIdentity(String clusterId, String nodeId, String version, Map<String, String> resourceAttributes) {
    private static final String SERVICE_NAME = "kafka-client-telemetry";

    /** Copies the attributes. */
    public ServiceIdentity {
        resourceAttributes = Map.copyOf(resourceAttributes);
    }

    Resource resource() {
        AttributesBuilder attributes = Resource.getDefault().getAttributes().toBuilder()
                .put("service.name", SERVICE_NAME)
                .put("service.version", version)
                .put("service.instance.id", instanceId());
        if (clusterId != null) {
            attributes.put("kafka.cluster.id", clusterId);
        }
        if (nodeId != null) {
            attributes.put("kafka.node.id", nodeId);
        }
        resourceAttributes.forEach((key, value) -> attributes.put(key, decoded(value)));
        return Resource.create(attributes.build());
    }

    /** The same after a restart, so that the series of a broker go on. */
    private String instanceId() {
        if (nodeId == null) {
            return UUID.randomUUID().toString();
        }
        return clusterId == null ? nodeId : clusterId + "/" + nodeId;
    }

    private static String decoded(String value) {
        try {
            // Unlike in a form, a plus is a plus.
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return value;
        }
    }
}
