/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.NearestName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The metrics that clients offer, by the names under which they push them. The Java clients' come from their own
 * registries (kafka-clients 4.4.0), librdkafka's from its documentation. Immutable.
 */
public final class ClientMetricNames {
    private static final String RESOURCE = "client-metric-names.txt";

    private final Map<ClientType, NavigableSet<String>> names;

    /** A kind of client that has metrics of its own. */
    public enum ClientType {
        /** {@code KafkaProducer}. */
        PRODUCER("producer"),
        /** {@code KafkaConsumer}. */
        CONSUMER("consumer"),
        /** {@code KafkaShareConsumer}. */
        SHARE_CONSUMER("share-consumer"),
        /** {@code KafkaAdminClient}. */
        ADMIN("admin"),
        /** Kafka Streams, which pushes through its consumers and its Admin client. */
        STREAMS("streams"),
        /** A producer of librdkafka or one of its bindings. */
        LIBRDKAFKA_PRODUCER("librdkafka-producer"),
        /** A consumer of librdkafka or one of its bindings. */
        LIBRDKAFKA_CONSUMER("librdkafka-consumer");

        private final String key;

        ClientType(String key) {
            this.key = key;
        }

        /** Returns the name in the command line and in the resource. */
        public String key() {
            return key;
        }

        /** Returns the name, as the command line shows and takes it. */
        @Override
        public String toString() {
            return key;
        }
    }

    private ClientMetricNames(Map<ClientType, NavigableSet<String>> names) {
        this.names = names;
    }

    /** Reads the names from the jar. */
    public static ClientMetricNames load() {
        Map<ClientType, NavigableSet<String>> names = new EnumMap<>(ClientType.class);
        Map<String, ClientType> types = new TreeMap<>();
        for (ClientType type : ClientType.values()) {
            names.put(type, new TreeSet<>());
            types.put(type.key(), type);
        }
        try (InputStream in = ClientMetricNames.class.getResourceAsStream(RESOURCE);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.isEmpty() || line.startsWith("#")) {
                    continue;
                }
                int space = line.indexOf(' ');
                names.get(types.get(line.substring(0, space))).add(line.substring(space + 1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ClientMetricNames(names);
    }

    /** Returns the names of one type, sorted. */
    public NavigableSet<String> of(ClientType type) {
        return Collections.unmodifiableNavigableSet(names.get(type));
    }

    /** Returns whether a client of the type has a metric that the prefix asks for; {@code *} asks for all. */
    public boolean has(ClientType type, String prefix) {
        if (prefix.equals(Subscription.ALL_METRICS)) {
            return true;
        }
        String first = names.get(type).ceiling(prefix);
        return first != null && first.startsWith(prefix);
    }

    /** Returns whether any client has a metric that the prefix asks for. */
    boolean has(String prefix) {
        return names.keySet().stream().anyMatch(type -> has(type, prefix));
    }

    /**
     * Returns the names that a prefix asks for, by client type; types without any are left out.
     *
     * @param prefix a prefix, or {@code *}
     */
    public SortedMap<ClientType, NavigableSet<String>> askedFor(String prefix) {
        SortedMap<ClientType, NavigableSet<String>> asked = new TreeMap<>();
        names.forEach((type, all) -> {
            NavigableSet<String> some = new TreeSet<>();
            for (String name : all) {
                if (prefix.equals(Subscription.ALL_METRICS) || name.startsWith(prefix)) {
                    some.add(name);
                }
            }
            if (!some.isEmpty()) {
                asked.put(type, some);
            }
        });
        return asked;
    }

    /** Returns the known name or group of names that is nearest to a prefix no client has, null where none is near. */
    String nearest(String prefix) {
        NavigableSet<String> candidates = new TreeSet<>();
        int depth = (int) prefix.chars().filter(c -> c == '.').count() + (prefix.endsWith(".") ? 0 : 1);
        names.values()
                .forEach(all -> all.forEach(name -> {
                    String[] parts = name.split("\\.");
                    if (parts.length > depth) {
                        candidates.add(String.join(".", Arrays.copyOf(parts, depth)) + ".");
                    }
                    if (parts.length >= depth) {
                        candidates.add(String.join(".", Arrays.copyOf(parts, depth)));
                    }
                }));
        return NearestName.of(prefix, candidates);
    }
}
