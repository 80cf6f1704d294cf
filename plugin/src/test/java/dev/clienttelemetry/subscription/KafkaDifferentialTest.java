/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequest;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsResponse;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.server.ClientMetricsManager;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;

/**
 * The model beside Apache Kafka's own classes on generated input. The differences are closed: prefixes that others cover
 * are removed, the SubscriptionId has another value, and a match is bounded in steps (the generated values stay below).
 */
class KafkaDifferentialTest {
    /** Apache Kafka's class waits some 20 ms for a thread of its own when it is closed: nearly all the time of a try. */
    private static final ExecutorService CLOSING = Executors.newFixedThreadPool(4, r -> {
        Thread thread = new Thread(r, "closing");
        thread.setDaemon(true);
        return thread;
    });

    private static final List<String> PREFIXES = List.of(
            "*",
            "org.apache.kafka.",
            "org.apache.kafka.producer.",
            "org.apache.kafka.producer.record",
            "org.apache.kafka.consumer.",
            "org.apache.kafka.consumer.fetch.manager.",
            "a",
            "ab",
            "b*");
    private static final List<String> REGEXES = List.of(
            ".*",
            "a.*",
            "a",
            "b",
            "apache-kafka-java",
            "[ab]+",
            "(?i)A",
            "librdkafka|sarama",
            "unknown",
            "4\\..*",
            "127\\.0\\.0\\.1",
            "^a$",
            "",
            "\\d+",
            "(a",
            "[",
            "a{2}",
            "*",
            "\\x2C",
            "a=b",
            "=",
            "a==",
            " a ");
    private static final List<String> KEYS = List.of(
            "client_instance_id",
            "client_id",
            "client_software_name",
            "client_software_version",
            "client_source_address",
            "client_source_port",
            "client_ids",
            "CLIENT_ID",
            "",
            " client_id ");

    @Provide
    Arbitrary<Map<String, String>> configs() {
        Arbitrary<String> separator = Arbitraries.of(",", " , ", ",,", "\n,");
        Arbitrary<String> metrics = Combinators.combine(
                        Arbitraries.frequencyOf(
                                        Tuple.of(9, Arbitraries.of(PREFIXES)),
                                        Tuple.of(1, Arbitraries.strings().ofMaxLength(4)))
                                .list()
                                .ofMaxSize(3),
                        Arbitraries.frequencyOf(Tuple.of(6, Arbitraries.just(",")), Tuple.of(1, separator)))
                .as((list, comma) -> String.join(comma, list));
        Arbitrary<String> interval = Arbitraries.frequencyOf(
                Tuple.of(8, Arbitraries.integers().between(100, 3_600_000).map(String::valueOf)),
                Tuple.of(
                        2,
                        Arbitraries.of(
                                "99",
                                "100",
                                "3600000",
                                "3600001",
                                "0",
                                "-1",
                                "1e3",
                                "",
                                " 500 ",
                                "+500",
                                "2147483648",
                                "0x64",
                                "５００",
                                "500\n")));
        Arbitrary<String> entry = Combinators.combine(
                        Arbitraries.frequencyOf(
                                Tuple.of(9, Arbitraries.of(KEYS.subList(0, 6))), Tuple.of(1, Arbitraries.of(KEYS))),
                        Arbitraries.frequencyOf(
                                Tuple.of(6, Arbitraries.of(REGEXES.subList(0, 12))),
                                Tuple.of(1, Arbitraries.of(REGEXES)),
                                Tuple.of(
                                        1,
                                        Arbitraries.strings()
                                                .withChars("ab.*[](){}|\\=, ^$?+")
                                                .ofMaxLength(6))),
                        Arbitraries.frequencyOf(
                                Tuple.of(20, Arbitraries.just("=")), Tuple.of(1, Arbitraries.of(" = ", ":", "==", ""))))
                .as((key, regex, equals) -> key + equals + regex);
        Arbitrary<String> match = entry.list().ofMaxSize(3).map(list -> String.join(",", list));
        return Combinators.combine(
                        metrics.optional(0.9),
                        interval.optional(0.7),
                        match.optional(0.7),
                        Arbitraries.frequency(Tuple.of(30, ""), Tuple.of(1, "interval"), Tuple.of(1, "Metrics")))
                .as((m, i, s, unknown) -> {
                    Map<String, String> config = new LinkedHashMap<>();
                    m.ifPresent(v -> config.put("metrics", v));
                    i.ifPresent(v -> config.put("interval.ms", v));
                    s.ifPresent(v -> config.put("match", v));
                    if (!unknown.isEmpty()) {
                        config.put(unknown, "1");
                    }
                    return config;
                });
    }

