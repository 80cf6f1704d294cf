/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.subscription.AdminClusterSubscriptions;
import dev.clienttelemetry.subscription.ClusterException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where subscriptions may come from, and how the plugin reaches a secured cluster. */
class SubscriptionSourcesIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String OURS = "dev.clienttelemetry.subscription.ClientMetricsConfigProvider";
    private static final String FILE = "org.apache.kafka.common.config.provider.FileConfigProvider";
    private static final String DIRECTORY = "org.apache.kafka.common.config.provider.DirectoryConfigProvider";
    private static final String LOGIN =
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s-secret\"";

    @TempDir
    private Path dir;

    /** Kafka's own providers on Kafka's oldest version with client telemetry, and on the newest. */
    @ParameterizedTest
    @CsvSource({"3.7.2," + FILE, "4.4.0," + DIRECTORY})
    void kafkasOwnProvidersDo(String version, String provider) throws Exception {
        Path path = dir;
        if (provider.equals(FILE)) {
            path = Files.writeString(
                    dir.resolve("s.properties"), "names=one\none.metrics=org.apache.kafka.producer.\n");
        } else {
            Files.writeString(dir.resolve("names"), "one\n");
            Files.writeString(dir.resolve("one.metrics"), "org.apache.kafka.producer.\n");
        }
        try (BrokerWithPlugin broker = builder(version, provider, path)
                        .cluster(cluster ->
                                cluster.jvmOptions("-Dorg.apache.kafka.automatic.config.providers=" + provider))
                        .start();
                Admin admin = broker.admin()) {
            awaitSubscriptions(admin, Map.of("one", Map.of("metrics", "org.apache.kafka.producer.")));
            assertThat(broker.node().log().lines().filter(line -> line.contains("client-telemetry-subscriptions")))
                    .as("attempts to connect before the broker listened")
                    .noneMatch(line -> line.contains("could not be established"));
            if (provider.equals(FILE)) {
                Files.writeString(path, "names=one\none.metrics=org.apache.kafka.consumer.\none.interval.ms=5000\n");
            } else {
                Files.writeString(dir.resolve("one.metrics"), "org.apache.kafka.consumer.\n");
                Files.writeString(dir.resolve("one.interval.ms"), "5000\n");
            }
            awaitSubscriptions(
                    admin, Map.of("one", Map.of("metrics", "org.apache.kafka.consumer.", "interval.ms", "5000")));
        }
    }

    /** Kafka then hands over the types that it has parsed, not the texts of server.properties. */
    @Test
    void aReporterThatIsAddedToARunningBrokerAppliesThemToo() throws Exception {
        Path file = Files.writeString(
                dir.resolve("s.yaml"), "subscriptions: [{name: one, metrics: [org.apache.kafka.producer.]}]");
        String jmx = "org.apache.kafka.common.metrics.JmxReporter";
        try (BrokerWithPlugin broker = builder("4.4.0", OURS, file)
                        .property("metric.reporters", jmx)
                        .start();
                Admin admin = broker.admin()) {
            assertThat(subscriptions(admin)).isEmpty();
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.BROKER, "1"),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("metric.reporters", jmx + "," + BrokerWithPlugin.REPORTER),
                                    AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
            awaitSubscriptions(admin, Map.of("one", Map.of("metrics", "org.apache.kafka.producer.")));
        }
    }

    @Test
    void aSaslListenerIsReachedWithTheSettingsForIt() throws Exception {
        Path file = Files.writeString(
                dir.resolve("s.yaml"), "subscriptions: [{name: one, metrics: [org.apache.kafka.producer.]}]");
        String login = String.format(LOGIN, "admin", "admin");
        Map<String, Object> client = Map.of(
                "security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN", "sasl.jaas.config", login + ";");
        try (BrokerWithPlugin broker = builder("4.4.0", OURS, file)
                .cluster(cluster -> cluster.listener("SECURE", "SASL_PLAINTEXT")
                        .jvmOptions("-Dorg.apache.kafka.automatic.config.providers=" + OURS))
                .property("sasl.enabled.mechanisms", "PLAIN")
                .property("sasl.mechanism.inter.broker.protocol", "PLAIN")
                .property(
                        "listener.name.secure.plain.sasl.jaas.config",
                        login + " user_admin=\"admin-secret\" user_telemetry=\"telemetry-secret\";")
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("super.users", "User:admin;User:ANONYMOUS")
                .property("client.telemetry.admin.sasl.mechanism", "PLAIN")
                .property(
                        "client.telemetry.admin.sasl.jaas.config", String.format(LOGIN, "telemetry", "telemetry") + ";")
                .start()) {
            Map<String, Object> configs = new HashMap<>(client);
            configs.put("bootstrap.servers", broker.cluster().bootstrapServers());
            try (Admin admin = Admin.create(configs)) {
                await().atMost(SOON).until(() -> broker.node().log().contains("ClusterAuthorizationException"));
                assertThat(subscriptions(admin)).isEmpty();
                admin.createAcls(List.of(acl(AclOperation.DESCRIBE_CONFIGS), acl(AclOperation.ALTER_CONFIGS)))
                        .all()
                        .get();
                awaitSubscriptions(admin, Map.of("one", Map.of("metrics", "org.apache.kafka.producer.")));
                assertThat(broker.node().log()).doesNotContain("telemetry-secret");
            }
        }
    }

    private static AclBinding acl(AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(ResourceType.CLUSTER, Resource.CLUSTER_NAME, PatternType.LITERAL),
                new AccessControlEntry("User:telemetry", "*", operation, AclPermissionType.ALLOW));
    }

    private static BrokerWithPlugin.Builder builder(String version, String provider, Path path) {
        return BrokerWithPlugin.builder()
                .version(version)
                .interval(null)
                .property("config.providers", "telemetry")
                .property("config.providers.telemetry.class", provider)
                .property("client.telemetry.subscriptions.provider", "telemetry")
                .property("client.telemetry.subscriptions.path", path.toString())
                .property("client.telemetry.subscriptions.refresh.ms", "500");
    }

    private static Map<String, Map<String, String>> subscriptions(Admin admin) throws Exception {
        return new AdminClusterSubscriptions(admin, Duration.ofSeconds(30)).read();
    }

    private static void awaitSubscriptions(Admin admin, Map<String, Map<String, String>> expected) {
        await().atMost(SOON)
                .ignoreException(ClusterException.class)
                .untilAsserted(() -> assertThat(subscriptions(admin)).isEqualTo(expected));
    }
}
