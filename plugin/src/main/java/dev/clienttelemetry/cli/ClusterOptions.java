/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Causes;
import dev.clienttelemetry.message.NearestName;
import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.subscription.AdminClusterSubscriptions;
import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Where the cluster is. */
final class ClusterOptions {
    /** How long the Admin client tries, where --command-config does not say otherwise. */
    private static final int API_TIMEOUT_MS = 6_000;

    private static final Duration PROBE_TIMEOUT = Duration.ofMillis(500);
    /** Whoever is asked for a password has to find it first. */
    private static final Duration CONFIG_PATIENCE = Duration.ofMinutes(2);

    private static final String API_TIMEOUT = "default.api.timeout.ms";
    private static final String REQUEST_TIMEOUT = "request.timeout.ms";
    private static final String BOOTSTRAP = "bootstrap.servers";

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--bootstrap-server",
            paramLabel = "HOST:PORT",
            description = "The brokers to begin with, separated by commas.")
    private String bootstrapServer;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "A properties file with settings of the Admin client, such as security.protocol.")
    private Path commandConfig;

    boolean isGiven() {
        return bootstrapServer != null || commandConfig != null;
    }

    ClusterSubscriptions open() throws ClusterException {
        Map<String, Object> settings = new HashMap<>();
        settings.put("client.id", "client-metrics");
        settings.put("metric.reporters", List.of());
        if (AdminClientConfig.configNames().contains("enable.metrics.push")) {
            settings.put("enable.metrics.push", "false");
        }
        Map<String, String> given = commandConfig();
        if (!given.containsKey(API_TIMEOUT) && !given.containsKey(REQUEST_TIMEOUT)) {
            settings.put(API_TIMEOUT, Integer.toString(API_TIMEOUT_MS));
            // May not be longer.
            settings.put(REQUEST_TIMEOUT, Integer.toString(API_TIMEOUT_MS));
        }
        settings.putAll(given);
        if (bootstrapServer != null) {
            settings.put(BOOTSTRAP, bootstrapServer);
        }
        if (settings.getOrDefault(BOOTSTRAP, "").toString().isBlank()) {
            throw usage("--bootstrap-server is missing: it names the cluster");
        }
        String bootstrap = settings.get(BOOTSTRAP).toString();
        try {
            AdminClientConfig effective = new AdminClientConfig(settings);
            String securityProtocol = effective.getString("security.protocol").toUpperCase(Locale.ROOT);
            ListenerProbe probe = new ListenerProbe(PROBE_TIMEOUT);
            if (securityProtocol.endsWith("PLAINTEXT") && probe.answersInTls(bootstrap)) {
                throw new ClusterException(
                        ExplainedCluster.speaksTls(bootstrap, bootstrap.split(",")[0].trim(), securityProtocol), null);
            }
            // The client's own timeout ends first, and says more.
            Duration answer = Duration.ofMillis(effective.getInt(API_TIMEOUT)).plusSeconds(1);
            return new ExplainedCluster(
                    new AdminClusterSubscriptions(Admin.create(settings), answer), bootstrap, securityProtocol, probe);
        } catch (KafkaException e) {
            String message = Causes.text(e);
            if (message.contains("resolvable")) {
                throw new ClusterException("Cannot reach the cluster at " + bootstrap + ": " + message, e);
            }
            throw new SettingsException("The Admin client's settings are wrong: " + message);
        }
    }

    private Map<String, String> commandConfig() {
        if (commandConfig == null) {
            return Map.of();
        }
        Map<String, String> given = new CommandConfig(commandConfig, CONFIG_PATIENCE).read();
        given.keySet().stream().sorted().forEach(this::refuseSlip);
        return given;
    }

    /**
     * Kafka's client ignores what it does not know, and connects in plaintext for a slip in security.protocol. Keys of the
     * other clients, which may share the file, and those of classes that settings name are left alone.
     */
    private void refuseSlip(String key) {
        boolean ofAnotherClient = ProducerConfig.configNames().contains(key)
                || ConsumerConfig.configNames().contains(key);
        String meant = ofAnotherClient ? null : NearestName.slipOf(key, AdminClientConfig.configNames());
        if (meant != null) {
            throw new SettingsException("--command-config " + Quoted.text(commandConfig.toString()) + ": unknown key "
                    + Quoted.text(key) + "; the nearest that the Admin client knows is " + meant);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
