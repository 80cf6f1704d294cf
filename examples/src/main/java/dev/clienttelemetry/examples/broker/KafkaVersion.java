/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A released version of Kafka.
 *
 * @param major for example 4
 * @param minor for example 2
 * @param patch for example 0
 */
public record KafkaVersion(int major, int minor, int patch) implements Comparable<KafkaVersion> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");

    /**
     * Reads a version as it is written, for example {@code 4.4.0}.
     *
     * @throws IllegalArgumentException where the text is no such version
     */
    public static KafkaVersion of(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no version of Kafka; one looks like 4.4.0 (three numbers)");
        }
        return new KafkaVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    /** Returns whether this version is {@code major.minor} or later. */
    public boolean isAtLeast(int major, int minor) {
        return compareTo(new KafkaVersion(major, minor, 0)) >= 0;
    }

    @Override
    public int compareTo(KafkaVersion other) {
        int byMajor = Integer.compare(major, other.major);
        int byMinor = Integer.compare(minor, other.minor);
        return byMajor != 0 ? byMajor : byMinor != 0 ? byMinor : Integer.compare(patch, other.patch);
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
