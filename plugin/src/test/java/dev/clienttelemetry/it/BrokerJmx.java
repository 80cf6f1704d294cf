/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import dev.clienttelemetry.examples.broker.KafkaNode;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** A broker's metrics, read over JMX as a monitoring does. */
final class BrokerJmx implements AutoCloseable {
    private static final String OURS = "kafka.server:type=ClientMetrics,name=";

    private final JMXConnector connector;
    private final MBeanServerConnection server;

    private BrokerJmx(JMXConnector connector) throws IOException {
        this.connector = connector;
        this.server = connector.getMBeanServerConnection();
    }

    /** Connects to a node of a cluster that was made with JMX. */
    static BrokerJmx of(KafkaNode node) throws IOException {
        return new BrokerJmx(JMXConnectorFactory.connect(new JMXServiceURL(node.jmxUrl())));
    }

    /** Returns one of our values, 0 where there is none by that name. */
    double ours(String name) throws IOException, JMException {
        return isThere(OURS + name) && value(OURS + name, "Value") instanceof Number number ? number.doubleValue() : 0;
    }

    /** Returns our names; of a key besides the name only the key. */
    Set<String> ours() throws IOException, JMException {
        Set<String> names = new TreeSet<>();
        for (ObjectName name : server.queryNames(new ObjectName("kafka.server:type=ClientMetrics,*"), null)) {
            StringBuilder shown = new StringBuilder(name.getKeyProperty("name"));
            for (String key : name.getKeyPropertyList().keySet()) {
                if (!key.equals("name") && !key.equals("type")) {
                    shown.append(',').append(key).append('=');
                }
            }
            names.add(shown.toString());
        }
        return names;
    }

    /** Returns whether there is an MBean by a name, or by a pattern. */
    boolean isThere(String name) throws IOException, MalformedObjectNameException {
        return !server.queryNames(new ObjectName(name), null).isEmpty();
    }

    /** Returns an attribute; null where its MBean is gone. */
    Object value(String name, String attribute) throws IOException, JMException {
        try {
            return server.getAttribute(new ObjectName(name), attribute);
        } catch (InstanceNotFoundException gone) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
