/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.broker.KafkaNode;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConfigResourcesOptions;
import org.apache.kafka.common.config.ConfigResource;

/** One run, from the broker's start to its end. Everything it starts ends with it, and with Ctrl-C. */
final class QuickstartRun {
    private static final String REPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReporter";
    private static final String RECEIVER_REPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter";
    private static final String ENDPOINT_KEY = "otel.exporter.otlp.endpoint";
    private static final String SUBSCRIPTIONS_PATH_KEY = "client.telemetry.subscriptions.path";
    private static final int SUBSCRIPTION_POLL_MILLIS = 200;
    private static final Duration TERMINAL_REFRESH = Duration.ofSeconds(1);
    private static final Duration APPENDED_REFRESH = Duration.ofSeconds(5);
    private static final int ADMIN_TIMEOUT_SECONDS = 30;
    private static final String PLUGIN_LOG = "(dev.clienttelemetry.";

    private final QuickstartSettings settings;
    private final Screen screen;
    private final Interruptible interruptible;

    QuickstartRun(QuickstartSettings settings, Screen screen) {
        this.settings = settings;
        this.screen = screen;
        this.interruptible = new Interruptible(screen, "The quickstart");
    }

    /** Returns the exit code. */
    int run() {
        return interruptible.run(this::runToItsEnd);
    }

