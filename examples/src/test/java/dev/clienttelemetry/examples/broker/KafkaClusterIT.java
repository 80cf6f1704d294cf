/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Its tests mostly wait for nodes to start, so they run at a time. */
@Execution(ExecutionMode.CONCURRENT)
class KafkaClusterIT {

    @ParameterizedTest
    @ValueSource(strings = {"3.7.2", "4.4.0"})
    void keepsItsDataOverARestartAndNothingAfterItsEnd(String version) throws Exception {
        KafkaCluster cluster =
                KafkaCluster.builder(KafkaDistribution.of(version)).start();
        try (cluster;
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("kept", 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            cluster.node(1).kill();
            cluster.node(1).start();

            assertThat(admin.listTopics().names().get(30, TimeUnit.SECONDS)).containsExactly("kept");
            assertThat(cluster.node(1).log()).contains("Kafka Server started");
        }
        assertThat(ProcessHandle.of(cluster.node(1).pid()).filter(ProcessHandle::isAlive))
                .isEmpty();
        assertThat(Files.exists(cluster.directory())).isFalse();
    }

    @Test
    void saysWhyANodeDidNotStart() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder(KafkaDistribution.of("4.4.0"))
                .property("num.io.threads", "many")
                .build()) {
            assertThatThrownBy(cluster::start).hasMessageContaining("num.io.threads");
        }
    }

    @Test
    void whatIsNotAsciiIsWrittenAsKafkaReadsIt() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder(KafkaDistribution.of("4.4.0"))
                .property("broker.rack", "jos\u00e9 \u65e5")
                .build()) {
            cluster.start();
            Properties read = new Properties();
            try (InputStream file =
                    Files.newInputStream(cluster.node(1).directory().resolve("server.properties"))) {
                read.load(file);
            }

            assertThat(read).containsEntry("broker.rack", "jos\u00e9 \u65e5");
        }
    }

    @Test
    void hasSeveralBrokersApartFromTheirController() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder(KafkaDistribution.of("4.4.0"))
                        .separate(2, 1)
                        .listener("INTERNAL", "PLAINTEXT")
                        .listener("CLIENTS", "PLAINTEXT")
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers("CLIENTS")))) {
            assertThat(cluster.nodes()).hasSize(3);
            assertThat(cluster.brokers()).extracting(KafkaNode::id).containsExactly(1, 2);
            admin.createTopics(List.of(new NewTopic("replicated", 1, (short) 2)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            cluster.node(2).stop();

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(inSyncReplicas(admin)).isEqualTo(1));
        }
    }

    private static int inSyncReplicas(Admin admin) throws Exception {
        return admin.describeTopics(List.of("replicated"))
                .allTopicNames()
                .get(30, TimeUnit.SECONDS)
                .get("replicated")
                .partitions()
                .get(0)
                .isr()
                .size();
    }
}
