/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.InvalidSourceException;
import dev.clienttelemetry.subscription.SourceError;
import dev.clienttelemetry.subscription.SubscriptionSet;
import dev.clienttelemetry.subscription.SubscriptionWarning;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code client-metrics validate}. */
@Command(
        name = "validate",
        sortOptions = false,
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        description = "Check files of subscriptions: every error with its place, and warnings of what would hurt.")
final class ValidateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SourceArgument source;

    @Mixin
    private ReviewOptions review;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() {
        List<SourceError> errors = List.of();
        List<SubscriptionWarning> warnings = List.of();
        int subscriptions = 0;
        try {
            SubscriptionSet set = source.read();
            subscriptions = set.subscriptions().size();
            warnings = review.review(set);
        } catch (InvalidSourceException e) {
            errors = e.errors();
        }
        boolean valid = errors.isEmpty() && (warnings.isEmpty() || !review.strict());
        PrintWriter out = spec.commandLine().getOut();
        if (output.inJson()) {
            out.println(JsonText.of(json(valid, subscriptions, errors, warnings)));
        } else {
            errors.forEach(error -> out.println("ERROR " + error));
            warnings.forEach(warning -> out.println((review.strict() ? "ERROR " : "WARNING ") + warning));
            out.println(
                    valid
                            ? source + ": " + subscriptions + (subscriptions == 1 ? " subscription" : " subscriptions")
                                    + ", valid"
                            : source + ": invalid");
        }
        return valid ? ExitCode.OK : ExitCode.DIFFERENT_OR_INVALID;
    }

    private static Map<String, Object> json(
            boolean valid, int subscriptions, List<SourceError> errors, List<SubscriptionWarning> warnings) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("valid", valid);
        json.put("subscriptions", subscriptions);
        json.put("errors", errors.stream().map(ValidateCommand::json).toList());
        json.put("warnings", warnings.stream().map(ReviewOptions::json).toList());
        return json;
    }

    private static Map<String, Object> json(SourceError error) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", error.file());
        json.put("line", error.line());
        json.put("column", error.column());
        json.put("found", error.found());
        json.put("expected", error.expected());
        return json;
    }
}
