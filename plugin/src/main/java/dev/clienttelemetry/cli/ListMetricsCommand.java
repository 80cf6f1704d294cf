/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.ClientMetricNames;
import dev.clienttelemetry.subscription.ClientMetricNames.ClientType;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code client-metrics list-metrics}. */
@Command(
        name = "list-metrics",
        sortOptions = false,
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        description = {
            "List the metrics that clients offer, by the names and prefixes that subscriptions use: those of the Java"
                    + " clients of Kafka 4.4.0 and of librdkafka.",
            "A name's clients stand behind it. Without --names, groups of names are shown with their number,"
                    + " in all and for each type of client."
        })
final class ListMetricsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "PREFIX", arity = "0..1", defaultValue = "*", description = "Only what it asks for.")
    private String prefix;

    @Option(
            names = "--client",
            paramLabel = "TYPE",
            converter = TypeName.class,
            description = "Only what clients of this type offer: producer, consumer, share-consumer, admin, streams,"
                    + " librdkafka-producer or librdkafka-consumer. May be given several times.")
    private List<ClientType> types;

    @Option(names = "--names", description = "Every name; the default where a PREFIX is given.")
    private boolean everyName;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default. JSON always has every name.")
    private OutputFormat format;

    /** Reads a type by its key. */
    static final class TypeName implements ITypeConverter<ClientType> {
        @Override
        public ClientType convert(String value) {
            for (ClientType type : ClientType.values()) {
                if (type.key().equals(value)) {
                    return type;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of " + List.of(ClientType.values()));
        }
    }

    @Override
    public Integer call() {
        Map<String, List<String>> typesByName = new TreeMap<>();
        for (Map.Entry<ClientType, NavigableSet<String>> asked :
                ClientMetricNames.load().askedFor(prefix).entrySet()) {
            if (types == null || types.contains(asked.getKey())) {
                for (String name : asked.getValue()) {
                    typesByName
                            .computeIfAbsent(name, key -> new ArrayList<>())
                            .add(asked.getKey().key());
                }
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        if (format == OutputFormat.JSON) {
            out.println(JsonText.of(typesByName));
        } else if (everyName || !prefix.equals("*")) {
            typesByName.forEach((name, clients) -> out.println(name + "  (" + String.join(", ", clients) + ")"));
        } else {
            groups(typesByName).forEach((group, line) -> out.println(line));
        }
        if (typesByName.isEmpty()) {
            spec.commandLine().getErr().println("No such metric is known");
            return ExitCode.DIFFERENT_OR_INVALID;
        }
        return ExitCode.OK;
    }

    /** Names under the words that they have in common with at least three others, at most five words. */
    private static Map<String, String> groups(Map<String, List<String>> typesByName) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String name : typesByName.keySet()) {
            prefixes(name).forEach(p -> counts.merge(p, 1, Integer::sum));
        }
        Map<String, List<String>> members = new TreeMap<>();
        for (String name : typesByName.keySet()) {
            String group = name;
            for (String p : prefixes(name)) {
                if (counts.get(p) >= 4) {
                    group = p;
                }
            }
            members.computeIfAbsent(group, key -> new ArrayList<>()).add(name);
        }
        Map<String, String> lines = new LinkedHashMap<>();
        members.forEach((group, names) -> {
            Map<String, Integer> clients = new TreeMap<>();
            names.forEach(name -> typesByName.get(name).forEach(type -> clients.merge(type, 1, Integer::sum)));
            boolean one = names.size() == 1 && names.get(0).equals(group);
            String offered = one
                    ? String.join(", ", clients.keySet())
                    : String.join(
                            ", ",
                            clients.entrySet().stream()
                                    .map(count -> count.getKey() + " " + count.getValue())
                                    .toList());
            lines.put(group, group + "  " + (one ? "" : names.size() + "  ") + "(" + offered + ")");
        });
        return lines;
    }

    private static List<String> prefixes(String name) {
        List<String> prefixes = new ArrayList<>();
        String[] words = name.split("\\.");
        StringBuilder prefix = new StringBuilder();
        for (int i = 0; i < Math.min(words.length - 1, 5); i++) {
            prefix.append(words[i]).append('.');
            if (i >= 3) {
                prefixes.add(prefix.toString());
            }
        }
        return prefixes;
    }
}
