/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import dev.clienttelemetry.examples.receiver.Answer;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.metrics.InstanceEnd;
import dev.clienttelemetry.pipeline.CapturedLog;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryContext;
import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The two reporters as Kafka uses them, down to a real OTLP receiver. */
@SuppressWarnings("removal") // KIP-714's interface is what brokers before 4.2 have.
class ReporterTest {
    private static final byte[] PAYLOAD = PushPayloadTest.resource("/payloads/java-4.4.0-producer-1.otlp");
    private static final byte[] NEXT_PAYLOAD = PushPayloadTest.resource("/payloads/java-4.4.0-producer-2.otlp");
    private static final RequestContext CONTEXT =
            RequestClientTest.context("app", "10.1.2.3", 5000, "alice", "apache-kafka-java", "4.4.0");

    private final Queue<ReceivedRequest> requests = new ConcurrentLinkedQueue<>();
    private final CapturedLog log = new CapturedLog();
    private final Uuid id = Uuid.randomUuid();
    private OtlpReceiver receiver;

    @BeforeEach
    void start() throws IOException {
        receiver = OtlpReceiver.start(requests::add);
    }

    @AfterEach
    void stop() {
        receiver.close();
        log.close();
    }

    @Test
    void aPushThroughKip1217ArrivesWithItsLabels() {
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(reporter, Map.of());

            reporter.clientTelemetryExporter().exportMetrics(context(CONTEXT, 30_000), Push.of(id, PAYLOAD));

            assertLabels();
        }
    }

    @Test
    void aPushThroughKip714ArrivesWithItsLabels() {
        try (ClientTelemetryReceiverReporter reporter = new ClientTelemetryReceiverReporter()) {
            start(reporter, Map.of());

            reporter.clientReceiver().exportMetrics(CONTEXT, Push.of(id, PAYLOAD));

            assertLabels();
        }
    }

    @Test
    void whatIsNotFromServerPropertiesIsToldAtTheStart() {
        System.setProperty("otel.exporter.otlp.headers", "authorization=s3cret");
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(reporter, Map.of());
        } finally {
            System.clearProperty("otel.exporter.otlp.headers");
        }
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(reporter, Map.of());
        }

        assertThat(log.lines("Not from server.properties"))
                .singleElement()
                .asString()
                .contains("otel.exporter.otlp.headers (from the system property otel.exporter.otlp.headers)")
                .doesNotContain("s3cret");
    }

    @Test
    void everyLabelCanBeHad() {
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(
                    reporter,
                    Map.of(
                            "client.telemetry.labels",
                            "cluster_id,client_source_port,listener_name,security_protocol",
                            "client.telemetry.service.name",
                            "=kafka-client"));

            reporter.clientTelemetryExporter().exportMetrics(context(CONTEXT, 30_000), Push.of(id, PAYLOAD));

            assertThat(awaitResource())
                    .containsEntry("cluster_id", "cluster-1")
                    .containsEntry("client_source_port", "5000")
                    .containsEntry("listener_name", "CLIENTS")
                    .containsEntry("security_protocol", "SASL_SSL")
                    .containsEntry("service.name", "kafka-client")
                    .containsEntry("service.instance.id", id.toString())
                    .doesNotContainKeys("client_id", "principal", "broker_id", "client_instance_id");
        }
    }

    private void assertLabels() {
        assertThat(awaitResource())
                .containsEntry("client_instance_id", id.toString())
                .containsEntry("client_id", "app")
                .containsEntry("client_software_name", "apache-kafka-java")
                .containsEntry("client_software_version", "4.4.0")
                .containsEntry("client_source_address", "10.1.2.3")
                .containsEntry("principal", "User:alice")
                .containsEntry("broker_id", "7")
                .containsEntry("service.name", "app")
                .containsEntry("service.instance.id", id.toString())
                .doesNotContainKeys("client_source_port", "listener_name", "security_protocol", "cluster_id");
    }

    @Test
    void bytesThatAreNoOtlpAreRefusedAndTheNextPushIsTaken() {
        try (ClientTelemetryReceiverReporter reporter = new ClientTelemetryReceiverReporter()) {
            start(reporter, Map.of());
            ClientTelemetryReceiver kafkas = reporter.clientReceiver();

            assertThatThrownBy(() -> kafkas.exportMetrics(
                            CONTEXT, Push.of(Uuid.randomUuid(), Arrays.copyOf(PAYLOAD, PAYLOAD.length - 1))))
                    .isInstanceOf(InvalidRecordException.class)
                    .hasMessageContaining("is refused: Not sound OTLP at byte ")
                    .satisfies(thrown -> {
                        assertThat(thrown.getStackTrace()).isEmpty();
                        assertThat(thrown.getCause()).isNull();
                        assertThat(thrown.getMessage()).hasSizeLessThan(300).matches("\\p{Print}+");
                    });
            kafkas.exportMetrics(CONTEXT, Push.of(id, PAYLOAD));

            assertLabels();
        }
    }

    @Test
    void aMalformedTerminatingPushEndsItsInstanceAllTheSame() {
        try (ClientTelemetryReceiverReporter reporter = new ClientTelemetryReceiverReporter()) {
            start(reporter, Map.of());
            ClientTelemetryReceiver kafkas = reporter.clientReceiver();
            byte[] truncated = Arrays.copyOf(NEXT_PAYLOAD, NEXT_PAYLOAD.length - 1);
            kafkas.exportMetrics(CONTEXT, Push.of(id, PAYLOAD));

            assertThatThrownBy(() -> kafkas.exportMetrics(CONTEXT, Push.last(Uuid.randomUuid(), truncated)))
                    .isInstanceOf(InvalidRecordException.class);
            assertThat(reporter.metrics().instancesEnded().total()).isZero();
            assertThatThrownBy(() -> kafkas.exportMetrics(CONTEXT, Push.last(id, truncated)))
                    .isInstanceOf(InvalidRecordException.class);

            assertThat(reporter.metrics().instancesEnded().total(InstanceEnd.TERMINATED))
                    .isEqualTo(1);
        }
    }

    @Test
    void nothingButARefusalEscapes() {
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(reporter, Map.of());
            ClientTelemetryExporter kafkas = reporter.clientTelemetryExporter();

            assertThatCode(() -> {
                        kafkas.exportMetrics(context(CONTEXT, 1000), null);
                        kafkas.exportMetrics(
                                context(CONTEXT, 1000), new Push(null, false, null, ByteBuffer.wrap(PAYLOAD)));
                        kafkas.exportMetrics(context(CONTEXT, 1000), new Push(id, false, null, null));
                        kafkas.exportMetrics(context(CONTEXT, -1), Push.of(id, new byte[0]));
                        kafkas.exportMetrics(
                                context(CONTEXT, 1000), new Push(id, true, "", ByteBuffer.wrap(new byte[0])));
                        kafkas.exportMetrics(context(null, 0), Push.of(Uuid.randomUuid(), PAYLOAD));
                        kafkas.exportMetrics(null, Push.of(Uuid.randomUuid(), PAYLOAD));
                        kafkas.exportMetrics(context(CONTEXT, 1000), new Broken());
                    })
                    .doesNotThrowAnyException();
            kafkas.exportMetrics(
                    context(CONTEXT, 1000), new Push(id, false, "something else", ByteBuffer.wrap(PAYLOAD)));

            assertLabels();
            assertThat(log.lines("could not be taken in")).hasSize(1);
        }
    }

    private record Broken() implements org.apache.kafka.server.telemetry.ClientTelemetryPayload {
        @Override
        public Uuid clientInstanceId() {
            throw new NoSuchMethodError("another Kafka");
        }

        @Override
        public boolean isTerminating() {
            return false;
        }

        @Override
        public String contentType() {
            return null;
        }

        @Override
        public ByteBuffer data() {
            return null;
        }
    }

    @Test
    void whatKafka37LeavesCompressedIsTakenOrDroppedButNeverRefusedForItsSize() throws IOException {
        byte[] compressed = PushPayloadTest.compress(Codec.ZSTD, PAYLOAD);
        try (ClientTelemetryReceiverReporter reporter = new ClientTelemetryReceiverReporter(true)) {
            start(reporter, Map.of("telemetry.max.bytes", String.valueOf(PAYLOAD.length)));
            ClientTelemetryReceiver kafkas = reporter.clientReceiver();

            kafkas.exportMetrics(
                    CONTEXT, Push.of(id, PushPayloadTest.compress(Codec.GZIP, new byte[PAYLOAD.length + 1])));
            kafkas.exportMetrics(CONTEXT, Push.of(id, compressed));

            assertLabels();
            assertThatThrownBy(() -> kafkas.exportMetrics(
                            CONTEXT, Push.of(id, Arrays.copyOf(compressed, compressed.length - 20))))
                    .isInstanceOf(InvalidRecordException.class)
                    .hasMessageContaining("begins like zstd but does not decompress");
        }
    }

    @Test
    void whereKafkaDecompressesACompressedPayloadIsRefused() throws IOException {
        byte[] compressed = PushPayloadTest.compress(Codec.GZIP, PAYLOAD);
        try (ClientTelemetryReceiverReporter reporter = new ClientTelemetryReceiverReporter();
                ClientTelemetryReporter newer = new ClientTelemetryReporter()) {
            start(reporter, Map.of());
            start(newer, Map.of());

            assertThatThrownBy(() -> reporter.clientReceiver().exportMetrics(CONTEXT, Push.of(id, compressed)))
                    .isInstanceOf(InvalidRecordException.class);
            assertThatThrownBy(() -> newer.clientTelemetryExporter()
                            .exportMetrics(context(CONTEXT, 30_000), Push.of(id, compressed)))
                    .isInstanceOf(InvalidRecordException.class);
        }
    }

    @Test
    void closingSendsWhatWaitsAndLeavesNoThread() {
        ClientTelemetryReporter reporter = new ClientTelemetryReporter();
        start(reporter, Map.of("client.telemetry.batch.linger.ms", "60000"));
        reporter.clientTelemetryExporter().exportMetrics(context(CONTEXT, 30_000), Push.of(id, PAYLOAD));

        reporter.close();

        assertThat(resources()).isNotEmpty();
        awaitNoThreads();
    }

    @Test
    void aClosedReporterTakesNothingSaysNothingAndHoldsNothing() {
        ClientTelemetryReporter reporter = new ClientTelemetryReporter();
        start(reporter, Map.of());
        ClientTelemetryExporter kafkas = reporter.clientTelemetryExporter();
        reporter.close();
        WeakReference<ClientTelemetryReporter> weak = new WeakReference<>(reporter);
        reporter = null;
        int lines = log.lines().size();
        int sent = requests.size();

        for (int i = 0; i < 100; i++) {
            kafkas.exportMetrics(context(CONTEXT, 1000), Push.of(id, PAYLOAD));
            kafkas.exportMetrics(context(CONTEXT, 1000), Push.of(id, new byte[] {1, 2, 3}));
            kafkas.exportMetrics(null, null);
        }

        assertThat(requests).hasSize(sent);
        assertThat(log.lines()).hasSize(lines);
        await().until(() -> {
            System.gc();
            return weak.get() == null;
        });
        assertThat(kafkas).isNotNull();
    }

    @Test
    void aReporterThatWasNeverOrWronglyConfiguredCloses() {
        ClientTelemetryReporter never = new ClientTelemetryReporter();
        never.close();
        never.close();
        ClientTelemetryReporter wrongly = new ClientTelemetryReporter();

        assertThatThrownBy(() -> wrongly.configure(Map.of("client.telemetry.batch.linger.ms", "x")))
                .isInstanceOf(ConfigException.class);
        assertThatThrownBy(() -> wrongly.configure(Map.of("otel.exporter.otlp.endpoint", "collector:4317")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("otel.exporter.otlp.endpoint");
        wrongly.init(List.of());
        wrongly.clientTelemetryExporter().exportMetrics(context(CONTEXT, 1000), Push.of(id, PAYLOAD));
        wrongly.close();

        awaitNoThreads();
    }

    @Test
    @Timeout(value = 90, unit = TimeUnit.SECONDS) // Each of 20 closes has five seconds and must not need them.
    void removingAndAddingAgainAndAgainLeavesNothingBehind() {
        for (int i = 0; i < 20; i++) {
            try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
                start(reporter, Map.of());
                reporter.clientTelemetryExporter()
                        .exportMetrics(context(CONTEXT, 1000), Push.of(Uuid.randomUuid(), PAYLOAD));
            }
            awaitNoThreads();
        }
        assertThat(resources().stream()
                        .map(resource -> resource.get("client_instance_id"))
                        .distinct())
                .hasSize(20);
    }

    @Test
    @Timeout(value = 300, unit = TimeUnit.SECONDS) // Half the timeout of a request.
    void aBackendThatNeverAnswersDoesNotKeepABrokerFromStopping() {
        receiver.answerWith(request -> new Answer.Stall(false));
        ClientTelemetryReporter reporter = new ClientTelemetryReporter();
        start(reporter, Map.of("otel.exporter.otlp.timeout", "600000"));
        for (int i = 0; i < 200; i++) {
            reporter.clientTelemetryExporter()
                    .exportMetrics(context(CONTEXT, 1000), Push.of(Uuid.randomUuid(), PAYLOAD));
        }
        await().until(() -> !requests.isEmpty());

        reporter.close();

        awaitNoThreads();
        assertThat(log.lines("Client telemetry has stopped"))
                .singleElement()
                .asString()
                .endsWith("dropped pushes that still waited: 200");
    }

    @Test
    void aHostThatTellsNoContextStillGetsARunningPipeline() {
        try (ClientTelemetryReceiverReporter reporter = new ClientTelemetryReceiverReporter()) {
            reporter.configure(Map.of(
                    "otel.exporter.otlp.endpoint", receiver.grpcEndpoint().toString()));

            reporter.clientReceiver().exportMetrics(CONTEXT, Push.of(id, PAYLOAD));

            assertThat(awaitResource()).containsEntry("client_id", "app").doesNotContainKey("broker_id");
        }
    }

    @Test
    void theNodesIdComesFromTheContextOrElseFromTheConfiguration() {
        try (ClientTelemetryReceiverReporter reporter = new ClientTelemetryReceiverReporter()) {
            reporter.configure(Map.of(
                    "otel.exporter.otlp.endpoint", receiver.grpcEndpoint().toString(), "broker.id", 12));
            reporter.contextChange(new KafkaMetricsContext("kafka.server", Map.of("kafka.cluster.id", "c")));

            reporter.clientReceiver().exportMetrics(CONTEXT, Push.of(id, PAYLOAD));

            assertThat(awaitResource()).containsEntry("broker_id", "12");
        }
    }

    @Test
    void aControllerStartsNothing() {
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(reporter, Map.of("process.roles", "controller"));

            awaitNoThreads();
            assertThat(log.lines()).singleElement().satisfies(line -> assertThat(line)
                    .startsWith("INFO This node is a controller and no broker"));
        }
    }

    @Test
    void theStartSaysInOneLineWhatIsInForceAndNoSecret() {
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(reporter, Map.of("otel.exporter.otlp.headers", "authorization=s3cret"));

            assertThat(log.lines()).singleElement().satisfies(line -> assertThat(line)
                    .startsWith("INFO Kafka Client Telemetry ")
                    .contains(
                            receiver.grpcEndpoint().toString(),
                            "grpc",
                            "authorization",
                            "labels: client_instance_id, client_id, client_software_name, client_software_version,"
                                    + " client_source_address, principal, broker_id",
                            "service.name: client_id")
                    .doesNotContain("s3cret"));
        }
    }

    @Test
    void aMissingJmxReporterAndZooKeeperModeAreWarnedOf() {
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(
                    reporter,
                    Map.of(
                            "metric.reporters",
                            "dev.clienttelemetry.reporter.ClientTelemetryReporter",
                            "zookeeper.connect",
                            "zk:2181"));

            assertThat(log.lines("WARN"))
                    .hasSize(2)
                    .anySatisfy(line ->
                            assertThat(line).contains("does not name org.apache.kafka.common.metrics.JmxReporter"))
                    .anySatisfy(line -> assertThat(line).contains("ZooKeeper mode"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/payloads/java-4.4.0-consumer-1.otlp"})
    void aPushCostsItsCallerLittleMoreMemoryThanTheCopy(String resource) {
        byte[] payload = PushPayloadTest.resource(resource);
        Push push = Push.of(id, payload);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (ClientTelemetryReporter reporter = new ClientTelemetryReporter()) {
            start(reporter, Map.of());
            ClientTelemetryExporter kafkas = reporter.clientTelemetryExporter();
            ClientTelemetryContext context = context(CONTEXT, 30_000);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 50; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 20; i++) {
                    kafkas.exportMetrics(context, push);
                }
                least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / 20);
            }

            assertThat(least).isBetween((long) payload.length, payload.length * 12L / 10);
        }
    }

    private void start(BrokerReporter reporter, Map<String, ?> more) {
        Map<String, Object> configs = new HashMap<>();
        configs.put("otel.exporter.otlp.endpoint", receiver.grpcEndpoint().toString());
        configs.put("client.telemetry.batch.linger.ms", "0");
        configs.putAll(more);
        reporter.configure(configs);
        reporter.contextChange(
                new KafkaMetricsContext("kafka.server", Map.of("kafka.cluster.id", "cluster-1", "kafka.node.id", "7")));
        reporter.init(List.of());
    }

    private List<Map<String, String>> resources() {
        return requests.stream()
                .flatMap(request -> request.points().stream())
                .map(ReceivedPoint::resource)
                .filter(resource ->
                        !resource.getOrDefault("service.instance.id", "").isEmpty()
                                && !"kafka-client-telemetry".equals(resource.get("service.name")))
                .toList();
    }

    private Map<String, String> awaitResource() {
        return await().until(
                        () -> resources().stream()
                                .filter(resource -> id.toString().equals(resource.get("service.instance.id")))
                                .findFirst(),
                        java.util.Optional::isPresent)
                .orElseThrow();
    }

    /** A thread that has been told to end may be seen for a moment still. */
    private static void awaitNoThreads() {
        await().untilAsserted(() -> assertThat(ownThreads()).isEmpty());
    }

    private static List<String> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("client-telemetry"))
                .toList();
    }

    static ClientTelemetryContext context(AuthorizableRequestContext request, int pushIntervalMs) {
        return new ClientTelemetryContext() {
            @Override
            public int pushIntervalMs() {
                return pushIntervalMs;
            }

            @Override
            public AuthorizableRequestContext authorizableRequestContext() {
                return request;
            }
        };
    }
}
