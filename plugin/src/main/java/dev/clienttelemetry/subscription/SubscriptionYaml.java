/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.NearestName;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Reads subscriptions from YAML:
 *
 * <pre>
 * subscriptions:
 *   - name: producers
 *     metrics: [org.apache.kafka.producer.]
 *     interval: 30s
 *     match:
 *       client_software_name: apache-kafka-java
 * </pre>
 *
 * <p>What it accepts, Kafka's own syntax can hold and Kafka accepts.
 */
final class SubscriptionYaml {
    static final String SUBSCRIPTIONS = "subscriptions";
    private static final String NAME = "name";
    private static final String METRICS = "metrics";
    private static final String INTERVAL = "interval";
    private static final String MATCH = "match";
    private static final List<String> FIELDS = List.of(NAME, METRICS, INTERVAL, MATCH);

    private static final Pattern INTERVAL_TEXT = Pattern.compile("([0-9]{1,9}) ?(ms|s|m|h)");
    private static final String INTERVAL_EXPECTED = "a number with its unit (ms, s, m or h), 100ms to 1h, such as 30s";

    private final String file;
    private final SourceErrors errors;

    private SubscriptionYaml(String file, SourceErrors errors) {
        this.file = file;
        this.errors = errors;
    }

    /**
     * Reads one file.
     *
     * @param file its path, for errors
     * @param text its text
     * @param errors gets everything that is wrong
     * @param add gets each subscription that is right, with the place of its name
     */
    static void read(String file, String text, SourceErrors errors, SubscriptionSink add) {
        int before = errors.size();
        YamlNode root = YamlComposer.compose(file, text, errors);
        if (root == null) {
            if (errors.size() == before) {
                errors.add(new SourceError(file, 0, 0, "nothing", "'subscriptions:' with a list ([] for none)"));
            }
            return;
        }
        new SubscriptionYaml(file, errors).root(root, add);
    }

    private void root(YamlNode root, SubscriptionSink add) {
        Map<String, YamlNode> fields = fields(root, List.of(SUBSCRIPTIONS), "'subscriptions:' with a list");
        if (fields == null) {
            return;
        }
        YamlNode list = fields.get(SUBSCRIPTIONS);
        if (list == null) {
            error(root, "no 'subscriptions'", "'subscriptions:' with a list ([] for none)");
            return;
        }
        if (!(list instanceof YamlNode.Sequence sequence)) {
            error(list, list.describe(), "a list of subscriptions, each starting with '- name:' ([] for none)");
            return;
        }
        for (YamlNode item : sequence.items()) {
            subscription(item, add);
        }
    }

    private void subscription(YamlNode node, SubscriptionSink add) {
        int before = errors.size();
        Map<String, YamlNode> fields = fields(node, FIELDS, "a subscription: name, metrics, interval, match");
        if (fields == null) {
            return;
        }
        String name = name(node, fields.get(NAME));
        List<String> metrics = metrics(fields.get(METRICS));
        OptionalInt intervalMs = interval(fields.get(INTERVAL));
        List<MatchSelector> match = match(fields.get(MATCH));
        if (errors.size() > before) {
            return;
        }
        if (metrics.isEmpty() && intervalMs.isEmpty() && match.isEmpty()) {
            error(
                    node,
                    "neither metrics nor interval nor match",
                    "at least one; Kafka cannot keep an empty subscription");
            return;
        }
        add.add(
                new Subscription(name, metrics, intervalMs, match),
                fields.get(NAME).line(),
                fields.get(NAME).column());
    }

    private String name(YamlNode subscription, YamlNode node) {
        if (node == null) {
            error(subscription, "no 'name'", "a subscription with a name");
            return null;
        }
        String name = text(node, "a name");
        if (name != null) {
            String problem = SubscriptionData.problemOfName(name);
            if (problem != null) {
                error(node, node.describe(), problem);
            }
        }
        return name;
    }

