/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import dev.clienttelemetry.gateway.Gateway;
import dev.clienttelemetry.gateway.GatewaySettings;
import io.kroxylicious.proxy.filter.Filter;
import io.kroxylicious.proxy.filter.FilterFactory;
import io.kroxylicious.proxy.filter.FilterFactoryContext;
import io.kroxylicious.proxy.plugin.Plugin;
import io.kroxylicious.proxy.plugin.PluginConfigurationException;
import io.kroxylicious.proxy.plugin.Plugins;
import io.micrometer.core.instrument.Metrics;
import org.apache.kafka.common.config.ConfigException;

/**
 * Makes the gateway's filters: {@code type: ClientTelemetryGateway} in Kroxylicious' {@code filterDefinitions}. A
 * definition has one gateway, which all connections of all virtual clusters that use it share.
 */
@Plugin(configType = ClientTelemetryGatewayConfig.class)
public final class ClientTelemetryGateway
        implements FilterFactory<ClientTelemetryGatewayConfig, ClientTelemetryGateway.Running> {
    /** Creates the factory; nothing runs yet. */
    public ClientTelemetryGateway() {}

    /** A started gateway with its metrics, until {@link #close}. */
    public static final class Running {
        private final Gateway gateway;
        private final GatewayMeters meters;

        private Running(Gateway gateway, GatewayMeters meters) {
            this.gateway = gateway;
            this.meters = meters;
        }
    }

    /**
     * Starts a gateway.
     *
     * @throws PluginConfigurationException where a setting is wrong; the proxy then does not start
     */
    @Override
    public Running initialize(FilterFactoryContext context, ClientTelemetryGatewayConfig config) {
        try {
            GatewaySettings settings = Plugins.requireConfig(this, config).settings();
            GatewayMeters.refuseSecond(Metrics.globalRegistry, settings.name());
            return measured(Gateway.start(settings));
        } catch (ConfigException e) {
            throw new PluginConfigurationException(e.getMessage(), e);
        }
    }

    private static Running measured(Gateway gateway) {
        try {
            return new Running(gateway, GatewayMeters.register(Metrics.globalRegistry, gateway));
        } catch (RuntimeException | Error e) {
            gateway.close();
            throw e;
        }
    }

    @Override
    public Filter createFilter(FilterFactoryContext context, Running running) {
        return new ClientTelemetryFilter(running.gateway, running.meters, context.filterDispatchExecutor());
    }

    @Override
    public void close(Running running) {
        try {
            running.meters.close();
        } finally {
            running.gateway.close();
        }
    }
}
