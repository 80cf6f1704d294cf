/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.awaitility.Awaitility.await;

import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.kafka.common.Uuid;

/** The pushes that a {@link PushRecorder} in a broker has written down. */
final class RecordedPushes {
    private final Path file;
    private final Path jar;

    /** Prepares a recording whose files are in a directory. */
    RecordedPushes(Path directory) throws IOException {
        this.file = directory.resolve("pushes");
        this.jar = jar(directory);
    }

    /** Returns what a broker is made with whose pushes are recorded, by a reporter before ours. */
    BrokerWithPlugin.Builder broker() {
        return BrokerWithPlugin.builder()
                .property(
                        "metric.reporters",
                        String.join(
                                ",",
                                "org.apache.kafka.common.metrics.JmxReporter",
                                PushRecorder.class.getName(),
                                BrokerWithPlugin.REPORTER))
                .property(PushRecorder.FILE, file.toString())
                .cluster(cluster -> cluster.jars(BrokerWithPlugin.pluginJar(), jar));
    }

    /** Waits, while the workload goes on, until so many more pushes of both its clients were recorded. */
    void awaitMore(Workload workload, Uuid producer, Uuid consumer, int pushes, Duration patience) {
        long producerPushes = count(producer) + pushes;
        long consumerPushes = count(consumer) + pushes;
        await().atMost(patience).until(() -> {
            workload.poll();
            return count(producer) >= producerPushes && count(consumer) >= consumerPushes;
        });
    }

    /** One push as the broker received it. */
    record Push(Uuid clientInstanceId, MetricsData data) {}

    /**
     * What tells the counters of a run apart.
     *
     * @param attributes of the resource and of the point, as clients sent them
     */
    record Counter(Uuid clientInstanceId, String name, Map<String, String> attributes) {}

    /** Makes a jar of the recorder for a broker's {@code libs}. */
    private static Path jar(Path directory) throws IOException {
        Path jar = directory.resolve("push-recorder.jar");
        String name = PushRecorder.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                InputStream in = PushRecorder.class.getClassLoader().getResourceAsStream(name)) {
            out.putNextEntry(new JarEntry(name));
            in.transferTo(out);
        }
        return jar;
    }

    /** One point of a counter; its times in milliseconds since the epoch. */
    record Delta(long start, long time, double value) {}

    List<Push> all() {
        try {
            List<Push> pushes = new ArrayList<>();
            if (!Files.exists(file)) {
                return pushes;
            }
            ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
            while (in.remaining() >= 20) {
                Uuid id = new Uuid(in.getLong(), in.getLong());
                int length = in.getInt();
                if (in.remaining() < length) {
                    break; // still being written
                }
                byte[] bytes = new byte[length];
                in.get(bytes);
                pushes.add(new Push(id, MetricsData.parseFrom(bytes)));
            }
            return pushes;
        } catch (IOException e) {
            throw new IllegalStateException("no recording", e);
        }
    }

    long count(Uuid clientInstanceId) {
        return all().stream()
                .filter(push -> push.clientInstanceId().equals(clientInstanceId))
                .count();
    }

    /** Returns the sum of the deltas of each monotonic delta sum. */
    Map<Counter, Double> sums() {
        Map<Counter, Double> sums = new java.util.HashMap<>();
        forEachDelta((counter, delta) -> sums.merge(counter, delta.value(), Double::sum));
        return sums;
    }

    /** Returns the time of the newest point of each monotonic delta sum, in milliseconds since the epoch. */
    Map<Counter, Long> lastTimes() {
        Map<Counter, Long> times = new java.util.HashMap<>();
        forEachDelta((counter, delta) -> times.merge(counter, delta.time(), Math::max));
        return times;
    }

    /** Returns the deltas of a counter in the order in which they were pushed, to see in a failed run. */
    List<Delta> deltas(Counter counter) {
        List<Delta> deltas = new ArrayList<>();
        forEachDelta((other, delta) -> {
            if (other.equals(counter)) {
                deltas.add(delta);
            }
        });
        return deltas;
    }

    private void forEachDelta(BiConsumer<Counter, Delta> action) {
        for (Push push : all()) {
            for (ResourceMetrics resource : push.data().getResourceMetricsList()) {
                for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                    for (Metric metric : scope.getMetricsList()) {
                        boolean delta = metric.getSum().getAggregationTemporality()
                                == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA;
                        if (!delta || !metric.getSum().getIsMonotonic()) {
                            continue;
                        }
                        for (NumberDataPoint point : metric.getSum().getDataPointsList()) {
                            Map<String, String> attributes = new TreeMap<>();
                            add(attributes, resource.getResource().getAttributesList());
                            add(attributes, point.getAttributesList());
                            action.accept(
                                    new Counter(push.clientInstanceId(), metric.getName(), attributes),
                                    new Delta(
                                            point.getStartTimeUnixNano() / 1_000_000,
                                            point.getTimeUnixNano() / 1_000_000,
                                            point.hasAsDouble() ? point.getAsDouble() : point.getAsInt()));
                        }
                    }
                }
            }
        }
    }

    private static void add(Map<String, String> attributes, List<KeyValue> more) {
        for (KeyValue attribute : more) {
            attributes.put(
                    attribute.getKey(),
                    attribute.getValue().hasStringValue()
                            ? attribute.getValue().getStringValue()
                            : String.valueOf(attribute.getValue().getIntValue()));
        }
    }
}