    private int runToItsEnd() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        KafkaDistribution kafka = fetchKafka();
        ReceivedClients received = new ReceivedClients(System::currentTimeMillis);
        ReceivedPluginMetrics ofPlugin = new ReceivedPluginMetrics();
        if (settings.endpoint() != null) {
            screen.say("OTLP goes to your endpoint " + settings.shownEndpoint() + " (" + settings.protocol() + ")");
            return runBroker(kafka, settings.endpoint(), received, ofPlugin);
        }
        try (OtlpReceiver receiver = OtlpReceiver.start(request -> {
            received.received(request);
            ofPlugin.received(request);
        })) {
            URI endpoint = settings.protocol().equals("grpc") ? receiver.grpcEndpoint() : receiver.httpEndpoint();
            screen.say("OTLP receiver: gRPC on port " + receiver.grpcPort() + ", HTTP/protobuf on port "
                    + receiver.httpPort() + "; the broker sends to " + endpoint);
            return runBroker(kafka, endpoint, received, ofPlugin);
        }
    }

    private KafkaDistribution fetchKafka() throws IOException {
        screen.say("Kafka " + settings.kafka()
                + ": fetching its released artifacts with Maven, where they are not here yet");
        int[] artifacts = {0};
        KafkaDistribution kafka = KafkaDistribution.of(settings.kafka(), artifact -> {
            artifacts[0]++;
            screen.progress("  " + artifacts[0] + " downloaded: " + artifact);
            if (!screen.isTerminal() && artifacts[0] % 25 == 0) {
                screen.say("  " + artifacts[0] + " artifacts downloaded");
            }
        });
        screen.say("  libs: " + kafka.libs());
        return kafka;
    }

    private int runBroker(
            KafkaDistribution kafka, URI endpoint, ReceivedClients received, ReceivedPluginMetrics ofPlugin)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        try (KafkaCluster cluster = cluster(kafka, endpoint)) {
            KafkaNode broker = cluster.node(1);
            screen.say("Broker: starting one KRaft node with "
                    + settings.pluginJar().getFileName() + " in its libs");
            screen.say("  files: " + broker.directory() + " (server.properties, kafka.log, libs, data)");
            cluster.start();
            screen.say("  bootstrap.servers: " + cluster.bootstrapServers() + "   JMX: " + broker.jmxUrl());
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
                awaitSubscription(admin, broker);
                DemoClients.createTopic(admin);
            }
            screen.say("Clients: starting " + DemoClients.PRODUCER + " and " + DemoClients.CONSUMER
                    + (settings.duration() == null
                            ? "; Ctrl-C ends it all"
                            : " for " + settings.duration().toSeconds() + " s"));
            screen.say("");
            return settings.endpoint() == null ? watchReceiver(cluster, received, ofPlugin) : watchBroker(cluster);
        }
    }

    private KafkaCluster cluster(KafkaDistribution kafka, URI endpoint) throws IOException {
        KafkaCluster.Builder cluster = KafkaCluster.builder(kafka)
                .jars(settings.pluginJar())
                .jmx()
                .defaults(serverProperties())
                .property(ENDPOINT_KEY, endpoint.toString())
                .property("otel.exporter.otlp.protocol", settings.protocol())
                .property(SUBSCRIPTIONS_PATH_KEY, settings.subscriptions().toString());
        if (settings.endpoint() != null) {
            System.getenv().forEach((name, value) -> {
                if (name.startsWith("OTEL_EXPORTER_OTLP_")) {
                    cluster.environment(name, value);
                }
            });
        }
        return cluster.build();
    }

    /** The example's own configuration, with the reporter class that this version of Kafka can load. */
    private Map<String, String> serverProperties() throws IOException {
        Properties file = new Properties();
        try (Reader reader = Files.newBufferedReader(settings.serverProperties())) {
            file.load(reader);
        }
        Map<String, String> properties = new HashMap<>();
        file.forEach((key, value) -> properties.put((String) key, (String) value));
        if (!settings.kafka().isAtLeast(4, 2)) {
            properties.computeIfPresent(
                    "metric.reporters", (key, reporters) -> reporters.replace(REPORTER, RECEIVER_REPORTER));
        }
        return properties;
    }

    /** A client that comes before its subscription asks again only after five minutes. */
    private void awaitSubscription(Admin admin, KafkaNode broker)
            throws ExecutionException, InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ADMIN_TIMEOUT_SECONDS);
        while (admin.listConfigResources(Set.of(ConfigResource.Type.CLIENT_METRICS), new ListConfigResourcesOptions())
                .all()
                .get(ADMIN_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("the plugin did not apply " + settings.subscriptions()
                        + ". What it said in the broker's log:\n" + LogEnd.of(broker.log(), PLUGIN_LOG));
            }
            interruptible.pause(TimeUnit.MILLISECONDS.toNanos(SUBSCRIPTION_POLL_MILLIS));
        }
        screen.say("Subscription: applied by the plugin from " + settings.subscriptions());
    }

    private int watchReceiver(KafkaCluster cluster, ReceivedClients received, ReceivedPluginMetrics ofPlugin)
            throws IOException, InterruptedException {
        try {
            showWhileClientsRun(
                    cluster, () -> Table.lines(received.clients(), System.currentTimeMillis(), screen.width()));
            // What still waits in the plugin is sent before it ends.
            stop(cluster.node(1));
        } finally {
            screen.say(ofPlugin.line());
            screen.say(received.line());
        }
        for (String client : List.of(DemoClients.PRODUCER, DemoClients.CONSUMER)) {
            if (!received.saw(client)) {
                return failed(cluster.node(1), "no metrics of " + client + " arrived");
            }
        }
        return 0;
    }

    private int watchBroker(KafkaCluster cluster) throws IOException, InterruptedException {
        KafkaNode broker = cluster.node(1);
        PluginState state;
        long[] clients = {0};
        try (PluginMetrics metrics = new PluginMetrics(broker.jmxUrl())) {
            showWhileClientsRun(cluster, () -> {
                PluginState now = PluginState.read(metrics);
                clients[0] = Math.max(clients[0], now.clients());
                return List.of(now.line());
            });
            // Clients that closed are no active instances any more, but their last points count.
            state = PluginState.read(metrics);
        }
        stop(broker);
        screen.say("sent " + state.pointsSent() + " data points from " + clients[0] + " client instances to "
                + settings.shownEndpoint());
        if (clients[0] < 2) {
            return failed(broker, "only " + clients[0] + " of the 2 client instances pushed metrics");
        }
        if (state.pointsSent() == 0 || !state.reachable()) {
            return failed(broker, settings.shownEndpoint() + " did not take them");
        }
        return 0;
    }

    /** What is shown again and again while the clients run. */
    private interface View {
        List<String> lines() throws IOException;
    }

    private void showWhileClientsRun(KafkaCluster cluster, View view) throws IOException, InterruptedException {
        DemoClients clients = DemoClients.start(cluster.bootstrapServers());
        long end = settings.duration() == null
                ? Long.MAX_VALUE
                : System.nanoTime() + settings.duration().toNanos();
        Duration every = screen.isTerminal() ? TERMINAL_REFRESH : APPENDED_REFRESH;
        boolean ended = false;
        while (!ended) {
            interruptible.pause(Math.min(every.toNanos(), end - System.nanoTime()));
            ended = System.nanoTime() >= end;
            if (!cluster.node(1).isAlive()) {
                throw new IOException("the broker ended by itself:\n"
                        + LogEnd.of(cluster.node(1).log(), ""));
            }
            screen.refresh(view.lines());
            if (!screen.isTerminal()) {
                screen.say("");
            }
        }
        clients.close();
    }

    private void stop(KafkaNode broker) throws IOException {
        screen.say("Stopping the clients and the broker");
        broker.stop();
    }

    private int failed(KafkaNode broker, String reason) {
        System.err.println("Failed: " + reason + ". What the plugin said in the broker's log:");
        System.err.println(LogEnd.of(broker.log(), PLUGIN_LOG));
        return 1;
    }
}
