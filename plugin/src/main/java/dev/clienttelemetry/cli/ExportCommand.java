/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import dev.clienttelemetry.subscription.InvalidSubscriptionException;
import dev.clienttelemetry.subscription.Subscription;
import dev.clienttelemetry.subscription.SubscriptionFiles;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code client-metrics export}. */
@Command(
        name = "export",
        sortOptions = false,
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        description = "Write a cluster's subscriptions as YAML that apply takes back unchanged.")
final class ExportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterOptions cluster;

    @Override
    public Integer call() throws ClusterException {
        Map<String, Map<String, String>> configs;
        try (ClusterSubscriptions present = cluster.open()) {
            configs = present.read();
        }
        List<Subscription> subscriptions = new ArrayList<>();
        PrintWriter err = spec.commandLine().getErr();
        boolean complete = true;
        for (Map.Entry<String, Map<String, String>> config : configs.entrySet()) {
            String problem = null;
            try {
                Subscription subscription = Subscription.fromConfig(config.getKey(), config.getValue());
                problem = SubscriptionFiles.problemOfFile(subscription);
                if (problem == null) {
                    subscriptions.add(subscription);
                }
            } catch (InvalidSubscriptionException e) {
                problem = e.getMessage();
            }
            if (problem != null) {
                complete = false;
                err.println("Left out: " + Quoted.text(config.getKey()) + ": " + problem);
            }
        }
        spec.commandLine().getOut().print(SubscriptionFiles.toYaml(new SubscriptionSet(subscriptions)));
        spec.commandLine().getOut().flush();
        return complete ? ExitCode.OK : ExitCode.DIFFERENT_OR_INVALID;
    }
}
