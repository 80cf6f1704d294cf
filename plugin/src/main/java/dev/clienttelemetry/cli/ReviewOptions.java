/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.Quoted;
import dev.clienttelemetry.subscription.SubscriptionReview;
import dev.clienttelemetry.subscription.SubscriptionReview.Circumstances;
import dev.clienttelemetry.subscription.SubscriptionSet;
import dev.clienttelemetry.subscription.SubscriptionWarning;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** How a set is judged. */
final class ReviewOptions {
    private static final Pattern VERSION = Pattern.compile("[0-9]{1,4}\\.[0-9]{1,4}\\.[0-9]{1,4}([.-][A-Za-z0-9.-]+)?");

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    private long clients;
    private String kafkaVersion;

    @Option(names = "--strict", description = "Take warnings for errors.")
    private boolean strict;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "How many clients the cluster has, to judge intervals by; 1000 are assumed.")
    private void clients(long number) {
        if (number < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--clients is " + number + "; a number of clients is 1 or more");
        }
        clients = number;
    }

    @Option(
            names = "--kafka-version",
            paramLabel = "VERSION",
            description = "The brokers' version, to judge broad subscriptions by; the newest is assumed.")
    private void kafkaVersion(String version) {
        if (!VERSION.matcher(version).matches()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--kafka-version is '" + Quoted.text(version) + "'; a version of Kafka looks like 4.2.1");
        }
        kafkaVersion = version;
    }

    boolean strict() {
        return strict;
    }

    List<SubscriptionWarning> review(SubscriptionSet inForce) {
        return SubscriptionReview.of(
                inForce, new Circumstances(Circumstances.boundsDecompressedPushes(kafkaVersion), clients));
    }

    static Map<String, Object> json(SubscriptionWarning warning) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("subscription", warning.subscription());
        json.put("kind", warning.kind().name().toLowerCase(Locale.ROOT));
        json.put("reason", warning.reason());
        json.put("remedy", warning.remedy());
        return json;
    }
}
