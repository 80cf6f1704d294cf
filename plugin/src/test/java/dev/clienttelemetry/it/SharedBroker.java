/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives every test that asks for a {@link BrokerWithPlugin} the same one, of the newest Kafka and with nothing but
 * defaults, and closes it after the last. For tests that change neither the broker nor the receiver and look only at
 * their own clients.
 */
public final class SharedBroker implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SharedBroker.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == BrokerWithPlugin.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent("broker", key -> start());
    }

    private static BrokerWithPlugin start() {
        try {
            return BrokerWithPlugin.builder().start();
        } catch (Exception e) {
            throw new IllegalStateException("the broker of the tests did not start", e);
        }
    }
}
