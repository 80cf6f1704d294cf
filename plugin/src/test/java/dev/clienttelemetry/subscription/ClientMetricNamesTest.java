/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.subscription.ClientMetricNames.ClientType;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.internals.FetchMetricsRegistry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.internals.SenderMetricsRegistry;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.MetricNameTemplate;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.telemetry.internals.MetricNamingStrategy;
import org.apache.kafka.common.telemetry.internals.TelemetryMetricNamingConvention;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.internals.metrics.ClientMetrics;
import org.apache.kafka.streams.processor.internals.StreamThreadTotalBlockedTime;
import org.apache.kafka.streams.processor.internals.metrics.ProcessorNodeMetrics;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;
import org.apache.kafka.streams.processor.internals.metrics.TaskMetrics;
import org.apache.kafka.streams.processor.internals.metrics.ThreadMetrics;
import org.apache.kafka.streams.processor.internals.metrics.TopicMetrics;
import org.apache.kafka.streams.state.internals.metrics.NamedCacheMetrics;
import org.apache.kafka.streams.state.internals.metrics.RocksDBMetrics;
import org.apache.kafka.streams.state.internals.metrics.StateStoreMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The shipped names beside what Kafka's own clients register, named by the clients' own naming strategy. With the system
 * property {@code client.metric.names.write} set to the resource's file in the sources, it is written anew.
 */
class ClientMetricNamesTest {
    private static final MetricNamingStrategy<MetricName> TELEMETRY_NAMES =
            TelemetryMetricNamingConvention.getClientTelemetryMetricNamingStrategy("org.apache.kafka");
    private static final List<ClientType> GENERATED = List.of(
            ClientType.PRODUCER, ClientType.CONSUMER, ClientType.SHARE_CONSUMER, ClientType.ADMIN, ClientType.STREAMS);

    /** Where Kafka Streams registers its metrics, each by a static method. */
    private static final List<Class<?>> STREAMS = List.of(
            ClientMetrics.class,
            ThreadMetrics.class,
            TaskMetrics.class,
            ProcessorNodeMetrics.class,
            TopicMetrics.class,
            StateStoreMetrics.class,
            NamedCacheMetrics.class,
            RocksDBMetrics.class);

    @Test
    void areThoseThatJavaClientsRegister() throws IOException {
        Map<ClientType, Set<String>> registered = registered();
        String file = System.getProperty("client.metric.names.write");
        if (file != null) {
            write(Path.of(file), registered);
        }
        ClientMetricNames shipped = ClientMetricNames.load();
        for (ClientType type : GENERATED) {
            assertThat(shipped.of(type)).as(type.key()).isEqualTo(registered.get(type));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "java-4.4.0-consumer-1, CONSUMER",
        "java-4.4.0-consumer-2, CONSUMER",
        "java-4.4.0-producer-1, PRODUCER",
        "java-4.4.0-producer-2, PRODUCER",
        "librdkafka-2.15-producer-1, LIBRDKAFKA_PRODUCER"
    })
    void holdWhatRealClientsPush(String payload, ClientType type) throws IOException {
        Set<String> pushed = new TreeSet<>();
        try (InputStream in = getClass().getResourceAsStream("/payloads/" + payload + ".otlp")) {
            MetricsData.parseFrom(in).getResourceMetricsList().forEach(resource -> resource.getScopeMetricsList()
                    .forEach(scope -> scope.getMetricsList().forEach(metric -> pushed.add(metric.getName()))));
        }
        assertThat(pushed).isNotEmpty();
        assertThat(ClientMetricNames.load().of(type)).containsAll(pushed);
    }

