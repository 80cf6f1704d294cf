/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import dev.clienttelemetry.subscription.InvalidSourceException;
import dev.clienttelemetry.subscription.Refusals;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code client-metrics apply}. */
@Command(
        name = "apply",
        sortOptions = false,
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        description = "Make a cluster's subscriptions equal to the files, changing only what differs.")
final class ApplyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SourceArgument source;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--prune", description = "Delete what the cluster has and the files do not.")
    private boolean prune;

    @Option(names = "--dry-run", description = "Show what would be changed, and change nothing.")
    private boolean dryRun;

    @Mixin
    private ReviewOptions review;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws InvalidSourceException, ClusterException {
        SubscriptionSet wanted = source.read();
        ChangeReport report;
        Map<String, String> refused = Map.of();
        boolean held;
        try (ClusterSubscriptions present = cluster.open()) {
            report = Comparison.of(wanted, present.read(), prune, review);
            held = review.strict() && !report.warnings().isEmpty();
            if (!dryRun && !held) {
                refused = present.apply(report.changes());
            }
        }
        int applied = dryRun || held ? 0 : report.changes().size() - refused.size();
        PrintWriter out = spec.commandLine().getOut();
        if (output.inJson()) {
            Map<String, Object> json = report.json();
            json.put("applied", applied);
            json.put("refused", refused);
            out.println(JsonText.of(json));
        } else {
            report.print(out);
            Refusals.lines(refused).forEach(line -> out.println("ERROR " + line));
            if (held) {
                out.println("Nothing is changed: --strict takes warnings for errors");
            } else if (dryRun) {
                out.println("Nothing is changed: --dry-run");
            } else {
                out.println(applied + (applied == 1 ? " subscription changed" : " subscriptions changed"));
            }
        }
        return refused.isEmpty() && !held ? ExitCode.OK : ExitCode.DIFFERENT_OR_INVALID;
    }
}
