/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import dev.clienttelemetry.message.NearestName;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;

/**
 * The keys of one map of the configuration as YAML gives them, read with their types. Every exception names the key in
 * full. None shows the value of a key that is not known, since it may be a secret in the wrong place.
 */
final class ConfigSection {
    private final String prefix;
    private final Map<?, ?> values;

    /**
     * Takes a map.
     *
     * @param prefix what stands before the section's keys, empty or with a dot at its end
     * @param values the keys and values
     * @param known the keys that there are
     * @throws ConfigException for another key, with the known one that was probably meant
     */
    ConfigSection(String prefix, Map<?, ?> values, Collection<String> known) {
        this.prefix = prefix;
        this.values = values;
        Set<String> unknown = new TreeSet<>();
        values.keySet().forEach(key -> unknown.add(String.valueOf(key)));
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            String key = unknown.iterator().next();
            throw new ConfigException("Unknown configuration " + prefix + key + ": expected "
                    + NearestName.expected(key, known)
                    + (unknown.size() == 1 ? "" : " (and " + (unknown.size() - 1) + " more)"));
        }
    }

    /** Returns a text, or the default where the key is absent or empty. Numbers and booleans are taken as they read. */
    String text(String key, String absent) {
        Object value = values.get(key);
        if (value == null) {
            return absent;
        }
        if (value instanceof Map || value instanceof Collection) {
            throw new ConfigException(prefix + key + " must be one value, not " + kind(value));
        }
        return value.toString();
    }

    /** Returns a boolean, or the default where the key is absent or empty. */
    boolean flag(String key, boolean absent) {
        Object value = values.get(key);
        if (value == null) {
            return absent;
        }
        if (value instanceof Boolean flag) {
            return flag;
        }
        return switch (text(key, null)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new ConfigException(prefix + key, value, "must be true or false");
        };
    }

    /** Returns a whole number of at least 0, or the default where the key is absent or empty. */
    int wholeNumber(String key, int absent) {
        return (int) wholeNumber(key, absent, Integer.MAX_VALUE);
    }

    /** Returns a whole number of at least 0, or the default where the key is absent or empty. */
    long wholeNumber(String key, long absent) {
        return wholeNumber(key, absent, Long.MAX_VALUE);
    }

    private long wholeNumber(String key, long absent, long most) {
        String text = text(key, null);
        if (text == null) {
            return absent;
        }
        BigDecimal number;
        try {
            number = new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw new ConfigException(prefix + key, text, "must be a whole number");
        }
        if (number.signum() < 0) {
            throw new ConfigException(prefix + key, text, "must not be negative");
        }
        if (number.compareTo(BigDecimal.valueOf(most)) > 0) {
            throw new ConfigException(prefix + key, text, "must be at most " + most);
        }
        try {
            return number.longValueExact();
        } catch (ArithmeticException e) {
            throw new ConfigException(prefix + key, text, "must be a whole number");
        }
    }

    /** Returns a map below a key, null where the key is absent or empty. */
    Map<?, ?> map(String key) {
        Object value = values.get(key);
        if (value == null || value instanceof Map) {
            return (Map<?, ?>) value;
        }
        // The value is not shown: these maps have the secrets.
        throw new ConfigException(prefix + key + " must be a map of keys and values, not " + kind(value));
    }

    /** Returns a map below a key as a broker's properties have it, where YAML has numbers, booleans and lists. */
    Map<String, String> properties(String key) {
        Map<String, String> properties = new LinkedHashMap<>();
        Map<?, ?> map = map(key);
        if (map != null) {
            map.forEach((name, value) -> {
                if (value instanceof List<?> list) {
                    properties.put(
                            String.valueOf(name),
                            list.stream().map(String::valueOf).collect(Collectors.joining(",")));
                } else if (value instanceof Map) {
                    throw new ConfigException(
                            prefix + key + ": " + name + " must be one value; write keys in full, with their dots");
                } else if (value != null) {
                    properties.put(String.valueOf(name), value.toString());
                }
            });
        }
        return properties;
    }

    private static String kind(Object value) {
        return value instanceof Map ? "a map" : value instanceof Collection ? "a list" : "one value";
    }
}
