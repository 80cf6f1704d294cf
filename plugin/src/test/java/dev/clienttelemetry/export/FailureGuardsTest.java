/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.examples.receiver.OtlpReceiver;
import dev.clienttelemetry.examples.receiver.ReceivedRequest;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;

/** What must go on when something throws that has no business to: a log, a payload, the memory's end. */
@Timeout(180)
class FailureGuardsTest {
    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
    private OtlpReceiver receiver;

    @BeforeEach
    void startReceiver() throws Exception {
        receiver = OtlpReceiver.start(received::add);
    }

    @AfterEach
    void stopReceiver() {
        receiver.close();
    }

    private static Logger logThatThrows() {
        return (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    throw new IllegalStateException("no log");
                });
    }

    private OtlpTransport transport(OtlpProtocol protocol, Reachability reachability) {
        boolean grpc = protocol == OtlpProtocol.GRPC;
        HttpUrl url = HttpUrl.get(
                grpc
                        ? receiver.grpcEndpoint() + "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
                        : receiver.httpEndpoint() + "/v1/metrics");
        SenderSettings settings = new SenderSettings(
                url,
                Map.of(),
                null,
                Duration.ofMinutes(2),
                Duration.ofMinutes(2),
                null,
                null,
                RetryPolicy.getDefault());
        return grpc
                ? new GrpcTransport(settings, Headers.of(), reachability, Clock.systemUTC())
                : new HttpTransport(settings, Headers.of(), reachability, Clock.systemUTC());
    }

    private static Answer send(OtlpTransport transport, Payload payload) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        transport.send(payload, answer::complete);
        return answer.orTimeout(150, TimeUnit.SECONDS).join();
    }

    private static Payload empty() {
        return payload(new byte[0], null);
    }

    private static Payload payload(byte[] bytes, Error failure) {
        return new Payload() {
            @Override
            public int size() {
                return bytes.length;
            }

            @Override
            public void writeTo(OutputStream out) throws java.io.IOException {
                if (failure != null) {
                    throw failure;
                }
                out.write(bytes);
            }
        };
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void anAnswerArrivesThoughTheLogOfTheEndpointsStateThrows(OtlpProtocol protocol) {
        Reachability reachability = new Reachability("endpoint", logThatThrows(), System::nanoTime);
        OtlpTransport transport = transport(protocol, reachability);
        try {
            assertThat(send(transport, empty()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);
            assertThat(received).hasSize(1);

            receiver.close();
            Answer failed = send(transport, empty());
            assertThat(failed.outcome()).isNotEqualTo(Answer.Outcome.ACCEPTED);
            assertThat(failed.detail()).doesNotContain("no log");
        } finally {
            transport.close();
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void aPayloadThatThrowsIsAnAnswerAndTheSenderGoesOn(OtlpProtocol protocol) {
        Reachability reachability =
                new Reachability("endpoint", org.slf4j.LoggerFactory.getLogger("test"), System::nanoTime);
        OtlpTransport transport = transport(protocol, reachability);
        try {
            Answer failed = send(transport, payload(new byte[10], new StackOverflowError("too deep")));
            assertThat(failed.outcome()).isEqualTo(Answer.Outcome.RETRY);
            assertThat(failed.errorType()).isEqualTo("java.lang.StackOverflowError");
            assertThat(send(transport, empty()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);
        } finally {
            transport.close();
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void noThreadDiesOfWhatIsDoneWithAnAnswer(OtlpProtocol protocol) {
        Reachability reachability =
                new Reachability("endpoint", org.slf4j.LoggerFactory.getLogger("test"), System::nanoTime);
        OtlpTransport transport = transport(protocol, reachability);
        CompletableFuture<Thread> told = new CompletableFuture<>();
        CompletableFuture<Throwable> diedOf = new CompletableFuture<>();
        try {
            transport.send(empty(), answer -> {
                Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> diedOf.complete(failure));
                told.complete(Thread.currentThread());
                throw new IllegalStateException("no log");
            });
            Thread thread = told.orTimeout(60, TimeUnit.SECONDS).join();
            assertThat(send(transport, empty()).outcome()).isEqualTo(Answer.Outcome.ACCEPTED);

            transport.close();
            thread.join(TimeUnit.SECONDS.toMillis(60));

            assertThat(thread.isAlive()).isFalse();
            assertThat(diedOf).isNotDone();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            transport.close();
        }
    }

    @Test
    void aConvertedPushThatFindsNoMemoryIsCountedAndItsRoomIsFree() throws Exception {
        TelemetryMetrics metrics = new TelemetryMetrics();
        Pushes pushes = new Pushes(new SetClock());
        ExportBuffer<Pushes.Raw> buffer = new ExportBuffer<>(1 << 20, metrics);
        outOfMemoryAtTheFirstClient(buffer);
        buffer.offer(new Pushes.Raw(100));
        buffer.offer(new Pushes.Raw(100));
        Pushes.Raw first = buffer.take();

        assertThatThrownBy(() -> buffer.converted(first, pushes.chunk(1, 300))).isInstanceOf(OutOfMemoryError.class);

        assertThat(metrics.pushesDropped().total(PushDropReason.INTERNAL_ERROR)).isEqualTo(1);
        assertThat(buffer.waiting()).isZero();
        assertThat(buffer.bytes()).as("the other push").isEqualTo(ExportBuffer.cost(100));
        assertThat(buffer.pushes()).isEqualTo(1);
        buffer.converted(buffer.take(), pushes.chunk(1, 300));
        assertThat(buffer.waiting()).isEqualTo(1);
        assertThat(buffer.bytes()).isEqualTo(ExportBuffer.cost(300));
    }

    /** There is no other way to be out of memory at one place and not at others. */
    private static void outOfMemoryAtTheFirstClient(ExportBuffer<?> buffer) throws ReflectiveOperationException {
        Field queue = ExportBuffer.class.getDeclaredField("queue");
        queue.setAccessible(true);
        Field lanes = SendQueue.class.getDeclaredField("lanes");
        lanes.setAccessible(true);
        lanes.set(queue.get(buffer), new HashMap<ClientInstance, Object>() {
            private static final long serialVersionUID = 1;

            private transient boolean thrown;

            @Override
            public Object computeIfAbsent(ClientInstance key, Function<? super ClientInstance, ?> mapping) {
                if (!thrown) {
                    thrown = true;
                    throw new OutOfMemoryError("for the test");
                }
                return super.computeIfAbsent(key, mapping);
            }
        });
    }
}
