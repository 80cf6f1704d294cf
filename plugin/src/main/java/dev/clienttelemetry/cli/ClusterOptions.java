/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.AdminClusterSubscriptions;
import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import dev.clienttelemetry.subscription.Quoted;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Where the cluster is. */
final class ClusterOptions {
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);

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
        settings.put("request.timeout.ms", "10000");
        settings.put("default.api.timeout.ms", "15000");
        settings.put("metric.reporters", List.of());
        if (AdminClientConfig.configNames().contains("enable.metrics.push")) {
            settings.put("enable.metrics.push", "false");
        }
        settings.putAll(commandConfig());
        if (bootstrapServer != null) {
            settings.put("bootstrap.servers", bootstrapServer);
        }
        if (!settings.containsKey("bootstrap.servers")) {
            throw usage("--bootstrap-server is missing: it names the cluster");
        }
        try {
            return new AdminClusterSubscriptions(Admin.create(settings), ANSWER_TIMEOUT);
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String message = Quoted.text(cause.getMessage());
            if (cause instanceof ConfigException && message.contains("resolvable")) {
                throw new ClusterException("Cannot reach the cluster: " + message, cause);
            }
            throw usage("The Admin client's settings are wrong: " + message);
        }
    }

    private Map<String, String> commandConfig() {
        Map<String, String> settings = new HashMap<>();
        if (commandConfig == null) {
            return settings;
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(commandConfig)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw usage("--command-config: cannot read " + commandConfig + ": " + e);
        }
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        return settings;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
