/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.broker.KafkaNode;
import dev.clienttelemetry.subscription.AdminClusterSubscriptions;
import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.SubscriptionChange;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of three brokers keeps its subscriptions equal to a file that all three have. */
class SubscriptionsIT {
    private static final String PROVIDER = "dev.clienttelemetry.subscription.ClientMetricsConfigProvider";
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int REFRESH_MS = 1_000;
    private static final String NONE = "subscriptions: []\n";

    @TempDir
    private static Path dir;

    private static Path file;
    private static BrokerWithPlugin brokers;
    private static Admin admin;

    @BeforeAll
    static void start() throws Exception {
        file = Files.writeString(dir.resolve("client-metrics.yaml"), NONE);
        brokers = BrokerWithPlugin.builder()
                .interval(null)
                .property("config.providers", "telemetry")
                .property("config.providers.telemetry.class", PROVIDER)
                .property("client.telemetry.subscriptions.provider", "telemetry")
                .property("client.telemetry.subscriptions.path", file.toString())
                .property("client.telemetry.subscriptions.prune", "true")
                .property("client.telemetry.subscriptions.refresh.ms", Integer.toString(REFRESH_MS))
                .cluster(cluster -> cluster.combined(3).jmx())
                .start();
        admin = brokers.admin();
    }

    @AfterAll
    static void stop() {
        if (admin != null) {
            admin.close();
        }
        if (brokers != null) {
            brokers.close();
        }
    }

    @BeforeEach
    void begin() throws IOException {
        write(NONE);
        awaitSubscriptions(Map.of());
    }

    @Test
    void anEditShowsInTheClusterAndInWhatARunningClientPushes() throws Exception {
        write("subscriptions: [{name: all, metrics: [org.apache.kafka.producer.record.], interval: 1s}]");
        awaitSubscriptions(
                Map.of("all", Map.of("metrics", "org.apache.kafka.producer.record.", "interval.ms", "1000")));
        brokers.awaitRequestedMetrics(KafkaCluster.DEFAULT_LISTENER, List.of("org.apache.kafka.producer.record."));
        try (KafkaProducer<String, String> producer = brokers.producer("edited")) {
            producer.send(new ProducerRecord<>("edited", "x")).get();
            Uuid id = producer.clientInstanceId(SOON);
            brokers.awaitPoint(id, "org.apache.kafka.producer.record.send.total");
            assertThat(brokers.points(id))
                    .allSatisfy(point -> assertThat(point.name()).startsWith("org.apache.kafka.producer.record."));

            write("subscriptions: [{name: all, metrics: [org.apache.kafka.producer.batch.], interval: 2s}]");

            awaitSubscriptions(
                    Map.of("all", Map.of("metrics", "org.apache.kafka.producer.batch.", "interval.ms", "2000")));
            brokers.awaitPoint(id, "org.apache.kafka.producer.batch.size.avg");
            KafkaDistribution.ToolRun described = KafkaDistribution.of("4.4.0")
                    .run(
                            "org.apache.kafka.tools.ClientMetricsCommand",
                            "--bootstrap-server",
                            brokers.cluster().bootstrapServers(),
                            "--describe");
            assertThat(described.output())
                    .contains("org.apache.kafka.producer.batch.")
                    .contains("interval.ms=2000")
                    .doesNotContain("org.apache.kafka.producer.record.");
        }
    }

    /** While nothing changes nobody alters anything, and what changes is altered once, by one broker. */
    @Test
    void brokersNeverFight() throws Exception {
        awaitRounds(2);
        long appliedBefore = applied(1);
        long byOthersBefore = applied(2) + applied(3);

        write("subscriptions: [{name: one, metrics: [org.apache.kafka.producer.], interval: 30s}]");
        awaitSubscriptions(Map.of("one", Map.of("metrics", "org.apache.kafka.producer.", "interval.ms", "30000")));
        awaitRounds(2);
        long requestsBefore = requests("IncrementalAlterConfigs");
        awaitRounds(5);
        assertThat(requests("IncrementalAlterConfigs")).isEqualTo(requestsBefore);

        write("subscriptions: [{name: one, metrics: [org.apache.kafka.producer.]}]");
        awaitSubscriptions(Map.of("one", Map.of("metrics", "org.apache.kafka.producer.")));
        awaitRounds(5);
        // A broker forwards the request to the controller, which is one of these nodes and counts it again.
        assertThat(requests("IncrementalAlterConfigs") - requestsBefore).isBetween(1L, 2L);
        assertThat(applied(1) - appliedBefore).isEqualTo(2);
        assertThat(applied(2) + applied(3)).isEqualTo(byOthersBefore);
    }

    private static long applied(int node) throws IOException, JMException {
        return Math.max(0, metric(brokers.cluster().node(node), "ClientMetricsSubscriptionAppliedCount"));
    }

