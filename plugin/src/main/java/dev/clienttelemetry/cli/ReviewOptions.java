/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.subscription.SubscriptionReview;
import dev.clienttelemetry.subscription.SubscriptionReview.Circumstances;
import dev.clienttelemetry.subscription.SubscriptionSet;
import dev.clienttelemetry.subscription.SubscriptionWarning;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How a set is judged. */
final class ReviewOptions {
    private static final Pattern VERSION = Pattern.compile("[0-9]{1,4}\\.[0-9]{1,4}\\.[0-9]{1,4}([.-][A-Za-z0-9.-]+)?");

    // Fields, for help shows them as they stand here; methods come in an order that the JVM chooses.
    @Option(names = "--strict", description = "Take warnings for errors.")
    private boolean strict;

    @Option(
            names = "--clients",
            paramLabel = "N",
            converter = NumberOfClients.class,
            description = "How many clients the cluster has, to judge intervals by; 1000 are assumed.")
    private long clients;

    @Option(
            names = "--kafka-version",
            paramLabel = "VERSION",
            converter = KafkaVersion.class,
            description = "The brokers' version, to judge broad subscriptions by; the newest is assumed.")
    private String kafkaVersion;

    /** Reads a number of clients. */
    static final class NumberOfClients implements ITypeConverter<Long> {
        @Override
        public Long convert(String value) {
            try {
                long number = Long.parseLong(value);
                if (number >= 1) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // As below.
            }
            throw new TypeConversionException(
                    "it is '" + Quoted.text(value) + "', and a number of clients is 1 or more");
        }
    }

    /** Reads a version of Kafka. */
    static final class KafkaVersion implements ITypeConverter<String> {
        @Override
        public String convert(String value) {
            if (VERSION.matcher(value).matches()) {
                return value;
            }
            throw new TypeConversionException(
                    "it is '" + Quoted.text(value) + "', and a version of Kafka looks like 4.2.1");
        }
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
