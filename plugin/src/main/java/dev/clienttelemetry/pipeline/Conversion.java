/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.otlp.ConvertedPush;
import dev.clienttelemetry.otlp.PushConverter;

/** What the worker needs of {@link PushConverter}; see there. */
interface Conversion {
    ConvertedPush convert(ClientInstance instance, Client client, byte[] payload, long receivedNanos);

    void forget(ClientInstance instance);

    static Conversion of(PushConverter converter) {
        return new Conversion() {
            @Override
            public ConvertedPush convert(ClientInstance instance, Client client, byte[] payload, long receivedNanos) {
                return converter.convert(instance, client, payload, receivedNanos);
            }

            @Override
            public void forget(ClientInstance instance) {
                converter.forget(instance);
            }
        };
    }
}
