/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.otlp.ConvertedPush;
import dev.clienttelemetry.otlp.MalformedPushException;
import dev.clienttelemetry.otlp.PushCheck;
import dev.clienttelemetry.otlp.PushConverter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Check, labels, coalescing and conversion on one core, beside the usual way. Every method pays for {@link #copy}, the
 * request thread's copy with its times moved on.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ConversionBenchmark {
    static final String CONSUMER = "java-4.4.0-consumer-2";
    static final String PRODUCER = "java-4.4.0-producer-2";
    static final String LIBRDKAFKA = "librdkafka-2.15-producer-1";

    /** A payload of a real client. */
    @Param({CONSUMER, PRODUCER, LIBRDKAFKA})
    public String payload;

    /** How many clients push in turn: with many, their state is not in the processor's cache. */
    @Param({"1", "1000"})
    public int clients;

    private PushSource pushes;
    private ClientInstance[] instances;
    private PushConverter converter;
    private DecodeAndEncode usual;
    private long number;

    /** Lets the clients appear. */
    @Setup
    public void setUp() {
        pushes = new PushSource(payload);
        converter = new PushConverter(Host.SETTINGS, new TelemetryMetrics());
        ClientInstances registry = new ClientInstances(clients + 1, System::nanoTime);
        instances = new ClientInstance[clients];
        for (int i = 0; i < clients; i++) {
            instances[i] = registry.pushed(0x3f1d2c4b5a697887L, i, Host.CLIENT, 2000, false);
        }
        usual = new DecodeAndEncode(Host.CLIENT, "Px0sS1ppeIcAAAAAAAAAAA", "1");
    }

    /** What all the others pay too. */
    @Benchmark
    public byte[] copy() {
        return next();
    }

    /** The check alone. */
    @Benchmark
    public byte[] check() throws MalformedPushException {
        byte[] push = next();
        PushCheck.check(push, push.length);
        return push;
    }

    /** All that this project does to a push before it is sent. */
    @Benchmark
    public ConvertedPush convert() throws MalformedPushException {
        ClientInstance instance = instances[(int) (number % clients)];
        byte[] push = next();
        PushCheck.check(push, push.length);
        // The clients' pushes are spread over their interval.
        return converter.convert(instance, Host.CLIENT, push, number * (PushSource.INTERVAL_NANOS / clients));
    }

    /** The baseline. */
    @Benchmark
    public byte[] decodeAndEncode() throws InvalidProtocolBufferException {
        return usual.convert(next());
    }

    private byte[] next() {
        return pushes.push(number++ / clients);
    }
}
