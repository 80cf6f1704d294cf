/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaClusterIT {

    @ParameterizedTest
    @ValueSource(strings = {"3.7.2", "4.4.0"})
    void keepsItsDataOverARestart(String version) throws Exception {
        try (KafkaCluster cluster =
                KafkaCluster.builder(KafkaDistribution.of(version)).start()) {
            try (Admin admin = admin(cluster)) {
                admin.createTopics(List.of(new NewTopic("kept", 1, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
                cluster.node(1).kill();
                cluster.node(1).start();

                assertThat(admin.listTopics().names().get(30, TimeUnit.SECONDS)).containsExactly("kept");
            }
            assertThat(cluster.node(1).log()).contains("Kafka Server started");
        }
    }

    @Test
    void endsItsProcessesAndRemovesItsFiles() throws Exception {
        KafkaCluster cluster =
                KafkaCluster.builder(KafkaDistribution.of("4.4.0")).start();
        long pid = cluster.node(1).pid();
        assertThat(ProcessHandle.of(pid)).isPresent();

        cluster.close();

        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(Files.exists(cluster.directory())).isFalse();
    }

    @Test
    void saysWhyANodeDidNotStart() throws Exception {
        KafkaCluster.Builder builder =
                KafkaCluster.builder(KafkaDistribution.of("4.4.0")).property("num.io.threads", "many");

        assertThatThrownBy(builder::start).hasMessageContaining("num.io.threads");
    }

    @Test
    void hasBrokersAndControllersApart() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder(KafkaDistribution.of("4.4.0"))
                .separate(2, 1)
                .listener("INTERNAL", "PLAINTEXT")
                .listener("CLIENTS", "PLAINTEXT")
                .start()) {
            assertThat(cluster.nodes()).hasSize(3);
            assertThat(cluster.brokers()).extracting(KafkaNode::id).containsExactly(1, 2);
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers("CLIENTS")))) {
                assertThat(admin.describeCluster().nodes().get(30, TimeUnit.SECONDS))
                        .extracting(Node::id)
                        .containsExactlyInAnyOrder(1, 2);
            }
        }
    }

    @Test
    void replicatesOverThreeCombinedNodes() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder(KafkaDistribution.of("4.4.0"))
                        .combined(3)
                        .start();
                Admin admin = admin(cluster)) {
            admin.createTopics(List.of(new NewTopic("replicated", 1, (short) 3)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            cluster.node(2).stop();

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(admin.describeTopics(List.of("replicated"))
                                    .allTopicNames()
                                    .get()
                                    .get("replicated")
                                    .partitions()
                                    .get(0)
                                    .isr())
                            .hasSize(2));
        }
    }

    private static Admin admin(KafkaCluster cluster) {
        return Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
    }
}
