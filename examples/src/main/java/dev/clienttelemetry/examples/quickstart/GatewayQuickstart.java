/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import dev.clienttelemetry.examples.broker.FreePorts;
import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.broker.KafkaVersion;
import dev.clienttelemetry.examples.proxy.KroxyliciousProxy;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command behind {@code examples/gateway/run.sh}. */
@Command(
        name = "run.sh",
        sortOptions = false,
        usageHelpWidth = 100,
        description = {
            "Shows the metrics of Kafka clients whose broker has no client telemetry: starts a Kafka broker without the"
                    + " plugin, a Kroxylicious proxy with the gateway before it, an OTLP receiver, a producer and a"
                    + " consumer that connect to the proxy, and lists what arrives. It takes free ports and removes its"
                    + " files when it ends.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 where both of the demo's clients were seen, 1 with the reason where not, 2 for a wrong option."
        })
public final class GatewayQuickstart implements Callable<Integer> {
    private static final Duration WITHOUT_TERMINAL = Duration.ofSeconds(30);
    private static final Duration TERMINAL_REFRESH = Duration.ofSeconds(1);
    private static final Duration APPENDED_REFRESH = Duration.ofSeconds(5);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationText.class,
            description =
                    "Let the clients run so long, for example 20s, then stop everything and say what was received."
                            + " The default where the output is no terminal: 30s.")
    private Duration duration;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            converter = EndpointText.class,
            description = "Send to your own collector over gRPC, for example http://localhost:4317, instead of to the"
                    + " built-in receiver. Then nothing is listed here.")
    private URI endpoint;

    @Option(
            names = "--kafka-version",
            paramLabel = "VERSION",
            defaultValue = "3.6.2",
            description = "The broker's version; ${DEFAULT-VALUE} by default, the last without client telemetry.")
    private String kafkaVersion;

    @Option(names = "--help", usageHelp = true, description = "Show this text.")
    private boolean help;

    private Screen screen;
    private Interruptible interruptible;

    GatewayQuickstart() {}

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new GatewayQuickstart()).execute(arguments));
    }

    @Override
    public Integer call() {
        screen = Screen.ofProcess();
        KafkaVersion version;
        try {
            version = KafkaVersion.of(kafkaVersion);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--kafka-version: " + e.getMessage());
        }
        if (endpoint != null && EndpointText.hasPath(endpoint)) {
            throw new ParameterException(
                    spec.commandLine(), "--endpoint has a path, which OTLP over gRPC has no room for: leave it out");
        }
        interruptible = new Interruptible(screen, "The example");
        return interruptible.run(() -> run(version));
    }

    private int run(KafkaVersion version)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        screen.say(
                "Kafka " + kafkaVersion + ": fetching its released artifacts with Maven, where they are not here yet");
        KafkaDistribution kafka =
                KafkaDistribution.of(version, artifact -> screen.progress("  downloaded: " + artifact));
        ReceivedClients received = new ReceivedClients(System::currentTimeMillis);
        try (OtlpReceiver receiver = OtlpReceiver.start(received::received);
                KafkaCluster cluster = KafkaCluster.builder(kafka).build()) {
            screen.say("Broker: starting one node of Kafka " + kafkaVersion + ", without any plugin");
            cluster.start();
            URI otlp = endpoint == null ? receiver.grpcEndpoint() : endpoint;
            int port = FreePorts.next();
            int management = FreePorts.next();
            Path directory = Files.createDirectory(cluster.directory().resolve("proxy"));
            screen.say("Proxy: starting Kroxylicious " + KroxyliciousProxy.VERSION + " with "
                    + gatewayJar().getFileName() + "; OTLP goes to " + EndpointText.shown(otlp));
            try (KroxyliciousProxy proxy = KroxyliciousProxy.start(
                    directory,
                    configuration(cluster.bootstrapServers(), port, FreePorts.next(), management, otlp),
                    List.of(gatewayJar()),
                    List.of("-Xmx256m"),
                    artifact -> screen.progress("  downloaded: " + artifact))) {
                screen.say("  bootstrap.servers: localhost:" + port + "   metrics: http://127.0.0.1:" + management
                        + "/metrics   files: " + directory);
                createTopic("localhost:" + port);
                show(proxy, "localhost:" + port, received);
                return endpoint == null ? received(proxy, received) : sent(proxy, management);
            }
        }
    }

    private static void createTopic(String bootstrapServers)
            throws InterruptedException, ExecutionException, TimeoutException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            DemoClients.createTopic(admin);
        }
    }

    private void show(KroxyliciousProxy proxy, String bootstrapServers, ReceivedClients received)
            throws IOException, InterruptedException {
        Duration untilEnd = duration != null ? duration : screen.isTerminal() ? null : WITHOUT_TERMINAL;
        screen.say("Clients: starting " + DemoClients.PRODUCER + " and " + DemoClients.CONSUMER + " at the proxy"
                + (untilEnd == null ? "; Ctrl-C ends it all" : " for " + untilEnd.toSeconds() + " s"));
        screen.say("");
        DemoClients clients = DemoClients.start(bootstrapServers);
        long end = untilEnd == null ? Long.MAX_VALUE : System.nanoTime() + untilEnd.toNanos();
        Duration every = screen.isTerminal() ? TERMINAL_REFRESH : APPENDED_REFRESH;
        while (System.nanoTime() < end) {
            interruptible.pause(Math.min(every.toNanos(), end - System.nanoTime()));
            if (!proxy.isAlive()) {
                throw new IOException("the proxy ended by itself:\n" + LogEnd.of(proxy.log(), ""));
            }
            if (endpoint == null) {
                screen.refresh(Table.lines(received.clients(), System.currentTimeMillis(), screen.width()));
                if (!screen.isTerminal()) {
                    screen.say("");
                }
            }
        }
        // After anything else the JVM ends, and the clients with it; they would wait for a proxy that is gone.
        clients.close();
    }

    /** What the user's own collector got: as the gateway itself counts it. */
    private int sent(KroxyliciousProxy proxy, int management) throws IOException, InterruptedException {
        URI metrics = URI.create("http://127.0.0.1:" + management + "/metrics");
        List<String> lines = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofLines())
                .body()
                .toList();
        double points = sum(lines, "otel_sdk_exporter_metric_data_point_exported_total", "error_type=\"none\"");
        double clients = sum(lines, "client_telemetry_new_instance_requests_total", "");
        screen.say("sent " + Math.round(points) + " data points from " + Math.round(clients) + " client instances to "
                + EndpointText.shown(endpoint));
        if (points > 0 && clients >= 2) {
            return 0;
        }
        System.err.println("Failed: " + EndpointText.shown(endpoint)
                + " did not get the metrics of both clients. The end of the proxy's log:");
        System.err.println(LogEnd.of(proxy.log(), ""));
        return 1;
    }

    private static double sum(List<String> lines, String metric, String tag) {
        return lines.stream()
                .filter(line -> line.startsWith(metric + "{") && line.contains(tag))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private int received(KroxyliciousProxy proxy, ReceivedClients received) {
        screen.say(received.line());
        if (received.saw(DemoClients.PRODUCER) && received.saw(DemoClients.CONSUMER)) {
            return 0;
        }
        System.err.println("Failed: not both clients were seen. The end of the proxy's log:");
        System.err.println(LogEnd.of(proxy.log(), ""));
        return 1;
    }

    /** The example's own configuration, with the addresses of this run in the place of those in the file. */
    private static String configuration(String upstream, int port, int nodePort, int managementPort, URI otlp)
            throws IOException {
        Path example = Path.of(System.getProperty("quickstart.gateway.directory"));
        return Files.readString(example.resolve("proxy.yaml"))
                .replace("port: 9190", "port: " + managementPort)
                .replace("bootstrapServers: localhost:9092", "bootstrapServers: " + upstream)
                .replace("bootstrapAddress: localhost:9192", "bootstrapAddress: localhost:" + port)
                .replace("nodeStartPort: 9193", "nodeStartPort: " + nodePort)
                .replace("http://localhost:4317", otlp.toString())
                .replace(
                        "path: subscriptions.yaml",
                        "path: " + example.resolve("subscriptions.yaml").toAbsolutePath());
    }

    private static Path gatewayJar() {
        return Path.of(System.getProperty("quickstart.gateway.jar"));
    }
}
