/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import dev.clienttelemetry.subscription.InvalidSourceException;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code client-metrics diff}. */
@Command(
        name = "diff",
        sortOptions = false,
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        description = "Show what apply would change in a cluster.")
final class DiffCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SourceArgument source;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--prune", description = "Show as deleted what the cluster has and the files do not.")
    private boolean prune;

    @Mixin
    private ReviewOptions review;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws InvalidSourceException, ClusterException {
        SubscriptionSet wanted = source.read();
        ChangeReport report;
        try (ClusterSubscriptions present = cluster.open()) {
            report = Comparison.of(wanted, present.read(), prune, review);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (output.inJson()) {
            out.println(JsonText.of(report.json()));
        } else {
            report.print(out);
            int changes = report.changes().size();
            out.println(
                    changes == 0
                            ? "The cluster has these subscriptions"
                            : changes + (changes == 1 ? " subscription differs" : " subscriptions differ"));
        }
        boolean refused = review.strict() && !report.warnings().isEmpty();
        return report.changes().isEmpty() && !refused ? ExitCode.OK : ExitCode.DIFFERENT_OR_INVALID;
    }
}
