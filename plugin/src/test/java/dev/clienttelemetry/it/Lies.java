/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.ArrayList;
import java.util.List;

/** A push that claims to be somebody else, in each place that can carry an attribute and in spellings that backends fold. */
final class Lies {
    static final String METRIC = "lies";
    static final String LIE = "somebody-else";

    private static final List<String> CLAIMED = List.of(
            "client_instance_id",
            "client_id",
            "client_software_name",
            "client_software_version",
            "client_source_address",
            "client_source_port",
            "principal",
            "broker_id",
            "listener_name",
            "security_protocol",
            "cluster_id",
            "service_name",
            "service_namespace",
            "service_instance_id",
            "job",
            "instance");

    private Lies() {}

    static byte[] payload() {
        long now = System.currentTimeMillis() * 1_000_000;
        Metric metric = Metric.newBuilder()
                .setName(METRIC)
                .setGauge(Gauge.newBuilder()
                        .addDataPoints(NumberDataPoint.newBuilder()
                                .setTimeUnixNano(now)
                                .setAsDouble(1)
                                .addAllAttributes(lies())
                                .addAttributes(attribute("point.honest", "true"))))
                .build();
        ScopeMetrics scope = ScopeMetrics.newBuilder()
                .setScope(InstrumentationScope.newBuilder()
                        .setName("liar")
                        .addAllAttributes(lies())
                        .addAttributes(attribute("scope.honest", "true")))
                .addMetrics(metric)
                .build();
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(Resource.newBuilder()
                                .addAttributes(attribute("resource.honest", "true"))
                                .addAllAttributes(lies()))
                        .addScopeMetrics(scope))
                .build()
                .toByteArray();
    }

    private static List<KeyValue> lies() {
        List<KeyValue> lies = new ArrayList<>();
        for (String key : CLAIMED) {
            for (String separator :
                    new String[] {"_", ".", "-", "/", " ", ":", "__", "..", "-.", "\u00e9", "\ud83d\ude00"}) {
                String spelling = key.replace("_", separator);
                if (separator.equals("_") || !spelling.equals(key)) {
                    lies.add(attribute(spelling, LIE));
                }
            }
            lies.add(attribute("_" + key, LIE));
            lies.add(attribute(key + ".", LIE));
        }
        return lies;
    }

    private static KeyValue attribute(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }
}
