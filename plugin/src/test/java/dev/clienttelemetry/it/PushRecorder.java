/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.telemetry.ClientTelemetryContext;
import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;

/**
 * A second plugin in the broker, beside the one that is tested: writes every push to a file as the broker received it.
 * Runs within the broker's process, so it uses nothing but Kafka; {@link RecordedPushes} reads the file.
 */
public final class PushRecorder implements MetricsReporter, ClientTelemetryExporterProvider, ClientTelemetryExporter {
    /** The key of the file's name in {@code server.properties}. */
    public static final String FILE = "test.push.recorder.file";

    private Path file;

    /** Made by the broker. */
    public PushRecorder() {}

    @Override
    public void configure(Map<String, ?> configuration) {
        file = Path.of(String.valueOf(configuration.get(FILE)));
    }

    @Override
    public ClientTelemetryExporter clientTelemetryExporter() {
        return this;
    }

    @Override
    public synchronized void exportMetrics(ClientTelemetryContext context, ClientTelemetryPayload payload) {
        ByteBuffer data = payload.data().duplicate();
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        try (DataOutputStream out = new DataOutputStream(new FileOutputStream(file.toFile(), true))) {
            // One write, so that only the last record can be incomplete for a reader.
            ByteBuffer whole = ByteBuffer.allocate(Long.BYTES * 2 + Integer.BYTES + bytes.length);
            whole.putLong(payload.clientInstanceId().getMostSignificantBits());
            whole.putLong(payload.clientInstanceId().getLeastSignificantBits());
            whole.putInt(bytes.length);
            whole.put(bytes);
            out.write(whole.array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void init(List<KafkaMetric> metrics) {
        // Only pushes are recorded.
    }

    @Override
    public void metricChange(KafkaMetric metric) {
        // Only pushes are recorded.
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {
        // Only pushes are recorded.
    }

    @Override
    public void close() {
        // Nothing is open between two pushes.
    }
}
