/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.otlp.ConversionSettings;
import dev.clienttelemetry.otlp.Label;
import dev.clienttelemetry.otlp.Temporality;
import java.util.EnumSet;

/** What every benchmark assumes of the host: its default settings and a client as brokers see one. */
final class Host {
    static final Client CLIENT = new Client(
            "orders-service-7",
            "apache-kafka-java",
            "4.4.0",
            "192.0.2.17",
            "50123",
            "User:orders",
            "SASL_SSL",
            "SASL_SSL");

    static final ConversionSettings SETTINGS = new ConversionSettings(
            EnumSet.range(Label.CLIENT_INSTANCE_ID, Label.BROKER_ID),
            "client_id",
            "1",
            null,
            Temporality.CUMULATIVE,
            true,
            1_000_000,
            5000);

    private Host() {}
}
