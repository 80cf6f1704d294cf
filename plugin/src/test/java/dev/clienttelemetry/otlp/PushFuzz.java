/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import java.util.EnumSet;
import java.util.Optional;

/**
 * What must hold for any bytes: nothing but a refusal is thrown, what is accepted is sound for protobuf's parser and for
 * the schema's rules and the other way round, and what is made of it is sound too. Jazzer looks for bytes for which it
 * does not hold ({@code src/build/fuzz.sh}); {@link PushFuzzTest} replays what it found worth keeping.
 */
public final class PushFuzz {
    private static final int MAX_SERIES = 50;
    private static final Client CLIENT = new Client("c", "s", "1", "192.0.2.1", "1", "User:a", "L", "PLAINTEXT");

    private PushFuzz() {}

    /** Jazzer's entry point. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        boolean sound = WireRules.fault(bytes).isEmpty() && parsed(bytes).isPresent();
        try {
            PushCheck.check(bytes, bytes.length);
        } catch (MalformedPushException refused) {
            require(!sound, "refused although it is sound: " + refused.getMessage());
            return;
        }
        require(sound, "accepted although it is not sound");
        require(new CanonicalForm().rewrite(bytes).length <= bytes.length, "longer in canonical form");
        convert(bytes, Temporality.CUMULATIVE, MAX_SERIES);
        convert(bytes, Temporality.DELTA, 1);
    }

    private static void convert(byte[] bytes, Temporality temporality, int maxSeries) {
        PushConverter converter = new PushConverter(
                new ConversionSettings(
                        EnumSet.allOf(Label.class), "client_id", "1", "cluster", temporality, true, 1000, maxSeries),
                new TelemetryMetrics());
        ClientInstance instance = new ClientInstances(1, () -> 0).pushed(1, 2, CLIENT, 1000, false);
        requireSound(converter.convert(instance, CLIENT, bytes.clone(), 0));
        // Once more: every series has state now.
        requireSound(converter.convert(instance, CLIENT, bytes.clone(), 0));
        require(converter.series() <= maxSeries, "more series than allowed");
        converter.forget(instance);
        require(converter.series() == 0, "state is left");
    }

    private static void requireSound(ConvertedPush push) {
        Optional<MetricsData> data = parsed(push.bytes());
        require(data.isPresent() && WireRules.fault(push.bytes()).isEmpty(), "the output is not sound");
        require(DecodedPoints.count(data.get()) == push.points(), "the points are miscounted");
    }

    private static Optional<MetricsData> parsed(byte[] bytes) {
        try {
            return Optional.of(MetricsData.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
