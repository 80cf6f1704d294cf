/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.ClientMetricsSubscription;
import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.broker.KafkaNode;
import dev.clienttelemetry.examples.broker.KafkaVersion;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A cluster whose brokers have the packaged jar in their {@code libs} and send to an OTLP receiver, with a subscription
 * of every client to every metric. What a test does not say is as a user would find it: the reporter class that fits the
 * version, gRPC, defaults for every setting.
 */
public final class BrokerWithPlugin implements AutoCloseable {
    /** How long a test waits for what must come; a push interval is a second by default. */
    public static final Duration ARRIVAL = Duration.ofSeconds(45);

    /** For Kafka 4.2 and later. */
    public static final String REPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReporter";

    /** For Kafka from 3.7 on. */
    public static final String RECEIVER_REPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter";

    private final Queue<ReceivedRequest> requests;
    private final OtlpReceiver receiver;
    private final KafkaCluster cluster;

    private BrokerWithPlugin(Queue<ReceivedRequest> requests, OtlpReceiver receiver, KafkaCluster cluster) {
        this.requests = requests;
        this.receiver = receiver;
        this.cluster = cluster;
    }

    /** Returns what a broker with the plugin is made with. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the packaged jar. */
    public static Path pluginJar() {
        String jar = System.getProperty("plugin.jar");
        if (jar == null) {
            throw new IllegalStateException("system property plugin.jar names no file: run this test by failsafe");
        }
        return Path.of(jar);
    }

    /** Returns the cluster, for its nodes' logs, ports, stops and starts. */
    public KafkaCluster cluster() {
        return cluster;
    }

    /** Returns the first node. */
    public KafkaNode node() {
        return cluster.node(1);
    }

    /** Returns the receiver, for what it shall answer. */
    public OtlpReceiver receiver() {
        return receiver;
    }

    /** Returns all requests so far, oldest first. */
    public List<ReceivedRequest> requests() {
        return List.copyOf(requests);
    }

    /** Returns the points of a client instance so far, oldest first. */
    public List<ReceivedPoint> points(Uuid clientInstanceId) {
        return points(
                point -> clientInstanceId.toString().equals(point.resource().get("service.instance.id")));
    }

    /** Returns the points so far that fulfil a condition, oldest first. */
    public List<ReceivedPoint> points(Predicate<ReceivedPoint> condition) {
        return requests.stream()
                .flatMap(request -> request.points().stream())
                .filter(condition)
                .toList();
    }

    /** Waits for a point and returns the first one that fulfils the condition. */
    public ReceivedPoint awaitPoint(Predicate<ReceivedPoint> condition) {
        return await().atMost(ARRIVAL)
                .until(() -> points(condition), points -> !points.isEmpty())
                .get(0);
    }

    /** Waits for a point of a client instance and returns the first one with a name. */
    public ReceivedPoint awaitPoint(Uuid clientInstanceId, String name) {
        return awaitPoint(point -> point.name().equals(name)
                && clientInstanceId.toString().equals(point.resource().get("service.instance.id")));
    }

    /** Returns the time of the last point of a client instance in nanoseconds since 1970, 0 before the first. */
    public long lastPointTime(Uuid clientInstanceId) {
        return points(clientInstanceId).stream()
                .mapToLong(ReceivedPoint::timeUnixNano)
                .max()
                .orElse(0);
    }

    /** Waits for points of a client instance that are later than all that came so far. */
    public void awaitNextPush(Uuid clientInstanceId) {
        long last = lastPointTime(clientInstanceId);
        await().atMost(ARRIVAL).until(() -> lastPointTime(clientInstanceId) > last);
    }

