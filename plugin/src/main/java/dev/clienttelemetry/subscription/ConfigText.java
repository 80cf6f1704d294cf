/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.types.Password;

/**
 * The host's settings as an operator would write them. Kafka hands them over as Strings at start, and as the types that it
 * has parsed where a reporter is added to a running broker.
 */
public final class ConfigText {
    private ConfigText() {}

    /**
     * Returns a value as text, without blanks around it; a password as it is, so the text may be secret.
     *
     * @param value of whichever type, or null
     */
    public static String of(Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Password password) {
            return password.value();
        }
        if (value instanceof List<?> elements) {
            return elements.stream().map(ConfigText::of).collect(Collectors.joining(","));
        }
        return value.toString().trim();
    }

    /**
     * Returns the elements of a list, without blanks around them and without empty ones.
     *
     * @param value a list or text with commas; null is an empty list
     */
    public static List<String> list(Object value) {
        if (value == null) {
            return List.of();
        }
        return Arrays.stream(of(value).split(","))
                .map(String::trim)
                .filter(element -> !element.isEmpty())
                .toList();
    }
}
