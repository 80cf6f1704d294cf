/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import dev.clienttelemetry.metrics.BrokerClientMetrics;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.pipeline.Pipeline;
import dev.clienttelemetry.subscription.RunningKafka;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsContext;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What both reporters are to Kafka but for the interface through which it hands over pushes: a lifecycle around one
 * {@link Pipeline}. Kafka calls {@code configure}, {@code contextChange}, {@code init} and {@code close} one after the
 * other, {@code close} also when {@code configure} has failed. A node that is broker and controller has one reporter, its
 * broker's.
 */
abstract class BrokerReporter implements MetricsReporter {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerReporter.class);

    private final PushReceiver receiver;
    private ClientTelemetryConfig config;
    private Pipeline pipeline;
    private String nodeId;
    private String clusterId;
    private boolean started;
    private volatile BrokerClientMetrics brokerMetrics;

    BrokerReporter(boolean compressionIsLeftToPlugins) {
        receiver = new PushReceiver(compressionIsLeftToPlugins);
    }

    /** Returns what takes the pushes, the same object always. */
    final PushReceiver receiver() {
        start();
        return receiver;
    }

    /**
     * Checks the configuration and assembles the pipeline.
     *
     * @throws org.apache.kafka.common.config.ConfigException where a setting is wrong; the broker then does not start
     */
    @Override
    public final synchronized void configure(Map<String, ?> configs) {
        config = new ClientTelemetryConfig(configs);
        nodeId = config.nodeId();
        pipeline = Pipeline.create(config.pipelineSettings());
        brokerMetrics = new BrokerClientMetrics(pipeline.metrics());
        receiver.open(pipeline, config.telemetryMaxBytes());
        warnOfHost();
    }

    @Override
    public final synchronized void contextChange(MetricsContext context) {
        Map<String, String> labels = context.contextLabels();
        clusterId = labels.getOrDefault("kafka.cluster.id", clusterId);
        nodeId = labels.getOrDefault("kafka.node.id", labels.getOrDefault("kafka.broker.id", nodeId));
        start();
    }

    @Override
    public final void init(List<KafkaMetric> metrics) {
        BrokerClientMetrics known = brokerMetrics;
        if (known != null) {
            metrics.forEach(known::existed);
        }
        start();
    }

    @Override
    public final void metricChange(KafkaMetric metric) {
        BrokerClientMetrics known = brokerMetrics;
        if (known != null) {
            known.changed(metric);
        }
    }

    @Override
    public final void metricRemoval(KafkaMetric metric) {
        BrokerClientMetrics known = brokerMetrics;
        if (known != null) {
            known.removed(metric);
        }
    }

    /**
     * Returns no keys: what a push meets on its way is fixed while the pipeline runs, since totals and a buffer have to
     * outlive a change. A setting is changed by removing the reporter from {@code metric.reporters} and adding it again,
     * which Kafka does at run time too, or with the broker's next restart.
     */
    @Override
    public final Set<String> reconfigurableConfigs() {
        return Set.of();
    }

    @Override
    public final synchronized void close() {
        receiver.close();
        brokerMetrics = null;
        if (pipeline != null) {
            Pipeline closing = pipeline;
            pipeline = null;
            closing.close();
        }
    }

    /**
     * Returns the instruments, for a host that knows numbers that the plugin does not, or has another place to show them.
     *
     * @throws IllegalStateException before {@code configure} and after {@code close}
     */
    public final synchronized TelemetryMetrics metrics() {
        if (pipeline == null) {
            throw new IllegalStateException("The reporter is not configured, or closed");
        }
        return pipeline.metrics();
    }

    private synchronized void start() {
        if (started || pipeline == null) {
            return;
        }
        started = true;
        if (config.isControllerOnly()) {
            LOG.info("This node is a controller and no broker: no client pushes metrics to it, so nothing is started");
            return;
        }
        pipeline.start(nodeId, clusterId);
    }

    /** An upgrade that leaves the old jar may run the old version. */
    static void warnOfJars(ClassLoader loader) {
        List<String> jars = PluginJars.of(loader);
        if (jars.size() > 1) {
            LOG.warn(
                    "The plugin is {} times on the class path, and the first is in force: {}. Delete all but one",
                    jars.size(),
                    String.join(", ", jars));
        }
    }

    private void warnOfHost() {
        warnOfJars(BrokerReporter.class.getClassLoader());
        if (config.isBufferLargeForHeap()) {
            LOG.warn(
                    "client.telemetry.buffer.max.bytes has its default of 64 MiB, which is more than half of this JVM's heap:"
                            + " set it to less, or give the JVM more (-Xmx)");
        }
        if (config.isZooKeeperMode()) {
            LOG.warn(
                    "This broker is in ZooKeeper mode, in which Kafka has no client telemetry: no client will ever push"
                            + " metrics to it. It needs KRaft (process.roles)");
        }
        if (config.isJmxReporterMissing() && kafkaMajorVersion() >= 4) {
            LOG.warn(
                    "metric.reporters does not name org.apache.kafka.common.metrics.JmxReporter, which is its default from"
                            + " Kafka 4.0 on: most of the broker's JMX metrics are missing. Add it to the list if that is not meant");
        }
    }

    private static int kafkaMajorVersion() {
        String version = RunningKafka.version();
        try {
            return version == null ? 0 : Integer.parseInt(version.split("\\.")[0]);
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }
}
