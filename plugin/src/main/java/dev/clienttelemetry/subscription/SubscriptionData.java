/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.NearestName;
import dev.clienttelemetry.message.Quoted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The keys in which a ConfigProvider supplies subscriptions: {@code names}, the complete list, comma-separated, and for
 * each name {@code <name>.metrics}, {@code <name>.interval.ms} and {@code <name>.match} in Kafka's CLIENT_METRICS
 * syntax. {@code names} must be there: without it, a source that lost its contents would look like one that supplies no
 * subscription.
 */
final class SubscriptionData {
    static final String NAMES = "names";
    /** What {@link #NAMES} says where there is no subscription, on purpose. */
    static final String NONE = "[]";

    private SubscriptionData() {}

    /** Gets what is wrong with data: the key, whether it is the key itself that is wrong, and the two sides. */
    interface ProblemSink {
        void add(String key, boolean keyItself, String found, String expected);
    }

    /** Returns the data of a set. */
    static Map<String, String> of(SubscriptionSet set) {
        Map<String, String> data = new LinkedHashMap<>();
        data.put(NAMES, String.join(",", set.byName().keySet()));
        for (Subscription subscription : set.subscriptions()) {
            subscription.toConfig().forEach((key, value) -> data.put(subscription.name() + "." + key, value));
        }
        return data;
    }

    /**
     * Reads data. Space around a value does not count: DirectoryConfigProvider's values may end in a newline. Every key
     * must belong to a listed subscription: a misspelt {@code match} would otherwise ask all clients.
     *
     * @param data the data
     * @param problems gets everything that is wrong
     * @return the subscriptions that are right
     */
    static List<Subscription> parse(Map<String, String> data, ProblemSink problems) {
        String list = data.get(NAMES);
        if (list == null) {
            problems.add(NAMES, false, "no key 'names'", "'names' with the complete list of subscriptions");
        }
        // Without the list, what is wrong with the subscriptions that the other keys speak of is told all the same.
        Set<String> names = list == null
                ? namesOfKeys(data.keySet())
                : saysNone(list, data.keySet()) ? Set.of() : names(list, problems);
        Map<String, Map<String, String>> configs = new LinkedHashMap<>();
        names.forEach(name -> configs.put(name, new LinkedHashMap<>()));
        List<String> unknown = new ArrayList<>();
        data.forEach((key, value) -> {
            if (key.equals(NAMES)) {
                return;
            }
            for (String field : Subscription.KEYS) {
                if (key.endsWith("." + field)) {
                    Map<String, String> config = configs.get(key.substring(0, key.length() - field.length() - 1));
                    if (config != null) {
                        if (value != null && Quoted.loneSurrogate(value) >= 0) {
                            problems.add(key, false, SourceError.halfOfACharacter(value), SourceError.WHOLE_CHARACTERS);
                        }
                        config.put(field, value == null ? "" : value.trim());
                        return;
                    }
                }
            }
            if (list != null) {
                unknown.add(key);
            }
        });
        List<String> known = knownKeys(names);
        int told = 0;
        for (String key : unknown) {
            // More are only counted, and comparing each with all known ones takes long.
            String expected = told++ < SourceErrors.MAX_ERRORS ? NearestName.expected(key, known) : "a known key";
            problems.add(key, true, "the unknown key '" + Quoted.text(key) + "'", expected);
        }
        List<Subscription> subscriptions = new ArrayList<>();
        configs.forEach((name, config) -> {
            List<String> given = List.copyOf(config.keySet());
            config.values().removeIf(String::isEmpty);
            if (config.isEmpty() && !given.isEmpty()) {
                problems.add(
                        name + "." + given.get(0),
                        false,
                        "no value in any key of '" + Quoted.text(name) + "'",
                        "at least one value; Kafka cannot keep an empty one");
                return;
            }
            if (config.isEmpty()) {
                problems.add(
                        NAMES,
                        false,
                        "no key of '" + Quoted.text(name) + "'",
                        "at least one of " + String.join(", ", keysOf(Quoted.text(name)))
                                + "; Kafka cannot keep an empty one");
                return;
            }
            try {
                subscriptions.add(Subscription.fromConfig(name, config));
            } catch (InvalidSubscriptionException e) {
                for (Problem problem : e.problems()) {
                    problems.add(name + "." + problem.key(), false, problem.found(), problem.expected());
                }
            }
        });
        return list == null ? List.of() : subscriptions;
    }

    /** Whether the list is that of no subscription; Kafka knows one named '[]' too, which then has keys. */
    private static boolean saysNone(String list, Set<String> keys) {
        return list.trim().isEmpty()
                || list.trim().equals(NONE) && keys.stream().noneMatch(key -> key.startsWith(NONE + "."));
    }

    private static Set<String> namesOfKeys(Set<String> keys) {
        Set<String> names = new LinkedHashSet<>();
        for (String key : keys) {
            for (String field : Subscription.KEYS) {
                if (key.endsWith("." + field) && key.length() > field.length() + 1) {
                    names.add(key.substring(0, key.length() - field.length() - 1));
                }
            }
        }
        return names;
    }

    private static Set<String> names(String list, ProblemSink problems) {
        Set<String> names = new LinkedHashSet<>();
        if (Quoted.loneSurrogate(list) >= 0) {
            problems.add(NAMES, false, SourceError.halfOfACharacter(list), SourceError.WHOLE_CHARACTERS);
        }
        for (String name : list.trim().split("\\s*,\\s*", -1)) {
            String problem = problemOfName(name);
            if (problem != null) {
                problems.add(NAMES, false, "'" + Quoted.text(name) + "' as a name", problem);
            } else if (!names.add(name)) {
                problems.add(NAMES, false, "'" + Quoted.text(name) + "' twice", "each name once");
            }
        }
        return names;
    }

    /** Returns what is right for a name, null where it is right. */
    static String problemOfName(String name) {
        if (name.isEmpty()) {
            return "a name that is not empty";
        }
        if (!name.equals(name.trim())) {
            return "a name without space around it";
        }
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == ',' || Character.isISOControl(name.charAt(i))) {
                return "a name without commas and control characters";
            }
        }
        return null;
    }

    private static List<String> knownKeys(Collection<String> names) {
        List<String> known = new ArrayList<>(List.of(NAMES));
        // A hint, so bounded; the nearest key is most probably among them.
        names.stream().limit(100).forEach(name -> known.addAll(keysOf(name)));
        return known;
    }

    private static List<String> keysOf(String name) {
        return Subscription.KEYS.stream().map(key -> name + "." + key).toList();
    }
}
