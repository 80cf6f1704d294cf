/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.subscription.ClientAttribute;
import dev.clienttelemetry.subscription.ClientAttributes;
import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import dev.clienttelemetry.subscription.CompiledSubscription;
import dev.clienttelemetry.subscription.InvalidSourceException;
import dev.clienttelemetry.subscription.MatchSelector;
import dev.clienttelemetry.subscription.Subscription;
import dev.clienttelemetry.subscription.SubscriptionFiles;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.Uuid;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code client-metrics match}. */
@Command(
        name = "match",
        sortOptions = false,
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        description = {
            "Show which subscriptions match a client, why the others do not, and what the client is asked for.",
            "What is not given is not known: a selector on it does not match."
        })
final class MatchCommand implements Callable<Integer> {
    private static final String OCTET = "(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
    private static final String IPV4 = OCTET + "(?:\\." + OCTET + "){3}";

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "PATH",
            arity = "0..1",
            description = "A YAML or properties file, or a directory of them; instead of a cluster.")
    private Path path;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--client-id", paramLabel = "ID", required = true, description = "client.id.")
    private String clientId;

    @Option(names = "--software-name", paramLabel = "NAME", description = "For example apache-kafka-java.")
    private String softwareName;

    @Option(names = "--software-version", paramLabel = "VERSION", description = "For example 4.4.0.")
    private String softwareVersion;

    @Option(names = "--address", paramLabel = "IP", description = "The client's address.")
    private String address;

    @Option(names = "--port", paramLabel = "PORT", description = "The client's port.")
    private String port;

    @Option(
            names = "--instance-id",
            paramLabel = "ID",
            description = "The client instance id, 22 characters. With a PATH the SubscriptionId is shown too; brokers"
                    + " compute theirs differently.")
    private String instanceId;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws InvalidSourceException, ClusterException {
        if ((path == null) == !cluster.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(), "Either a PATH or --bootstrap-server says where the subscriptions are");
        }
        ClientAttributes client =
                new ClientAttributes(instanceId(), clientId, softwareName, softwareVersion, address(), port());
        SubscriptionSet set;
        if (path != null) {
            set = SubscriptionFiles.read(path);
        } else {
            try (ClusterSubscriptions present = cluster.open()) {
                set = SubscriptionSet.EMPTY.with(present.read());
            }
        }
        CompiledSubscription compiled = set.compile(client);
        Integer subscriptionId = path == null || client.clientInstanceId() == null
                ? null
                : compiled.subscriptionId(client.clientInstanceId());
        PrintWriter out = spec.commandLine().getOut();
        if (output.inJson()) {
            out.println(JsonText.of(json(set, client, compiled, subscriptionId)));
        } else {
            print(out, set, client, compiled, subscriptionId);
        }
        return ExitCode.OK;
    }

    private Uuid instanceId() {
        if (instanceId == null) {
            return null;
        }
        try {
            Uuid id = Uuid.fromString(instanceId);
            if (id.toString().equals(instanceId)) {
                return id;
            }
        } catch (IllegalArgumentException e) {
            // As below.
        }
        throw wrong("--instance-id", instanceId, "22 characters such as 6Vob0uS6RPqrN0FtDYlUiQ are right");
    }

    private String port() {
        if (port == null || port.matches("0|[1-9][0-9]{0,4}") && Integer.parseInt(port) <= 65535) {
            return port;
        }
        throw wrong("--port", port, "a number up to 65535 is right");
    }

    /** Returns the address as brokers write it, which is what selectors are held against. */
    private String address() {
        if (address == null) {
            return null;
        }
        int percent = address.indexOf('%');
        String zone = percent < 0 ? "" : address.substring(percent);
        String numbers = percent < 0 ? address : address.substring(0, percent);
        boolean literal = numbers.matches(IPV4) && zone.isEmpty()
                || numbers.indexOf(':') >= 0
                        && numbers.matches("[0-9A-Fa-f:.]+")
                        && zone.matches("(%[a-zA-Z0-9._-]+)?");
        try {
            if (literal) {
                // Never looks a name up: it has one of the two forms of an address.
                return InetAddress.getByName(numbers).getHostAddress() + zone;
            }
        } catch (UnknownHostException e) {
            // As below.
        }
        throw wrong(
                "--address",
                address,
                "an IP address such as 10.0.0.7 or 2001:db8::7 is right; names are not looked up");
    }

    private ParameterException wrong(String option, String value, String right) {
        return new ParameterException(spec.commandLine(), option + " is '" + Quoted.text(value) + "'; " + right);
    }

    private static void print(
            PrintWriter out,
            SubscriptionSet set,
            ClientAttributes client,
            CompiledSubscription compiled,
            Integer subscriptionId) {
        if (set.subscriptions().isEmpty()) {
            out.println("There are no subscriptions");
        }
        for (Subscription subscription : set.subscriptions()) {
            List<String> misses = misses(subscription, client);
            out.println(Quoted.text(subscription.name()) + (misses.isEmpty() ? ": matches" : ": does not match"));
            misses.forEach(miss -> out.println("    " + miss));
        }
        out.println();
        if (compiled.metrics().isEmpty()) {
            out.println("Requested metrics: none");
        } else {
            out.println("Requested metrics:");
            compiled.metrics().forEach(metric -> out.println("    " + metric));
        }
        out.println("Push interval: " + compiled.intervalMs() + " ms");
        if (subscriptionId != null) {
            out.println("SubscriptionId: " + subscriptionId);
        }
    }

    private static List<String> misses(Subscription subscription, ClientAttributes client) {
        List<String> misses = new ArrayList<>();
        for (MatchSelector selector : subscription.match()) {
            String regex = Quoted.text(selector.regex());
            ClientAttribute attribute = selector.attribute();
            switch (selector.test(client)) {
                case MATCH -> {
                    // Nothing to tell.
                }
                case UNKNOWN_VALUE -> misses.add(attribute.key() + " is not given, and '" + regex + "' must match it");
                case NO_MATCH ->
                    misses.add(attribute.key() + " is '" + Quoted.text(client.value(attribute)) + "', which '" + regex
                            + "' does not match as a whole");
                case BOUND_EXCEEDED ->
                    misses.add("'" + regex + "' takes more than " + MatchSelector.MAX_STEPS + " steps on "
                            + attribute.key() + " '" + Quoted.text(client.value(attribute)) + "'; a broker goes on");
                default -> throw new IllegalStateException();
            }
        }
        return misses;
    }

    private static Map<String, Object> json(
            SubscriptionSet set, ClientAttributes client, CompiledSubscription compiled, Integer subscriptionId) {
        List<Map<String, Object>> subscriptions = new ArrayList<>();
        for (Subscription subscription : set.subscriptions()) {
            List<String> misses = misses(subscription, client);
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("subscription", subscription.name());
            one.put("matches", misses.isEmpty());
            one.put("misses", misses);
            subscriptions.add(one);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("subscriptions", subscriptions);
        json.put("requestedMetrics", compiled.metrics());
        json.put("pushIntervalMs", compiled.intervalMs());
        if (subscriptionId != null) {
            json.put("subscriptionId", subscriptionId);
        }
        return json;
    }
}
