/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.clienttelemetry.examples.receiver.Answer;
import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.ShownValues;
import dev.clienttelemetry.pipeline.CapturedLog;
import dev.clienttelemetry.pipeline.Pipeline;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.requests.RequestContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever becomes of pushes: those received are those delivered, dropped, empty and pending, and the calls are those
 * received and refused. With real stages and a receiver that answers in all ways.
 */
@Timeout(120)
class PushEquationTest {
    private static final int MAX_PAYLOAD_BYTES = 100_000;
    private static final byte[] CONSUMER = PushPayloadTest.resource("/payloads/java-4.4.0-consumer-1.otlp");
    private static final byte[] PRODUCER = PushPayloadTest.resource("/payloads/java-4.4.0-producer-1.otlp");
    private static final byte[] LIBRDKAFKA = PushPayloadTest.resource("/payloads/librdkafka-2.15-producer-1.otlp");
    private static final RequestContext CONTEXT =
            RequestClientTest.context("app", "10.1.2.3", 5000, "alice", "apache-kafka-java", "4.4.0");
    private static final byte[] NOT_MEASURED = MetricsData.newBuilder()
            .addResourceMetrics(ResourceMetrics.newBuilder()
                    .addScopeMetrics(ScopeMetrics.newBuilder()
                            .addMetrics(Metric.newBuilder()
                                    .setName("gauge")
                                    .setGauge(Gauge.newBuilder()
                                            .addDataPoints(NumberDataPoint.newBuilder()
                                                    .setTimeUnixNano(1_000_000_000)
                                                    .setAsDouble(Double.NaN))))))
            .build()
            .toByteArray();

    /** Every kind of push, and how many of it there were. */
    private enum Kind {
        CONSUMERS,
        PRODUCERS,
        LIBRDKAFKAS,
        COMPRESSED,
        NOTHING,
        NOT_MEASURED,
        MALFORMED,
        TOO_LARGE,
        OUR_FAULT;

        private final AtomicInteger pushes = new AtomicInteger();
    }

    private final ShownValues shown = new ShownValues();
    /** The client instances whose pushes the receiver took. Each pushes once. */
    private final Set<String> taken = ConcurrentHashMap.newKeySet();

    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final CapturedLog log = new CapturedLog();
    private final PushReceiver pushes = new PushReceiver(true);
    private byte[] compressed;
    private byte[] tooLarge;
    private volatile Answer usualAnswer = Answer.ACCEPT;
    private OtlpReceiver receiver;
    private Pipeline pipeline;

    @BeforeEach
    void prepare() throws IOException {
        for (Kind kind : Kind.values()) {
            kind.pushes.set(0);
        }
        compressed = PushPayloadTest.compress(Codec.GZIP, PRODUCER);
        tooLarge = PushPayloadTest.compress(Codec.GZIP, new byte[MAX_PAYLOAD_BYTES + 1]);
        receiver = OtlpReceiver.start(request -> {});
        receiver.answerWith(this::answer);
    }

    private void start(int bufferBytes) {
        pipeline = Pipeline.create(new ClientTelemetryConfig(Map.of(
                        "otel.exporter.otlp.protocol",
                        "http/protobuf",
                        "otel.exporter.otlp.endpoint",
                        "http://127.0.0.1:" + receiver.httpPort(),
                        "otel.exporter.otlp.timeout",
                        "60s",
                        "client.telemetry.batch.linger.ms",
                        "0",
                        "client.telemetry.batch.max.bytes",
                        "65536",
                        "client.telemetry.buffer.max.bytes",
                        String.valueOf(bufferBytes)))
                .pipelineSettings());
        pipeline.metrics().show(shown);
        pushes.open(pipeline, MAX_PAYLOAD_BYTES);
        pipeline.start("7", "cluster-1");
    }

    @AfterEach
    void stop() {
        pipeline.close();
        receiver.close();
        log.close();
    }

    private Answer answer(ReceivedRequest request) {
        List<String> instances = request.points().stream()
                .map(point -> point.resource().getOrDefault("client_instance_id", ""))
                .filter(id -> !id.isEmpty())
                .distinct()
                .toList();
        if (instances.isEmpty()) {
            return Answer.ACCEPT;
        }
        Answer next = answers.poll();
        Answer answer = next == null ? usualAnswer : next;
        if (answer instanceof Answer.PartialSuccess) {
            taken.addAll(instances);
        }
        return answer;
    }

