/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.io.IOException;
import java.util.OptionalLong;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What the plugin counts, read from the broker over JMX. */
final class PluginMetrics implements AutoCloseable {
    private final JMXConnector connector;
    private final MBeanServerConnection server;

    /**
     * Connects.
     *
     * @param url the broker's JMX service URL
     * @throws IOException where it cannot be reached
     */
    PluginMetrics(String url) throws IOException {
        connector = JMXConnectorFactory.connect(new JMXServiceURL(url));
        server = connector.getMBeanServerConnection();
    }

    /**
     * Returns a value, empty where the broker does not have it.
     *
     * @param name for example {@code ClientMetricsPushCount}
     * @throws IOException where the broker cannot be reached any more
     */
    OptionalLong value(String name) throws IOException {
        try {
            ObjectName object = new ObjectName("kafka.server:type=ClientMetrics,name=" + name);
            if (!server.isRegistered(object)) {
                return OptionalLong.empty();
            }
            // Some have no value before there is anything to say.
            return server.getAttribute(object, "Value") instanceof Number value
                    ? OptionalLong.of(value.longValue())
                    : OptionalLong.empty();
        } catch (JMException e) {
            throw new IOException("cannot read " + name + " over JMX: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