    /** Creates an admin client of the first listener. */
    public Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
    }

    /** Returns the cluster's id, as the first node's storage has it. */
    public String clusterId() throws IOException {
        Properties meta = new Properties();
        try (Reader reader = Files.newBufferedReader(node().directory().resolve("data/meta.properties"))) {
            meta.load(reader);
        }
        return meta.getProperty("cluster.id");
    }

    /**
     * Subscribes every client to every metric.
     *
     * @param listener a PLAINTEXT listener
     */
    public void subscribe(Duration interval, String listener) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers(listener)))) {
            ClientMetricsSubscription.ofAllMetrics("all", interval).apply(admin);
        }
        awaitRequestedMetrics(listener, List.of("*"));
    }

    /**
     * Waits until every broker asks new clients for these metrics. The cluster has a subscription before each of its brokers
     * acts by it, and a client that comes in between learns of it only minutes later.
     *
     * @param listener a PLAINTEXT listener
     * @param metrics what is asked for
     */
    public void awaitRequestedMetrics(String listener, List<String> metrics) {
        for (KafkaNode broker : cluster.brokers()) {
            await().atMost(ARRIVAL).until(() -> {
                try (RawClient client = new RawClient(broker.bootstrapServer(listener), "asks")) {
                    return client.subscribe().requestedMetrics().equals(metrics);
                }
            });
        }
    }

    /** Creates a producer of the first listener. */
    public KafkaProducer<String, String> producer(String clientId) {
        return producer(clientId, Map.of());
    }

    /** Creates a producer, of the first listener where the configuration says nothing else. */
    public KafkaProducer<String, String> producer(String clientId, Map<String, ?> more) {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("bootstrap.servers", cluster.bootstrapServers());
        configuration.put("client.id", clientId);
        configuration.putAll(more);
        return new KafkaProducer<>(configuration, new StringSerializer(), new StringSerializer());
    }

    /** Creates a consumer of the first listener, in a group named after it, that reads from the beginning. */
    public KafkaConsumer<String, String> consumer(String clientId) {
        return consumer(clientId, Map.of());
    }

    /** Creates such a consumer, of the first listener where the configuration says nothing else. */
    public KafkaConsumer<String, String> consumer(String clientId, Map<String, ?> more) {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("bootstrap.servers", cluster.bootstrapServers());
        configuration.put("client.id", clientId);
        configuration.put("group.id", clientId);
        configuration.put("auto.offset.reset", "earliest");
        configuration.putAll(more);
        return new KafkaConsumer<>(configuration, new StringDeserializer(), new StringDeserializer());
    }

    @Override
    public void close() {
        cluster.close();
        receiver.close();
    }

    /** What a broker with the plugin is made with. */
    public static final class Builder {
        private final Map<String, String> properties = new HashMap<>();
        private final OtlpReceiver.Builder receiver = OtlpReceiver.builder();
        private String version = "4.4.0";
        private String reporter;
        private String protocol = "grpc";
        private Duration interval = Duration.ofSeconds(1);
        private Consumer<KafkaCluster.Builder> more = cluster -> {};

        private Builder() {}

        /** Sets Kafka's version. */
        public Builder version(String version) {
            this.version = version;
            return this;
        }

        /** Sets the reporter's class; by default the one for the version. */
        public Builder reporter(String className) {
            this.reporter = className;
            return this;
        }

        /** Sets {@code otel.exporter.otlp.protocol} and the endpoint that goes with it. */
        public Builder protocol(String protocol) {
            this.protocol = protocol;
            return this;
        }

        /** Sets a property of {@code server.properties}; wins over all that this builder sets. */
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** Sets the subscription's push interval; null for no subscription. */
        public Builder interval(Duration interval) {
            this.interval = interval;
            return this;
        }

        /** Changes what the receiver is made with. Its listener is taken. */
        public Builder receiver(Consumer<OtlpReceiver.Builder> change) {
            change.accept(receiver);
            return this;
        }

        /** Changes what the cluster is made with. */
        public Builder cluster(Consumer<KafkaCluster.Builder> change) {
            this.more = change;
            return this;
        }

        /** Starts all of it and applies the subscription. */
        public BrokerWithPlugin start() throws Exception {
            Queue<ReceivedRequest> requests = new ConcurrentLinkedQueue<>();
            OtlpReceiver started = receiver.listener(requests::add).start();
            BrokerWithPlugin broker = null;
            KafkaCluster cluster = null;
            try {
                cluster = cluster(started);
                cluster.start();
                broker = new BrokerWithPlugin(requests, started, cluster);
                if (interval != null) {
                    broker.subscribe(interval, KafkaCluster.DEFAULT_LISTENER);
                }
                return broker;
            } catch (Exception e) {
                if (cluster != null) {
                    cluster.close();
                }
                started.close();
                throw e;
            }
        }

        private KafkaCluster cluster(OtlpReceiver started) throws IOException {
            KafkaDistribution distribution = KafkaDistribution.of(version);
            KafkaCluster.Builder cluster = KafkaCluster.builder(distribution)
                    .jars(pluginJar())
                    .property("metric.reporters", "org.apache.kafka.common.metrics.JmxReporter," + reporterClass())
                    .property("otel.exporter.otlp.protocol", protocol)
                    .property(
                            "otel.exporter.otlp.endpoint",
                            String.valueOf(protocol.equals("grpc") ? started.grpcEndpoint() : started.httpEndpoint()));
            more.accept(cluster);
            return cluster.properties(properties).build();
        }

        private String reporterClass() {
            if (reporter != null) {
                return reporter;
            }
            return KafkaVersion.of(version).isAtLeast(4, 2) ? REPORTER : RECEIVER_REPORTER;
        }
    }
}
