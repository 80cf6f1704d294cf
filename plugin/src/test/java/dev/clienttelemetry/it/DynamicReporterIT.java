/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.receiver.ReceivedPoint;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A running broker from which the reporter is removed and to which it is added again, and what else lives in its JVM. */
class DynamicReporterIT {
    private static final String JMX_REPORTER = "org.apache.kafka.common.metrics.JmxReporter";
    private static final String STARTED = "Kafka Client Telemetry ";
    private static final String STOPPED = "Client telemetry has stopped";
    private static final int TIMES = 20;

    private static BrokerWithPlugin broker;
    private static JMXConnector jmx;

    @BeforeAll
    static void start() throws Exception {
        Path[] otherOpenTelemetry;
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("other.opentelemetry")))) {
            otherOpenTelemetry = jars.toArray(Path[]::new);
        }
        assertThat(otherOpenTelemetry).isNotEmpty();
        broker = BrokerWithPlugin.builder()
                .interval(Duration.ofMillis(100))
                .property("client.telemetry.batch.linger.ms", "50")
                // What is answered later than that comes twice.
                .property("otel.exporter.otlp.timeout", "60000")
                .cluster(cluster -> cluster.jmx()
                        .jars(otherOpenTelemetry)
                        .environment("OTEL_SDK_DISABLED", "true")
                        .environment("OTEL_METRICS_EXPORTER", "none")
                        .environment("OTEL_CONFIG_FILE", "/nowhere.yaml")
                        .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:1"))
                .start();
        jmx = JMXConnectorFactory.connect(new JMXServiceURL(broker.node().jmxUrl()));
    }

    @AfterAll
    static void stop() throws IOException {
        jmx.close();
        broker.close();
    }

    @Test
    void theDocumentedTwoLinesKeepTheBrokersJmx() throws Exception {
        MBeanServerConnection beans = jmx.getMBeanServerConnection();

        assertThat(beans.queryNames(new ObjectName("kafka.server:type=socket-server-metrics,*"), null))
                .isNotEmpty();
        assertThat(broker.node().log()).doesNotContain("does not name " + JMX_REPORTER);
    }

    @Test
    void anotherOpenTelemetryBesideUsAndItsSettingsChangeNothing() {
        try (KafkaProducer<String, String> producer = broker.producer("beside")) {
            broker.awaitNextPush(producer.clientInstanceId(Duration.ofSeconds(30)));
        }
        assertThat(broker.node().log()).doesNotContain("NoSuchMethodError", "NoClassDefFoundError", "LinkageError");
    }

    @Test
    void removedAndAddedTwentyTimesEveryPushIsSentOnceAndNothingIsLeftBehind() throws Exception {
        List<KafkaProducer<String, String>> producers = new ArrayList<>();
        try (Admin admin = broker.admin()) {
            List<Uuid> ids = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                KafkaProducer<String, String> producer = broker.producer("dynamic-" + i);
                producers.add(producer);
                ids.add(producer.clientInstanceId(Duration.ofSeconds(30)));
            }
            ids.forEach(broker::awaitNextPush);
            Map<String, Long> threadsBefore = threads("client-telemetry");
            int librariesThreadsBefore = total(threads("Ok"));
            int started = count(STARTED);
            int stopped = count(STOPPED);

            for (int i = 1; i <= TIMES; i++) {
                setReporters(admin, JMX_REPORTER);
                awaitCount(STOPPED, stopped + i);
                producers.forEach(producer -> producer.send(new ProducerRecord<>("dynamic", "value")));
                setReporters(admin, JMX_REPORTER + "," + BrokerWithPlugin.REPORTER);
                awaitCount(STARTED, started + i);
                ids.forEach(broker::awaitNextPush);
            }

            assertThat(duplicates()).isEmpty();
            // Threads that are told to end take a moment for it.
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(threads("client-telemetry")).isEqualTo(threadsBefore);
                assertThat(total(threads("Ok")))
                        .as("the libraries' idle threads are shared: one more or less, but not one more each time")
                        .isLessThan(librariesThreadsBefore + 5);
            });
        } finally {
            producers.forEach(producer -> producer.close(Duration.ofSeconds(5)));
        }
    }

    @Test
    void aSettingChangesWhenTheReporterIsTakenOutAndAddedAgain() throws Exception {
        try (Admin admin = broker.admin();
                KafkaProducer<String, String> producer = broker.producer("renamed")) {
            Uuid id = producer.clientInstanceId(Duration.ofSeconds(30));
            broker.awaitNextPush(id);
            int stopped = count(STOPPED);
            setReporters(admin, JMX_REPORTER);
            awaitCount(STOPPED, stopped + 1);

            set(admin, Map.of("client.telemetry.nan.gauges", "keep"));
            setReporters(admin, JMX_REPORTER + "," + BrokerWithPlugin.REPORTER);
            await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> broker.node()
                    .log()
                    .contains(
                            "Invalid value keep for configuration client.telemetry.nan.gauges: must be drop or pass"));
            setReporters(admin, JMX_REPORTER);
            set(admin, Map.of("client.telemetry.nan.gauges", "drop", "client.telemetry.service.name", "=renamed"));
            setReporters(admin, JMX_REPORTER + "," + BrokerWithPlugin.REPORTER);

            broker.awaitPoint(point -> id.toString().equals(point.resource().get("service.instance.id"))
                    && "renamed".equals(point.resource().get("service.name")));
        }
    }

    /** Points that arrived more than once: the same series at the same time. */
    private static List<List<Object>> duplicates() {
        Map<List<Object>, Long> arrivals =
                broker.points(point -> point.resource().containsKey("client_instance_id")).stream()
                        .map(DynamicReporterIT::identity)
                        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        return arrivals.entrySet().stream()
                .filter(entry -> entry.getValue() > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<Object> identity(ReceivedPoint point) {
        return Arrays.asList(point.resource(), point.name(), point.attributes(), point.timeUnixNano());
    }

    private static int total(Map<String, Long> threads) {
        return (int) threads.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Counts the broker's threads whose names begin with a text, by name without numbers. */
    private static Map<String, Long> threads(String beginning) throws IOException {
        ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                jmx.getMBeanServerConnection(), ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        return Arrays.stream(threads.dumpAllThreads(false, false))
                .map(ThreadInfo::getThreadName)
                .filter(name -> name.startsWith(beginning))
                // Those that send come and go with the load.
                .filter(name -> !name.startsWith("client-telemetry-send-"))
                .map(name -> name.replaceAll("[0-9.:]+", "#"))
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    private static void setReporters(Admin admin, String reporters) throws Exception {
        set(admin, Map.of("metric.reporters", reporters));
    }

    private static void set(Admin admin, Map<String, String> dynamicConfigs) throws Exception {
        List<AlterConfigOp> changes = dynamicConfigs.entrySet().stream()
                .map(config -> new AlterConfigOp(
                        new ConfigEntry(config.getKey(), config.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.BROKER, "1"), changes))
                .all()
                .get();
    }

    private static void awaitCount(String text, int count) {
        await().atMost(BrokerWithPlugin.ARRIVAL).until(() -> count(text) == count);
    }

    private static int count(String text) {
        return (int)
                broker.node().log().lines().filter(line -> line.contains(text)).count();
    }
}
