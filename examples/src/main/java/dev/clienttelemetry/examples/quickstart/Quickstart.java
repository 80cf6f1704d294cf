/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import dev.clienttelemetry.examples.broker.KafkaVersion;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command behind {@code examples/quickstart.sh}. */
@Command(
        name = "quickstart.sh",
        sortOptions = false,
        usageHelpWidth = 100,
        description = {
            "Shows the metrics that Kafka clients push, on this machine and with nothing but a JDK and Maven: starts a"
                    + " Kafka broker with the plugin, an OTLP receiver behind it, a producer and a consumer, and lists"
                    + " what arrives. It takes free ports and removes its files when it ends.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 where all of the demo's clients were seen, 1 with the reason where not, 2 for a wrong option.",
            "Environment: variables that begin with OTEL_EXPORTER_OTLP_ reach the broker together with --endpoint, for"
                    + " example OTEL_EXPORTER_OTLP_HEADERS."
        })
public final class Quickstart implements Callable<Integer> {
    private static final Duration WITHOUT_TERMINAL = Duration.ofSeconds(30);

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

    @Option(names = "--keep", description = "Go on until Ctrl-C. The default on a terminal.")
    private boolean keep;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            converter = EndpointText.class,
            description = "Send to your own collector, for example http://localhost:4317, instead of to the built-in"
                    + " receiver.")
    private URI endpoint;

    @Option(
            names = "--protocol",
            paramLabel = "PROTOCOL",
            defaultValue = "grpc",
            description = "grpc (the default) or http/protobuf.")
    private String protocol;

    @Option(
            names = "--kafka-version",
            paramLabel = "VERSION",
            defaultValue = "4.4.0",
            description = "The broker's version, 3.7.0 or later; ${DEFAULT-VALUE} by default.")
    private String kafkaVersion;

    @Option(names = "--help", usageHelp = true, description = "Show this text.")
    private boolean help;

    Quickstart() {}

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        CommandLine command = new CommandLine(new Quickstart());
        System.exit(command.execute(arguments));
    }

    @Override
    public Integer call() {
        Screen screen = Screen.ofProcess();
        return new QuickstartRun(settings(screen), screen).run();
    }

    private QuickstartSettings settings(Screen screen) {
        if (keep && duration != null) {
            throw new ParameterException(spec.commandLine(), "--keep and --duration exclude each other");
        }
        if (!protocol.equals("grpc") && !protocol.equals("http/protobuf")) {
            throw new ParameterException(
                    spec.commandLine(), "--protocol is '" + protocol + "', not one of grpc, http/protobuf");
        }
        if (endpoint != null && protocol.equals("grpc") && EndpointText.hasPath(endpoint)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--endpoint has a path, which --protocol grpc has no room for: leave it out, or add --protocol"
                            + " http/protobuf");
        }
        Duration untilEnd = keep || (duration == null && screen.isTerminal())
                ? null
                : duration == null ? WITHOUT_TERMINAL : duration;
        return new QuickstartSettings(
                version(),
                untilEnd,
                endpoint,
                protocol,
                Path.of(System.getProperty("quickstart.plugin")),
                Path.of(System.getProperty("quickstart.properties")));
    }

    private KafkaVersion version() {
        KafkaVersion version;
        try {
            version = KafkaVersion.of(kafkaVersion);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--kafka-version: " + e.getMessage());
        }
        if (!version.isAtLeast(3, 7)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--kafka-version: Kafka " + version + " has no client telemetry; 3.7.0 is the first that has");
        }
        return version;
    }
}