    @Test
    void areFoundByPrefix() {
        ClientMetricNames names = ClientMetricNames.load();
        assertThat(names.has(ClientType.LIBRDKAFKA_PRODUCER, "org.apache.kafka.producer."))
                .isTrue();
        assertThat(names.has(ClientType.LIBRDKAFKA_PRODUCER, "org.apache.kafka.consumer."))
                .isFalse();
        assertThat(names.has(ClientType.LIBRDKAFKA_CONSUMER, "*")).isTrue();
        assertThat(names.askedFor("org.apache.kafka.producer.record.queue"))
                .containsOnlyKeys(ClientType.PRODUCER, ClientType.LIBRDKAFKA_PRODUCER)
                .extractingByKey(ClientType.LIBRDKAFKA_PRODUCER)
                .isEqualTo(new TreeSet<>(Set.of(
                        "org.apache.kafka.producer.record.queue.time.avg",
                        "org.apache.kafka.producer.record.queue.time.max")));
        assertThat(names.nearest("org.apache.kafka.producers.")).isEqualTo("org.apache.kafka.producer.");
        assertThat(names.nearest("org.apache.kafka.producer.record.sent.rate"))
                .isEqualTo("org.apache.kafka.producer.record.send.rate");
    }

    /** The metrics that clients have once they are connected to something that never answers. */
    private static Map<ClientType, Set<String>> registered() throws IOException {
        Map<ClientType, Set<String>> names = new HashMap<>();
        GENERATED.forEach(type -> names.put(type, new TreeSet<>()));
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Map<String, Object> configs = new HashMap<>();
            configs.put("bootstrap.servers", "localhost:" + silent.getLocalPort());
            configs.put("group.id", "g");
            configs.put("enable.metrics.push", false);
            configs.put("default.api.timeout.ms", 1000);
            configs.put("request.timeout.ms", 500);
            try (KafkaProducer<String, String> producer =
                            new KafkaProducer<>(only(configs), new StringSerializer(), new StringSerializer());
                    Admin admin = Admin.create(only(configs))) {
                admin.describeCluster();
                collect(names.get(ClientType.PRODUCER), "producer-node-metrics", producer::metrics);
                collect(names.get(ClientType.ADMIN), "admin-client-node-metrics", admin::metrics);
                producer.close(Duration.ZERO);
                admin.close(Duration.ZERO);
            }
            for (String protocol : List.of("classic", "consumer")) {
                configs.put("group.protocol", protocol);
                try (KafkaConsumer<String, String> consumer =
                        new KafkaConsumer<>(configs, new StringDeserializer(), new StringDeserializer())) {
                    consumer.subscribe(List.of("t"));
                    collect(names.get(ClientType.CONSUMER), "consumer-node-metrics", () -> {
                        consumer.poll(Duration.ofMillis(10));
                        return consumer.metrics();
                    });
                    consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
                }
            }
            configs.remove("group.protocol");
            try (KafkaShareConsumer<String, String> consumer =
                    new KafkaShareConsumer<>(configs, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("t"));
                collect(names.get(ClientType.SHARE_CONSUMER), "consumer-node-metrics", () -> {
                    consumer.poll(Duration.ofMillis(10));
                    return consumer.metrics();
                });
                consumer.close(Duration.ZERO);
            }
        }
        // Registered for each topic or partition, once there is one.
        try (Metrics metrics = new Metrics()) {
            templates(names.get(ClientType.PRODUCER), new SenderMetricsRegistry(metrics).allTemplates());
        }
        templates(names.get(ClientType.CONSUMER), new FetchMetricsRegistry("consumer").getAllTemplates());
        streams(names.get(ClientType.STREAMS));
        return names;
    }

    /** Calls every method that registers metrics; a sensor's parents are left out, and what is no number with them. */
    private static void streams(Set<String> names) {
        try (Metrics metrics = new Metrics(new MetricConfig().recordLevel(Sensor.RecordingLevel.TRACE))) {
            StreamsMetricsImpl streams = new StreamsMetricsImpl(metrics, "client", Time.SYSTEM);
            RocksDBMetrics.RocksDBMetricContext store =
                    new RocksDBMetrics.RocksDBMetricContext("task", "metrics-scope", "store");
            for (Class<?> type : STREAMS) {
                for (Method method : type.getMethods()) {
                    Object[] arguments = arguments(method, streams, store);
                    if (arguments != null) {
                        try {
                            method.invoke(null, arguments);
                        } catch (ReflectiveOperationException e) {
                            throw new AssertionError(method.toString(), e);
                        }
                    }
                }
            }
            metrics.metrics().forEach((name, metric) -> {
                // Of its gauges this one is asked through an object that only a running thread has.
                if (name.name().equals("blocked-time-ns-total") || metric.metricValue() instanceof Number) {
                    names.add(TELEMETRY_NAMES.metricKey(name).name());
                }
            });
            // The registry's own, which Streams' clients have too.
            names.remove("org.apache.kafka.kafka.count.count");
        }
    }

    private static Object[] arguments(
            Method method, StreamsMetricsImpl streams, RocksDBMetrics.RocksDBMetricContext store) {
        List<Class<?>> types = List.of(method.getParameterTypes());
        if (!Modifier.isStatic(method.getModifiers()) || !types.contains(StreamsMetricsImpl.class)) {
            return null;
        }
        boolean isText = List.of(method.getGenericParameterTypes()).stream()
                .anyMatch(type -> type.getTypeName().equals("org.apache.kafka.common.metrics.Gauge<java.lang.String>"));
        Gauge<Object> gauge = (config, now) -> isText ? "text" : 0;
        List<Object> arguments = new ArrayList<>();
        for (Class<?> type : types) {
            if (type == StreamsMetricsImpl.class) {
                arguments.add(streams);
            } else if (type == RocksDBMetrics.RocksDBMetricContext.class) {
                arguments.add(store);
            } else if (type == String.class) {
                arguments.add("name");
            } else if (type == Gauge.class) {
                arguments.add(gauge);
            } else if (type == int.class) {
                arguments.add(0);
            } else if (type == long.class) {
                arguments.add(0L);
            } else if (type == Sensor[].class) {
                arguments.add(new Sensor[0]);
            } else if (type == StreamThreadTotalBlockedTime.class) {
                arguments.add(null);
            } else {
                throw new AssertionError("an argument of a kind that is new: " + method);
            }
        }
        return arguments.toArray();
    }

    private static Map<String, Object> only(Map<String, Object> configs) {
        return Map.of(
                "bootstrap.servers",
                configs.get("bootstrap.servers"),
                // How long closing waits for the answers that never come.
                "request.timeout.ms",
                500,
                "enable.metrics.push",
                false);
    }

    private static void collect(
            Set<String> names, String awaitedGroup, Supplier<? extends Map<MetricName, ? extends Metric>> metrics) {
        // The last that is registered for a connection: with it all others are there.
        await().atMost(Duration.ofSeconds(30)).until(() -> metrics.get().keySet().stream()
                .anyMatch(
                        name -> name.group().equals(awaitedGroup) && name.name().equals("request-latency-max")));
        metrics.get().forEach((name, metric) -> {
            // What is no number is not pushed.
            if (metric.metricValue() instanceof Number) {
                names.add(TELEMETRY_NAMES.metricKey(name).name());
            }
        });
    }

    private static void templates(Set<String> names, List<MetricNameTemplate> templates) {
        for (MetricNameTemplate template : templates) {
            names.add(TELEMETRY_NAMES
                    .metricKey(new MetricName(template.name(), template.group(), "", Map.of()))
                    .name());
        }
    }

    private static void write(Path file, Map<ClientType, Set<String>> registered) throws IOException {
        StringBuilder text = new StringBuilder();
        ClientMetricNames shipped = ClientMetricNames.load();
        text.append("# The metrics that clients offer: client type, name. Written by ClientMetricNamesTest from the\n")
                .append("# registries of kafka-clients and kafka-streams; librdkafka's lines are kept by hand.\n");
        for (ClientType type : ClientType.values()) {
            for (String name : registered.getOrDefault(type, shipped.of(type))) {
                text.append(type.key()).append(' ').append(name).append('\n');
            }
        }
        Files.writeString(file, text.toString());
    }
}