    private List<String> metrics(YamlNode node) {
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof YamlNode.Sequence sequence)) {
            error(node, node.describe(), "a list of prefixes, such as [org.apache.kafka.producer.]");
            return List.of();
        }
        List<String> metrics = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (YamlNode item : sequence.items()) {
            String metric = text(item, "a prefix of metric names, or \"*\" for all");
            if (metric == null) {
                continue;
            }
            if (metric.isEmpty()) {
                error(item, "an empty text", "a prefix of metric names, or \"*\" for all");
            } else if (metric.indexOf(',') >= 0) {
                error(item, "the character ',' in " + item.describe(), "one prefix for each entry of the list");
            } else if (!metric.equals(metric.trim())) {
                error(item, "space around " + item.describe(), "no space, since Kafka drops it");
            } else if (!seen.add(metric)) {
                error(item, item.describe() + " a second time", "each prefix once");
            } else {
                metrics.add(metric);
            }
        }
        return metrics;
    }

    private OptionalInt interval(YamlNode node) {
        if (node == null) {
            return OptionalInt.empty();
        }
        String text = text(node, INTERVAL_EXPECTED);
        if (text == null) {
            return OptionalInt.empty();
        }
        Matcher matcher = INTERVAL_TEXT.matcher(text);
        if (!matcher.matches()) {
            error(node, node.describe(), INTERVAL_EXPECTED);
            return OptionalInt.empty();
        }
        long ms = Long.parseLong(matcher.group(1))
                * switch (matcher.group(2)) {
                    case "ms" -> 1L;
                    case "s" -> 1000L;
                    case "m" -> 60_000L;
                    default -> 3_600_000L;
                };
        if (ms < Subscription.MIN_INTERVAL_MS || ms > Subscription.MAX_INTERVAL_MS) {
            error(node, node.describe(), INTERVAL_EXPECTED);
            return OptionalInt.empty();
        }
        return OptionalInt.of((int) ms);
    }

    private List<MatchSelector> match(YamlNode node) {
        if (node == null) {
            return List.of();
        }
        Map<String, YamlNode> fields = fields(
                node, Subscription.ATTRIBUTE_KEYS, "attributes with expressions, such as 'client_id: \"billing-.*\"'");
        if (fields == null) {
            return List.of();
        }
        Map<ClientAttribute, MatchSelector> selectors = new EnumMap<>(ClientAttribute.class);
        fields.forEach((key, value) -> {
            String regex = text(value, "a regular expression for the whole value");
            if (regex == null) {
                return;
            }
            String problem = problemOfRegex(regex);
            if (problem != null) {
                String found = regex.isEmpty() ? "an empty text" : value.describe();
                error(value, found, problem);
                return;
            }
            ClientAttribute attribute = ClientAttribute.forKey(key).orElseThrow();
            try {
                selectors.put(attribute, new MatchSelector(attribute, regex));
            } catch (PatternSyntaxException e) {
                error(value, value.describe(), "a regular expression; it is none: " + e.getDescription());
            }
        });
        return List.copyOf(selectors.values());
    }

    /** Returns what Kafka's {@code match} syntax would need instead, null where it can hold the expression. */
    private static String problemOfRegex(String regex) {
        if (regex.isEmpty()) {
            return "a regular expression; '()' matches the empty value";
        }
        if (regex.indexOf(',') >= 0) {
            return "no ',' (Kafka's match syntax cannot hold it); " + Subscription.INSTEAD_OF_COMMA;
        }
        if (regex.indexOf('=') >= 0) {
            return "no '=' (Kafka's match syntax cannot hold it); " + Subscription.INSTEAD_OF_EQUALS;
        }
        if (!regex.equals(regex.trim())) {
            return "no space around it, since Kafka drops it; \\x20 stands for a space";
        }
        return null;
    }

    /** Returns the known fields of a mapping; reports unknown and repeated ones. Null where it is no mapping. */
    private Map<String, YamlNode> fields(YamlNode node, List<String> known, String expected) {
        if (!(node instanceof YamlNode.Mapping mapping)) {
            error(node, node.describe(), expected);
            return null;
        }
        Map<String, YamlNode> fields = new LinkedHashMap<>();
        for (YamlNode.Entry entry : mapping.entries()) {
            String key = entry.key().text();
            if (!known.contains(key)) {
                error(
                        entry.key(),
                        "the unknown key " + entry.key().describe(),
                        errors.isFull() ? "a known key" : NearestName.expected(key, known));
            } else if (fields.putIfAbsent(key, entry.value()) != null) {
                error(entry.key(), "the key '" + key + "' a second time", "each key once");
            }
        }
        return fields;
    }

    private String text(YamlNode node, String expected) {
        if (node instanceof YamlNode.Scalar scalar && !scalar.isNull()) {
            return scalar.text();
        }
        error(node, node.describe(), expected);
        return null;
    }

    private void error(YamlNode at, String found, String expected) {
        errors.add(new SourceError(file, at.line(), at.column(), found, expected));
    }
}
