/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.broker.KafkaCluster;
import dev.clienttelemetry.examples.receiver.Answer;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.metrics.MetricsPage;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The metrics about the plugin in JMX and at the OTLP receiver, while known traffic runs. One broker for all, so that the
 * minute after which its client instances expire passes once; hence the order.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OwnMetricsIT {
    private static final Path PAYLOADS = Path.of("src", "test", "resources", "payloads");
    /** An OTLP MetricsData that ends within its first message. */
    private static final byte[] TRUNCATED = {0x0a, 0x05, 0x01};

    private static final Map<String, String> COMPONENT = Map.of(
            "otel.component.type", "dev.clienttelemetry.export.PushExporter",
            "otel.component.name", "dev.clienttelemetry.export.PushExporter/0",
            "server.address", "127.0.0.1");

    private static BrokerWithPlugin broker;
    private static BrokerJmx jmx;
    private static byte[] payload;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        Path subscriptions = Files.writeString(
                directory.resolve(
                        "subscriptions.properties"), // An interval in which two pushes are too many also when the
                // second is slow to come.
                "names=all\nall.metrics=*\nall.interval.ms=20000\n");
        payload = Files.readAllBytes(PAYLOADS.resolve("java-4.4.0-consumer-1.otlp"));
        broker = BrokerWithPlugin.builder()
                .property("otel.metric.export.interval", "500")
                .property("otel.resource.attributes", "deployment.environment.name=test%20bed")
                .property("otel.exporter.otlp.timeout", "2000")
                .property("client.telemetry.buffer.max.bytes", "1048576")
                .property("client.telemetry.batch.max.bytes", "262144")
                .interval(null)
                .property("config.providers", "subscriptions")
                .property("config.providers.subscriptions.class", FileConfigProvider.class.getName())
                .property("client.telemetry.subscriptions.provider", "subscriptions")
                .property("client.telemetry.subscriptions.path", subscriptions.toString())
                // What is meant for an OpenTelemetry agent in the broker's process must not touch us.
                .cluster(cluster -> cluster.jmx()
                        .environment("OTEL_SDK_DISABLED", "true")
                        .environment("OTEL_METRICS_EXPORTER", "none")
                        .environment("OTEL_CONFIG_FILE", "no-such-file.yaml")
                        .environment("OTEL_SERVICE_NAME", "the-agents"))
                .start();
        jmx = BrokerJmx.of(broker.node());
        broker.awaitRequestedMetrics(KafkaCluster.DEFAULT_LISTENER, List.of("*"));
    }

    @AfterAll
    static void stop() throws Exception {
        try {
            if (jmx != null) {
                jmx.close();
            }
        } finally {
            if (broker != null) {
                broker.close();
            }
        }
    }

    @Test
    @Order(1)
    void everyPushIsCounted() throws Exception {
        int pushes = 20;
        Map<String, Double> before = ours(
                "ClientMetricsPushCount",
                "ClientMetricsPushBytes",
                "ClientMetricsPluginExportCount",
                "ClientMetricsPluginExportTimeMs",
                "ClientMetricsPluginExportTimeMsBucket,le=inf",
                "ClientMetricsPluginErrorCount",
                "ClientMetricsPushDroppedCount");

        for (int i = 0; i < pushes; i++) {
            assertThat(pushOnce(payload)).isEqualTo(Errors.NONE);
        }

        assertThat(since(before, "ClientMetricsPushCount")).isEqualTo(pushes);
        assertThat(since(before, "ClientMetricsPushBytes")).isEqualTo(pushes * (double) payload.length);
        assertThat(since(before, "ClientMetricsPluginExportCount")).isEqualTo(pushes);
        assertThat(since(before, "ClientMetricsPluginExportTimeMsBucket,le=inf"))
                .isEqualTo(pushes);
        assertThat(since(before, "ClientMetricsPluginExportTimeMs")).isPositive();
        assertThat(since(before, "ClientMetricsPluginErrorCount")).isZero();
        assertThat(since(before, "ClientMetricsPushDroppedCount")).isZero();
        assertThat(jmx.ours("ClientMetricsActiveInstanceCount")).isGreaterThanOrEqualTo(pushes);
        awaitAtReceiver("client_telemetry.push.received", Map.of(), jmx.ours("ClientMetricsPushCount"));
        awaitAtReceiver("client_telemetry.push.size", Map.of(), jmx.ours("ClientMetricsPushBytes"));
        awaitAtReceiver("client_telemetry.plugin.exports", Map.of(), jmx.ours("ClientMetricsPluginExportCount"));
        awaitJmx("ClientMetricsBackendReachable", 1);
        awaitJmx("ClientMetricsPushPendingCount", 0);
        assertThat(jmx.ours("ClientMetricsPointSentCount")).isEqualTo(pointsOfClients());
        awaitAtReceiver(
                "otel.sdk.exporter.metric_data_point.exported", COMPONENT, jmx.ours("ClientMetricsPointSentCount"));
        assertThat(jmx.ours("ClientMetricsDeliveryTimeMsBucket,le=inf")).isPositive();
        assertThat(jmx.ours("ClientMetricsDeliveryTimeMs")).isPositive();
    }

    @Test
    @Order(2)
    void aMalformedPushIsOneErrorWithItsReason() throws Exception {
        Map<String, Double> before = ours(
                "ClientMetricsPluginErrorCount",
                "ClientMetricsPluginErrorCount,reason=truncated",
                "ClientMetricsPluginExportCount",
                "ClientMetricsPushCount");

        assertThat(pushOnce(TRUNCATED)).isEqualTo(Errors.INVALID_RECORD);

        assertThat(since(before, "ClientMetricsPluginErrorCount")).isEqualTo(1);
        assertThat(since(before, "ClientMetricsPluginErrorCount,reason=truncated"))
                .isEqualTo(1);
        assertThat(since(before, "ClientMetricsPluginExportCount")).isEqualTo(1);
        assertThat(since(before, "ClientMetricsPushCount")).isZero();
        awaitAtReceiver(
                "client_telemetry.plugin.errors",
                Map.of("error.type", "truncated"),
                jmx.ours("ClientMetricsPluginErrorCount,reason=truncated"));
    }

    @Test
    @Order(3)
    void aThrottledClientIsCountedAndStaysCountedWhenItIsGone() throws Exception {
        double before = jmx.ours("ClientMetricsThrottleCount");
        String brokersOwn;
        try (RawClient client = new RawClient(broker.cluster().bootstrapServers(), "too-fast")) {
            client.subscribe();
            brokersOwn = "kafka.server:type=client-metrics,client_instance_id=" + client.clientInstanceId();
            assertThat(client.push(payload)).isEqualTo(Errors.NONE);
            assertThat(client.push(payload)).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
            assertThat(client.push(payload)).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);

            assertThat(jmx.ours("ClientMetricsThrottleCount") - before).isEqualTo(2);
            assertThat(jmx.isThere(brokersOwn)).isTrue();
        }
        await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> !jmx.isThere(brokersOwn));

        assertThat(jmx.ours("ClientMetricsThrottleCount") - before).isEqualTo(2);
        awaitAtReceiver("client_telemetry.throttled.requests", Map.of(), before + 2);
        // What the documentation offers for what is not counted.
        assertThat(jmx.isThere(
                        "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=GetTelemetrySubscriptions,*"))
                .isTrue();
    }

    @Test
    @Order(4)
    void aHungCollectorShowsAsUnreachableWithAnOldPushAndDrops() throws Exception {
        Map<String, Double> before =
                ours("ClientMetricsPushDroppedCount", "ClientMetricsPushDroppedCount,reason=buffer_full");
        broker.receiver().answerWith(request -> new Answer.Stall(false));
        // Converted they are a third of their size: twice what the buffer holds.
        for (int i = 0; i < 6 * (1 << 20) / payload.length; i++) {
            assertThat(pushOnce(payload)).isEqualTo(Errors.NONE);
        }

        awaitJmx("ClientMetricsBackendReachable", 0);
        // The first request of pushes need not be the first to time out: own metrics are sent too.
        await().atMost(BrokerWithPlugin.ARRIVAL).untilAsserted(() -> {
            assertThat(since(before, "ClientMetricsPushDroppedCount,reason=buffer_full"))
                    .isPositive();
            assertThat(jmx.ours("ClientMetricsPushPendingCount")).isPositive();
            assertThat(jmx.ours("ClientMetricsOldestPushAgeMs")).isGreaterThan(1_000);
            assertThat(jmx.ours("ClientMetricsBufferBytes")).isBetween(1.0, jmx.ours("ClientMetricsBufferLimitBytes"));
            assertThat(jmx.ours("ClientMetricsRequestErrorCount,reason=timeout"))
                    .isPositive();
            assertThat(jmx.ours("ClientMetricsPointInFlightCount")).isPositive();
        });

        // Of what was in a request, too, something is to be dropped, which takes a push in the time between two
        // attempts.
        await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> {
            assertThat(pushOnce(payload)).isEqualTo(Errors.NONE);
            return jmx.ours("ClientMetricsPointFailedCount,reason=timeout") > 0;
        });

        broker.receiver().answerWith(request -> Answer.ACCEPT);

        awaitJmx("ClientMetricsBackendReachable", 1);
        awaitJmx("ClientMetricsBufferBytes", 0);
        awaitJmx("ClientMetricsOldestPushAgeMs", 0);
        awaitJmx("ClientMetricsPointInFlightCount", 0);
        awaitJmx("ClientMetricsPushPendingCount", 0);
        assertThat(jmx.ours("ClientMetricsPushDeliveredCount")
                        + jmx.ours("ClientMetricsPushDroppedCount")
                        + jmx.ours("ClientMetricsPushEmptyCount"))
                .isEqualTo(jmx.ours("ClientMetricsPushCount"));
        assertThat(jmx.ours("ClientMetricsPushCount") + jmx.ours("ClientMetricsPluginErrorCount"))
                .isEqualTo(jmx.ours("ClientMetricsPluginExportCount"));
        awaitAtReceiver("client_telemetry.backend.reachable", Map.of(), 1);
        Map<String, String> timedOut = new HashMap<>(COMPONENT);
        timedOut.put("error.type", "timeout");
        awaitAtReceiver(
                "otel.sdk.exporter.metric_data_point.exported",
                timedOut,
                jmx.ours("ClientMetricsPointFailedCount,reason=timeout"));
        awaitAtReceiver(
                "client_telemetry.push.dropped",
                Map.of("error.type", "buffer_full"),
                jmx.ours("ClientMetricsPushDroppedCount,reason=buffer_full"));
    }

    @Test
    @Order(5)
    void theDocumentedTableIsWhatTheBrokerExposes() throws Exception {
        Set<String> documentedMBeans = new TreeSet<>();
        Map<String, Set<String>> documentedOtel = new TreeMap<>();
        for (List<String> row : MetricsPage.rows("## The table")) {
            documentedMBeans.addAll(MetricsPage.codes(row.get(1)));
            List<String> otel = MetricsPage.codes(row.get(2));
            // In OpenTelemetry failures are counted by the histogram of their durations, and what has no value is
            // absent.
            boolean absent = row.get(2).contains("(its count)")
                    || row.get(2).contains("gateway only")
                    || row.get(4).contains("before the first error");
            if (!otel.isEmpty() && !absent) {
                documentedOtel
                        .computeIfAbsent(
                                otel.get(0) + " in "
                                        + MetricsPage.codes(row.get(3)).get(0),
                                name -> new TreeSet<>())
                        .addAll(otel.size() > 1 ? otel.subList(1, 2) : List.of());
            }
        }
        Map<String, Set<String>> exposed = new TreeMap<>();
        for (Metric metric : own().values().stream().flatMap(List::stream).toList()) {
            exposed.computeIfAbsent(metric.getName() + " in " + metric.getUnit(), name -> new TreeSet<>())
                    .addAll(attributeKeys(metric));
        }

        assertThat(jmx.ours()).isEqualTo(documentedMBeans);
        assertThat(exposed).isEqualTo(documentedOtel);
    }

    @Test
    @Order(6)
    void theResourceSaysWhichBrokerItIs() throws Exception {
        Map<String, String> resource = own().keySet().iterator().next();

        assertThat(resource)
                .containsEntry("service.name", "kafka-client-telemetry")
                .containsEntry("kafka.node.id", "1")
                .containsEntry("deployment.environment.name", "test bed")
                .containsEntry("service.instance.id", resource.get("kafka.cluster.id") + "/1");
        assertThat(resource.get("kafka.cluster.id")).hasSize(22);
    }

    /** While the instances of the other broker wait for their end. */
    @ParameterizedTest
    @Order(7)
    @CsvSource({"3.7.2, false", "3.9.2, true"})
    void whatABrokerDoesNotCountIsAbsent(String version, boolean hasGroup) throws Exception {
        try (BrokerWithPlugin older = BrokerWithPlugin.builder()
                        .version(version)
                        .interval(Duration.ofSeconds(20))
                        .cluster(KafkaCluster.Builder::jmx)
                        .start();
                BrokerJmx olderJmx = BrokerJmx.of(older.node())) {
            try (RawClient client = new RawClient(older.cluster().bootstrapServers(), "too-fast")) {
                client.subscribe();
                assertThat(client.push(payload)).isEqualTo(Errors.NONE);
                assertThat(client.push(payload)).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
            }

            assertThat(olderJmx.ours("ClientMetricsPushCount")).isEqualTo(1);
            assertThat(olderJmx.ours())
                    .doesNotContain("ClientMetricsNewInstanceCount", "ClientMetricsUnknownInstanceCount");
            List<String> ofTheGroup = List.of(
                    "ClientMetricsInstanceCount",
                    "ClientMetricsThrottleCount",
                    "ClientMetricsUnknownSubscriptionRequestCount");
            if (hasGroup) {
                assertThat(olderJmx.ours()).containsAll(ofTheGroup);
                assertThat(olderJmx.ours("ClientMetricsThrottleCount")).isEqualTo(1);
                assertThat(olderJmx.ours("ClientMetricsInstanceCount")).isPositive();
            } else {
                assertThat(olderJmx.ours()).doesNotContainAnyElementsOf(ofTheGroup);
            }
            // What the documentation offers instead.
            assertThat(olderJmx.isThere("kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=PushTelemetry,"
                            + "error=THROTTLING_QUOTA_EXCEEDED"))
                    .isTrue();
        }
    }

    @Test
    @Order(8)
    void silentInstancesExpireAfterAMinute() throws Exception {
        Duration aMinuteAndTheWorkersTick = Duration.ofSeconds(75);
        await().atMost(aMinuteAndTheWorkersTick)
                .untilAsserted(() ->
                        assertThat(jmx.ours("ClientMetricsActiveInstanceCount")).isZero());

        assertThat(jmx.ours("ClientMetricsInstanceEndedCount,reason=expired")).isGreaterThan(20);
        assertThat(jmx.ours("ClientMetricsInstanceEndedCount,reason=evicted")).isZero();
        assertThat(jmx.ours("ClientMetricsSeriesCount")).isZero();
    }

    @Test
    @Order(9)
    void theMBeansGoWithThePluginAndComeBackWithIt() throws Exception {
        reporters("org.apache.kafka.common.metrics.JmxReporter");
        await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> jmx.ours().isEmpty());

        reporters("org.apache.kafka.common.metrics.JmxReporter," + BrokerWithPlugin.REPORTER);
        await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> !jmx.ours().isEmpty());

        assertThat(jmx.ours("ClientMetricsPushCount")).isZero();
        // The broker hands pushes to a plugin somewhat later than it configures it.
        await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> {
            assertThat(pushOnce(payload)).isEqualTo(Errors.NONE);
            return jmx.ours("ClientMetricsPushCount") == 1;
        });
        assertThat(pushOnce(payload)).isEqualTo(Errors.NONE);
        assertThat(jmx.ours("ClientMetricsPushCount")).isEqualTo(2);
        // The broker told its metrics to the new instance when it was added.
        assertThat(jmx.ours()).contains("ClientMetricsInstanceCount", "ClientMetricsThrottleCount");
    }

    private static Errors pushOnce(byte[] bytes) throws IOException {
        try (RawClient client = new RawClient(broker.cluster().bootstrapServers(), "pushes-once")) {
            client.subscribe();
            return client.push(bytes);
        }
    }

    private static void reporters(String classes) throws Exception {
        try (Admin admin = broker.admin()) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.BROKER, "1"),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("metric.reporters", classes), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    private static Map<String, Double> ours(String... names) throws Exception {
        Map<String, Double> values = new HashMap<>();
        for (String name : names) {
            values.put(name, jmx.ours(name));
        }
        return values;
    }

    private static double since(Map<String, Double> before, String name) throws Exception {
        return jmx.ours(name) - before.get(name);
    }

    private static void awaitJmx(String name, double value) {
        await().atMost(BrokerWithPlugin.ARRIVAL)
                .untilAsserted(() -> assertThat(jmx.ours(name)).as(name).isEqualTo(value));
    }

    private static void awaitAtReceiver(String name, Map<String, String> attributes, double value) {
        await().atMost(BrokerWithPlugin.ARRIVAL)
                .untilAsserted(
                        () -> assertThat(latest(name, attributes)).as(name).isEqualTo(value));
    }

    /** Returns the newest value of one of our own metrics at the receiver. */
    private static Double latest(String name, Map<String, String> attributes) {
        Double latest = null;
        for (ReceivedRequest request : broker.requests()) {
            for (Metric metric :
                    ownIn(request).values().stream().flatMap(List::stream).toList()) {
                if (metric.getName().equals(name)) {
                    List<NumberDataPoint> points = metric.hasSum()
                            ? metric.getSum().getDataPointsList()
                            : metric.getGauge().getDataPointsList();
                    for (NumberDataPoint point : points) {
                        // The port is another one with each run.
                        Map<String, String> found = map(point.getAttributesList());
                        found.remove("server.port");
                        if (found.equals(attributes)) {
                            latest = point.hasAsInt() ? point.getAsInt() : point.getAsDouble();
                        }
                    }
                }
            }
        }
        return latest;
    }

    /** Each once: what is answered too late for the plugin comes again. */
    private static long pointsOfClients() {
        return broker.points(point -> !point.resource().containsKey("kafka.node.id")).stream()
                .map(point ->
                        List.of(point.resource(), point.name(), point.attributes(), (Object) point.timeUnixNano()))
                .distinct()
                .count();
    }

    private static Map<Map<String, String>, List<Metric>> own() {
        Map<Map<String, String>, List<Metric>> own = new LinkedHashMap<>();
        for (ReceivedRequest request : broker.requests()) {
            ownIn(request).forEach((resource, metrics) -> own.computeIfAbsent(resource, absent -> new ArrayList<>())
                    .addAll(metrics));
        }
        assertThat(own).hasSize(1);
        return own;
    }

    private static Map<Map<String, String>, List<Metric>> ownIn(ReceivedRequest request) {
        Map<Map<String, String>, List<Metric>> own = new LinkedHashMap<>();
        for (ResourceMetrics resource : request.message().getResourceMetricsList()) {
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                if (scope.getScope().getName().equals("dev.clienttelemetry")) {
                    own.computeIfAbsent(map(resource.getResource().getAttributesList()), absent -> new ArrayList<>())
                            .addAll(scope.getMetricsList());
                }
            }
        }
        return own;
    }

    private static Set<String> attributeKeys(Metric metric) {
        List<List<KeyValue>> ofPoints = new ArrayList<>();
        metric.getSum().getDataPointsList().forEach(point -> ofPoints.add(point.getAttributesList()));
        metric.getGauge().getDataPointsList().forEach(point -> ofPoints.add(point.getAttributesList()));
        metric.getHistogram().getDataPointsList().forEach(point -> ofPoints.add(point.getAttributesList()));
        return ofPoints.stream()
                .flatMap(List::stream)
                .map(KeyValue::getKey)
                .filter(key -> !key.startsWith("otel.component.") && !key.startsWith("server."))
                .collect(Collectors.toSet());
    }

    private static Map<String, String> map(List<KeyValue> attributes) {
        return attributes.stream()
                .collect(Collectors.toMap(
                        KeyValue::getKey, attribute -> attribute.getValue().getStringValue()));
    }
}
