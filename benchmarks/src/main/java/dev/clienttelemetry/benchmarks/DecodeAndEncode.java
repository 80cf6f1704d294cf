/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.clienttelemetry.instance.Client;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.List;

/**
 * The usual way, and the baseline of the ratios: the official generated classes parse the push, attributes are added to
 * each resource, and the result is serialized. It neither coalesces nor makes anything cumulative.
 */
final class DecodeAndEncode {
    private final List<KeyValue> attributes;

    DecodeAndEncode(Client client, String instanceId, String brokerId) {
        attributes = List.of(
                attribute("client_instance_id", instanceId),
                attribute("client_id", client.clientId()),
                attribute("client_software_name", client.softwareName()),
                attribute("client_software_version", client.softwareVersion()),
                attribute("client_source_address", client.sourceAddress()),
                attribute("principal", client.principal()),
                attribute("broker_id", brokerId),
                attribute("service.name", client.clientId()),
                attribute("service.instance.id", instanceId));
    }

    byte[] convert(byte[] push) throws InvalidProtocolBufferException {
        MetricsData data = MetricsData.parseFrom(push);
        MetricsData.Builder result = MetricsData.newBuilder();
        for (ResourceMetrics metrics : data.getResourceMetricsList()) {
            Resource resource = metrics.getResource().toBuilder()
                    .addAllAttributes(attributes)
                    .build();
            result.addResourceMetrics(metrics.toBuilder().setResource(resource));
        }
        return result.build().toByteArray();
    }

    private static KeyValue attribute(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }
}