    @Test
    void whatSomebodyElseChangesIsPutBackAndWhatIsNotSuppliedIsPruned() throws Exception {
        write("subscriptions: [{name: one, metrics: [org.apache.kafka.producer.]}]");
        Map<String, Map<String, String>> wanted = Map.of("one", Map.of("metrics", "org.apache.kafka.producer."));
        awaitSubscriptions(wanted);
        access().apply(SubscriptionChange.between(
                SubscriptionSet.EMPTY.with(Map.of(
                        "one", Map.of("metrics", "org.apache.kafka.consumer.", "match", "client_id=x"),
                        "foreign", Map.of("metrics", "org.apache.kafka.consumer."))),
                wanted,
                false));
        awaitSubscriptions(wanted);
    }

    @Test
    void aFileThatIsBrokenEmptiedOrRemovedLeavesTheLastGoodSetInForce() throws Exception {
        KafkaNode acting = brokers.cluster().node(1);
        write("subscriptions: [{name: one, metrics: [org.apache.kafka.producer.]}]");
        Map<String, Map<String, String>> good = Map.of("one", Map.of("metrics", "org.apache.kafka.producer."));
        awaitSubscriptions(good);
        for (String bad : List.of("subscriptions: [{name: one, metrics: ", "", "subscriptions:\n")) {
            write(bad);
            awaitErrorOfWhatIsThere(acting);
            assertThat(subscriptions()).isEqualTo(good);
        }
        Files.delete(file);
        awaitErrorOfWhatIsThere(acting);
        assertThat(subscriptions()).isEqualTo(good);
        assertThat(acting.log()).contains("The subscriptions that were read before stay in force", file + ":1:");

        write("subscriptions: [{name: two, metrics: [org.apache.kafka.producer.]}]");
        awaitSubscriptions(Map.of("two", Map.of("metrics", "org.apache.kafka.producer.")));
        assertThat(acting.log()).contains("can be read from " + file + " again");
    }

    @Test
    void anotherBrokerTakesOverWhenTheActingOneIsKilled() throws Exception {
        write("subscriptions: [{name: one, metrics: [org.apache.kafka.producer.]}]");
        awaitSubscriptions(Map.of("one", Map.of("metrics", "org.apache.kafka.producer.")));
        KafkaNode first = brokers.cluster().node(1);
        first.kill();
        try {
            write("subscriptions: [{name: two, metrics: [org.apache.kafka.producer.]}]");
            awaitSubscriptions(Map.of("two", Map.of("metrics", "org.apache.kafka.producer.")));
            // Counted when the cluster has answered, which has the subscription by then.
            await().atMost(SOON)
                    .until(() -> metric(brokers.cluster().node(2), "ClientMetricsSubscriptionAppliedCount") > 0);
        } finally {
            first.start();
        }
        write("subscriptions: [{name: three, metrics: [org.apache.kafka.producer.]}]");
        awaitSubscriptions(Map.of("three", Map.of("metrics", "org.apache.kafka.producer.")));
        await().atMost(SOON).until(() -> metric(first, "ClientMetricsSubscriptionAppliedCount") > 0);
    }

    private static void write(String text) throws IOException {
        Path next = Files.writeString(dir.resolve("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static AdminClusterSubscriptions access() {
        return new AdminClusterSubscriptions(admin, Duration.ofSeconds(30));
    }

    private static Map<String, Map<String, String>> subscriptions() throws ClusterException {
        return access().read();
    }

    private static void awaitSubscriptions(Map<String, Map<String, String>> expected) {
        await().atMost(SOON).ignoreException(ClusterException.class).untilAsserted(() -> assertThat(subscriptions())
                .isEqualTo(expected));
    }

    /** Waits until the acting broker has compared so many times more. */
    private static void awaitRounds(int rounds) throws Exception {
        KafkaNode acting = brokers.cluster().node(1);
        long start = metric(acting, "ClientMetricsSubscriptionLastSuccessTimeMs");
        await().atMost(SOON)
                .until(() -> metric(acting, "ClientMetricsSubscriptionLastSuccessTimeMs") - start
                        > (long) rounds * REFRESH_MS);
    }

    private static long lastError(KafkaNode node) throws Exception {
        return metric(node, "ClientMetricsSubscriptionLastErrorTimeMs");
    }

    /** Waits for two errors: the first may be of a reading that began before the file became what it is. */
    private static void awaitErrorOfWhatIsThere(KafkaNode node) throws Exception {
        for (int i = 0; i < 2; i++) {
            long before = lastError(node);
            await().atMost(SOON).until(() -> lastError(node) > before);
        }
    }

    private static long metric(KafkaNode node, String name) throws IOException, JMException {
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(node.jmxUrl()))) {
            Object value = connector
                    .getMBeanServerConnection()
                    .getAttribute(new ObjectName("kafka.server:type=ClientMetrics,name=" + name), "Value");
            return value == null ? -1 : ((Number) value).longValue();
        } catch (InstanceNotFoundException e) {
            return -1;
        }
    }

    /** How many requests of a kind all brokers have got. */
    private static long requests(String request) throws IOException, JMException {
        long sum = 0;
        for (KafkaNode node : brokers.cluster().brokers()) {
            try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(node.jmxUrl()))) {
                MBeanServerConnection server = connector.getMBeanServerConnection();
                for (ObjectName name : server.queryNames(
                        new ObjectName(
                                "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=" + request + ",*"),
                        null)) {
                    sum += ((Number) server.getAttribute(name, "Count")).longValue();
                }
            }
        }
        return sum;
    }
}