    @Provide
    Arbitrary<ClientAttributes> clients() {
        Arbitrary<String> names =
                Arbitraries.of("a", "b", "ab", "aa", "A", "", "apache-kafka-java", "librdkafka", "unknown", "a\nb");
        return Combinators.combine(
                        Arbitraries.longs(),
                        Arbitraries.longs(),
                        names.injectNull(0.1),
                        names,
                        Arbitraries.of("4.4.0", "2.5.0", "unknown", "a", ""),
                        Arbitraries.of("127.0.0.1", "10.1.2.3", "2001:db8::1"),
                        Arbitraries.integers().between(1, 65535))
                .as((most, least, id, software, version, address, port) -> new ClientAttributes(
                        new Uuid(most | 2, least),
                        id,
                        software,
                        version,
                        hostAddress(address),
                        Integer.toString(port)));
    }

    @Property(tries = 8000)
    void acceptsAndRefusesWhatKafkaDoes(@ForAll("configs") Map<String, String> config) {
        boolean kafka = acceptedByKafka(config);
        boolean ours = accepted(config);
        Statistics.label("accepted").collect(kafka);
        Statistics.label("accepted").coverage(c -> {
            c.check(true).percentage(p -> p > 20);
            c.check(false).percentage(p -> p > 20);
        });
        assertThat(ours).as("%s", config).isEqualTo(kafka);
    }

    @Property(tries = 1500)
    void asksAClientForWhatKafkaDoes(
            @ForAll("configSets") List<Map<String, String>> configs, @ForAll("clients") ClientAttributes client)
            throws Exception {
        List<Subscription> subscriptions = new ArrayList<>();
        ClientMetricsManager kafka = new ClientMetricsManager(null, 1 << 20, Time.SYSTEM, new Metrics());
        try {
            for (Map<String, String> config : configs) {
                // An update without properties deletes.
                if (accepted(config) && !config.isEmpty()) {
                    String name = "s" + subscriptions.size();
                    subscriptions.add(Subscription.fromConfig(name, config));
                    Properties properties = new Properties();
                    properties.putAll(config);
                    kafka.updateSubscription(name, properties);
                }
            }
            GetTelemetrySubscriptionsResponse response = kafka.processGetTelemetrySubscriptionRequest(
                    new GetTelemetrySubscriptionsRequest.Builder(
                                    new GetTelemetrySubscriptionsRequestData()
                                            .setClientInstanceId(client.clientInstanceId()),
                                    true)
                            .build(),
                    context(client));
            CompiledSubscription ours = new SubscriptionSet(subscriptions).compile(client);

            Set<String> requested = new HashSet<>(response.data().requestedMetrics());
            Statistics.label("asked for metrics").collect(!requested.isEmpty());
            Statistics.label("asked for metrics").coverage(c -> c.check(true).percentage(p -> p > 15));
            assertThat(new HashSet<>(ours.metrics())).isEqualTo(withoutCovered(requested));
            assertThat(ours.intervalMs()).isEqualTo(response.data().pushIntervalMs());
        } finally {
            CLOSING.execute(() -> Utils.closeQuietly(kafka, "Apache Kafka's own class"));
        }
    }

    @Provide
    Arbitrary<List<Map<String, String>>> configSets() {
        return configs().filter(KafkaDifferentialTest::acceptedByKafka).list().ofMaxSize(5);
    }

    private static Set<String> withoutCovered(Set<String> prefixes) {
        Set<String> kept = new HashSet<>(prefixes);
        kept.removeIf(p -> prefixes.stream().anyMatch(q -> !q.equals(p) && p.startsWith(q)));
        return kept;
    }

    private static boolean acceptedByKafka(Map<String, String> config) {
        try {
            Properties properties = new Properties();
            properties.putAll(config);
            ClientMetricsConfigs.validate("name", properties);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static boolean accepted(Map<String, String> config) {
        try {
            Subscription.fromConfig("name", config);
            return true;
        } catch (InvalidSubscriptionException e) {
            return false;
        }
    }

    private static String hostAddress(String address) {
        return address(address).getHostAddress();
    }

    private static InetAddress address(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static RequestContext context(ClientAttributes client) {
        return new RequestContext(
                new RequestHeader(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, (short) 0, client.clientId(), 1),
                "connection",
                address(client.sourceAddress()),
                Optional.of(Integer.parseInt(client.sourcePort())),
                KafkaPrincipal.ANONYMOUS,
                ListenerName.normalised("PLAINTEXT"),
                SecurityProtocol.PLAINTEXT,
                new ClientInformation(client.softwareName(), client.softwareVersion()),
                false,
                Optional.empty());
    }
}
