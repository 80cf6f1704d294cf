/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Causes;
import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.InvalidSourceException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line {@code client-metrics}. */
@Command(
        name = "client-metrics",
        sortOptions = false,
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        versionProvider = ClientMetrics.Version.class,
        description = {
            "Client metrics subscriptions (KIP-714) from files: check them, compare them with a Kafka cluster, apply them.",
            ""
        },
        subcommands = {
            ValidateCommand.class,
            DiffCommand.class,
            ApplyCommand.class,
            ExportCommand.class,
            MatchCommand.class,
            ListMetricsCommand.class,
            HelpCommand.class
        },
        footer = {
            "",
            "Exit code: 0 valid, equal or done; 1 a difference, or something invalid or refused; 2 wrong arguments;"
                    + " 3 the cluster cannot be reached or does not allow it."
        })
public final class ClientMetrics implements Runnable {
    @Spec
    private CommandSpec spec;

    ClientMetrics() {}

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine command = new CommandLine(new ClientMetrics());
        command.setCaseInsensitiveEnumValuesAllowed(true);
        command.registerConverter(Path.class, new PathArgument());
        command.setExecutionExceptionHandler((e, failed, result) -> failure(e, failed));
        return command;
    }

    private static int failure(Exception e, CommandLine failed) throws Exception {
        PrintWriter err = failed.getErr();
        if (e instanceof InvalidSourceException) {
            err.println(e.getMessage());
            return ExitCode.DIFFERENT_OR_INVALID;
        }
        if (e instanceof SettingsException) {
            err.println(e.getMessage());
            return ExitCode.USAGE;
        }
        if (e instanceof ClusterException) {
            err.println(e.getMessage());
            return ExitCode.UNREACHABLE;
        }
        if (e instanceof KafkaException) {
            err.println(Causes.text(e));
            return ExitCode.UNREACHABLE;
        }
        // Not foreseen: whoever reports it needs the trace.
        throw e;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    /** Tells the version from the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = ClientMetrics.class.getPackage().getImplementationVersion();
            return new String[] {"client-metrics " + (version == null ? "(unpackaged)" : version)};
        }
    }
}