    @Test
    void theEquationClosesWhateverBecomesOfPushes() throws Exception {
        start(16 << 20);
        List<Answer> ways = List.of(
                Answer.ACCEPT,
                new Answer.PartialSuccess(1, "a point"),
                new Answer.PartialSuccess(Long.MAX_VALUE, "everything"),
                http(400),
                http(400),
                http(401),
                http(503));
        for (int i = 0; i < 6; i++) {
            answers.addAll(ways);
        }
        List<Thread> clients = new ArrayList<>();
        for (int client = 0; client < 3; client++) {
            Random random = new Random(client);
            clients.add(new Thread(() -> pushAny(random, 150)));
        }
        clients.forEach(Thread::start);
        for (Thread client : clients) {
            client.join();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> answers.isEmpty() || value(Instrument.PUSHES_PENDING) == 0);
        answers.clear();
        awaitNothingPending();
        // Alone in its request: what is refused before may have had company, and gone through without it.
        usualAnswer = http(400);
        push(Kind.PRODUCERS, false);
        awaitNothingPending();

        assertTheEquation();
        assertThat(value(Instrument.PLUGIN_ERRORS)).isEqualTo(of(Kind.MALFORMED));
        assertThat(value(Instrument.PUSHES_EMPTY)).isEqualTo(of(Kind.NOTHING) + of(Kind.NOT_MEASURED));
        assertThat(dropped(PushDropReason.TOO_LARGE)).isEqualTo(of(Kind.TOO_LARGE));
        assertThat(dropped(PushDropReason.INTERNAL_ERROR)).isEqualTo(of(Kind.OUR_FAULT));
        assertThat(dropped(PushDropReason.REFUSED_BY_BACKEND)).isPositive();
        assertThat(value(Instrument.PUSHES_DELIVERED)).isPositive().isEqualTo(taken.size());
        assertThat(value(Instrument.POINTS_IN_FLIGHT)).isZero();
    }

    @Test
    void theEquationClosesWhereTheBufferOverflowsAndThePluginIsClosedMeanwhile() throws Exception {
        start(1 << 20);
        usualAnswer = http(503);
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> {
                    push(Kind.CONSUMERS, false);
                    return dropped(PushDropReason.BUFFER_FULL) > 0;
                });
        assertThat(value(Instrument.PUSHES_PENDING)).isPositive();
        assertThat(value(Instrument.PUSHES_DELIVERED)).isZero();

        AtomicBoolean stopped = new AtomicBoolean();
        List<Thread> clients = new ArrayList<>();
        for (int client = 0; client < 3; client++) {
            Random random = new Random(client);
            clients.add(new Thread(() -> {
                while (!stopped.get()) {
                    pushAny(random, 1);
                }
            }));
        }
        clients.forEach(Thread::start);
        pipeline.close();
        stopped.set(true);
        for (Thread client : clients) {
            client.join();
        }
        pushAny(new Random(7), 50);

        // The sender's end may come after the time for closing.
        awaitNothingPending();
        assertTheEquation();
        assertThat(dropped(PushDropReason.SHUTDOWN)).isPositive();
        assertThat(value(Instrument.POINTS_IN_FLIGHT)).isZero();
    }

    private void awaitNothingPending() {
        await().atMost(Duration.ofSeconds(60)).until(() -> value(Instrument.PUSHES_PENDING) == 0);
    }

    private void assertTheEquation() {
        int driven = Arrays.stream(Kind.values()).mapToInt(this::of).sum();
        assertThat(value(Instrument.PLUGIN_EXPORTS)).isEqualTo(driven);
        assertThat(value(Instrument.PUSHES) + value(Instrument.PLUGIN_ERRORS)).isEqualTo(driven);
        assertThat(value(Instrument.PUSHES_DELIVERED)
                        + value(Instrument.PUSHES_DROPPED)
                        + value(Instrument.PUSHES_EMPTY)
                        + value(Instrument.PUSHES_PENDING))
                .isEqualTo(value(Instrument.PUSHES));
    }

    private void pushAny(Random random, int count) {
        for (int i = 0; i < count; i++) {
            push(Kind.values()[random.nextInt(Kind.values().length)], random.nextInt(4) == 0);
        }
    }

    private void push(Kind kind, boolean terminating) {
        kind.pushes.incrementAndGet();
        byte[] bytes =
                switch (kind) {
                    case CONSUMERS -> CONSUMER;
                    case PRODUCERS, OUR_FAULT -> PRODUCER;
                    case LIBRDKAFKAS -> LIBRDKAFKA;
                    case COMPRESSED -> compressed;
                    case NOTHING -> new byte[0];
                    case NOT_MEASURED -> NOT_MEASURED;
                    case MALFORMED -> Arrays.copyOf(PRODUCER, PRODUCER.length - 1);
                    case TOO_LARGE -> tooLarge;
                };
        // A host that hands over no id is what makes the plugin itself fail.
        Uuid id = kind == Kind.OUR_FAULT ? null : Uuid.randomUuid();
        Push push = terminating ? Push.last(id, bytes) : Push.of(id, bytes);
        if (kind == Kind.MALFORMED) {
            assertThatThrownBy(() -> pushes.push(CONTEXT, push, 1000)).isInstanceOf(InvalidRecordException.class);
        } else {
            pushes.push(CONTEXT, push, 1000);
        }
    }

    private int of(Kind kind) {
        return kind.pushes.get();
    }

    private long dropped(PushDropReason reason) {
        return pipeline.metrics().pushesDropped().total(reason);
    }

    private long value(Instrument instrument) {
        return shown.value(instrument);
    }

    private static Answer http(int status) {
        return new Answer.Http(status, Map.of(), "");
    }
}
