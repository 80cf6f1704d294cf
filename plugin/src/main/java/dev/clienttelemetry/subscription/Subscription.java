/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.NearestName;
import dev.clienttelemetry.message.Quoted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A CLIENT_METRICS subscription (KIP-714): which clients are to push which metrics, how often. Immutable.
 *
 * @param name the subscription's name, not empty
 * @param metrics prefixes of metric names; {@code *} stands for all. Empty asks for none, yet the interval counts
 * @param intervalMs the push interval in milliseconds, {@value #MIN_INTERVAL_MS} to {@value #MAX_INTERVAL_MS}; empty
 *     where the subscription does not say, which means {@value #DEFAULT_INTERVAL_MS}
 * @param match the selectors, at most one for an attribute, all of which a client must match; empty matches every client
 */
public record Subscription(String name, List<String> metrics, OptionalInt intervalMs, List<MatchSelector> match) {
    /** The config key of the metrics. */
    public static final String METRICS = "metrics";
    /** The config key of the interval. */
    static final String INTERVAL_MS = "interval.ms";
    /** The config key of the selectors. */
    public static final String MATCH = "match";
    /** The entry of {@link #METRICS} that asks for every metric. */
    static final String ALL_METRICS = "*";
    /** The interval where a subscription names none, and the longest that ever takes effect, in milliseconds. */
    static final int DEFAULT_INTERVAL_MS = 300_000;
    /** The shortest interval that Kafka accepts, in milliseconds. */
    static final int MIN_INTERVAL_MS = 100;
    /** The longest interval that Kafka accepts, in milliseconds. */
    static final int MAX_INTERVAL_MS = 3_600_000;

    /** The keys of a subscription's config, in the order in which they are shown. */
    public static final List<String> KEYS = List.of(METRICS, INTERVAL_MS, MATCH);

    /** What can be written where Kafka's {@code match} syntax cannot hold a character. */
    static final String INSTEAD_OF_COMMA = "\\x2C stands for the character itself, and x{2}|x{3} for x{2,3}";

    static final String INSTEAD_OF_EQUALS = "\\x3D stands for the character itself";

    static final List<String> ATTRIBUTE_KEYS =
            Arrays.stream(ClientAttribute.values()).map(ClientAttribute::key).toList();

    private static final String INTERVAL_EXPECTED =
            "a whole number of milliseconds, " + MIN_INTERVAL_MS + " to " + MAX_INTERVAL_MS;

    // ConfigDef's way of splitting a list.
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

    /** Copies the lists. */
    public Subscription {
        metrics = List.copyOf(metrics);
        match = List.copyOf(match);
    }

    /** Returns the interval that counts for this subscription alone, in milliseconds. */
    int effectiveIntervalMs() {
        return Math.min(intervalMs.orElse(DEFAULT_INTERVAL_MS), DEFAULT_INTERVAL_MS);
    }

    /**
     * Returns whether every selector matches.
     *
     * @param client the client
     */
    public boolean matches(ClientAttributes client) {
        for (MatchSelector selector : match) {
            if (!selector.matches(client)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads a subscription from Kafka's own syntax, accepting what Apache Kafka 4.4 accepts: an entry that is there
     * twice counts once, and where {@code match} names an attribute twice the last one counts.
     *
     * @param name the subscription's name
     * @param config the config of the CLIENT_METRICS resource
     * @return the subscription
     * @throws InvalidSubscriptionException naming everything that Kafka would refuse
     */
    public static Subscription fromConfig(String name, Map<String, String> config) {
        List<Problem> problems = new ArrayList<>();
        if (name == null || name.isEmpty()) {
            problems.add(new Problem("name", "an empty name", "a name"));
        }
        for (String key : config.keySet()) {
            if (!KEYS.contains(key)) {
                problems.add(new Problem(Quoted.text(key), "an unknown key", NearestName.expected(key, KEYS)));
            }
        }
        List<String> metrics = list(METRICS, config.get(METRICS), problems);
        OptionalInt intervalMs = interval(config.get(INTERVAL_MS), problems);
        List<MatchSelector> match = selectors(list(MATCH, config.get(MATCH), problems), problems);
        if (!problems.isEmpty()) {
            throw new InvalidSubscriptionException(name, problems);
        }
        return new Subscription(name, metrics, intervalMs, match);
    }

    private static List<String> list(String key, String value, List<Problem> problems) {
        if (value == null || value.trim().isEmpty()) {
            return List.of();
        }
        Set<String> entries = entries(value);
        if (entries.remove("")) {
            problems.add(new Problem(key, "an empty entry", "no comma without an entry on both sides"));
        }
        return List.copyOf(entries);
    }

    /** Splits a value as Kafka does, without repetitions. */
    static Set<String> entries(String value) {
        String text = value.trim();
        return text.isEmpty() ? Set.of() : new LinkedHashSet<>(Arrays.asList(COMMA.split(text, -1)));
    }

    private static OptionalInt interval(String value, List<Problem> problems) {
        if (value == null) {
            return OptionalInt.empty();
        }
        int intervalMs;
        try {
            intervalMs = Integer.parseInt(value.trim());
        } catch (NumberFormatException e) {
            problems.add(new Problem(INTERVAL_MS, "'" + Quoted.text(value) + "'", INTERVAL_EXPECTED));
            return OptionalInt.empty();
        }
        if (intervalMs < MIN_INTERVAL_MS || intervalMs > MAX_INTERVAL_MS) {
            problems.add(new Problem(INTERVAL_MS, "'" + intervalMs + "'", INTERVAL_EXPECTED));
        }
        return OptionalInt.of(intervalMs);
    }

    private static List<MatchSelector> selectors(List<String> entries, List<Problem> problems) {
        Map<ClientAttribute, MatchSelector> selectors = new EnumMap<>(ClientAttribute.class);
        for (int i = 0; i < entries.size(); i++) {
            String entry = entries.get(i);
            int end = i + 1;
            // What has no '=' is no selector but the rest of an expression that a comma of its own has cut.
            while (entry.indexOf('=') > 0
                    && end < entries.size()
                    && entries.get(end).indexOf('=') < 0) {
                end++;
            }
            if (end > i + 1) {
                problems.add(new Problem(
                        MATCH,
                        "the character ',' in '" + Quoted.text(String.join(",", entries.subList(i, end))) + "'",
                        "no ',' within an expression, since it ends the selector; " + INSTEAD_OF_COMMA));
                attribute(entry.substring(0, entry.indexOf('=')).trim(), problems);
                i = end - 1;
                continue;
            }
            // As Apache Kafka splits it: no '=' within the expression, but any number at its end, which it drops.
            String[] parts = entry.split("=");
            if (parts.length != 2) {
                problems.add(
                        parts.length > 2
                                ? new Problem(
                                        MATCH,
                                        "the character '=' in the expression of '" + Quoted.text(entry) + "'",
                                        "no '=' within an expression; " + INSTEAD_OF_EQUALS)
                                : new Problem(MATCH, "'" + Quoted.text(entry) + "'", "attribute=expression"));
                continue;
            }
            String key = parts[0].trim();
            ClientAttribute attribute = attribute(key, problems);
            if (attribute == null) {
                continue;
            }
            String regex = parts[1].trim();
            try {
                selectors.put(attribute, new MatchSelector(attribute, regex));
            } catch (PatternSyntaxException e) {
                problems.add(new Problem(
                        MATCH,
                        "'" + Quoted.text(regex) + "' for " + key,
                        "a regular expression; it is none: " + e.getDescription()));
            }
        }
        return List.copyOf(selectors.values());
    }

    /** Returns the attribute of a name; reports an unknown one, and returns null for it. */
    private static ClientAttribute attribute(String key, List<Problem> problems) {
        ClientAttribute attribute = ClientAttribute.forKey(key).orElse(null);
        if (attribute == null) {
            problems.add(new Problem(
                    MATCH,
                    "the unknown attribute '" + Quoted.text(key) + "'",
                    NearestName.expected(key, ATTRIBUTE_KEYS)));
        }
        return attribute;
    }

    /**
     * Returns the subscription in Kafka's own syntax. What is absent or empty has no entry: Kafka's default then holds.
     *
     * @return the values by {@link #KEYS}, in that order
     */
    Map<String, String> toConfig() {
        Map<String, String> config = new LinkedHashMap<>();
        if (!metrics.isEmpty()) {
            config.put(METRICS, String.join(",", metrics));
        }
        if (intervalMs.isPresent()) {
            config.put(INTERVAL_MS, Integer.toString(intervalMs.getAsInt()));
        }
        if (!match.isEmpty()) {
            config.put(
                    MATCH,
                    String.join(",", match.stream().map(MatchSelector::toString).toList()));
        }
        return config;
    }
}
