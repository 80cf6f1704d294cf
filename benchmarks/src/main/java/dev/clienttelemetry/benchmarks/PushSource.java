/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.benchmarks;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The pushes of a client that lives on: a recorded payload whose times move on by a push interval from push to push, so
 * that the intervals of its sums join as a real client's do.
 */
final class PushSource {
    /** The push interval of the recorded clients, in nanoseconds. */
    static final long INTERVAL_NANOS = 2_000_000_000L;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] recorded;
    private int[] startsAt = new int[0];
    private int[] timesAt = new int[0];
    private final long[] times;

    PushSource(String payload) {
        recorded = read(payload);
        try {
            find(CodedInputStream.newInstance(recorded), MetricsData.getDescriptor());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        times = Arrays.stream(timesAt)
                .mapToLong(at -> (long) LONGS.get(recorded, at))
                .toArray();
        if (times.length == 0) {
            throw new IllegalStateException("no points in " + payload);
        }
    }

    /** Returns the bytes of one push in an array of their own, as the request thread hands them over. */
    byte[] push(long number) {
        byte[] push = recorded.clone();
        long moved = number * INTERVAL_NANOS;
        for (int i = 0; i < times.length; i++) {
            LONGS.set(push, timesAt[i], times[i] + moved);
        }
        // A point's start, where it has one, is written before its time by every recorded client.
        int point = 0;
        for (int at : startsAt) {
            while (timesAt[point] < at) {
                point++;
            }
            LONGS.set(push, at, times[point] + moved - INTERVAL_NANOS);
        }
        return push;
    }

    int size() {
        return recorded.length;
    }

    private void find(CodedInputStream in, Descriptor type) throws IOException {
        while (!in.isAtEnd()) {
            int tag = in.readTag();
            FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
            if (field != null && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                int limit = in.pushLimit(in.readRawVarint32());
                find(in, field.getMessageType());
                in.popLimit(limit);
                continue;
            }
            if (field != null && type == NumberDataPoint.getDescriptor()) {
                int at = in.getTotalBytesRead();
                if (field.getNumber() == NumberDataPoint.START_TIME_UNIX_NANO_FIELD_NUMBER) {
                    startsAt = append(startsAt, at);
                } else if (field.getNumber() == NumberDataPoint.TIME_UNIX_NANO_FIELD_NUMBER) {
                    timesAt = append(timesAt, at);
                }
            }
            in.skipField(tag);
        }
    }

    private static int[] append(int[] array, int value) {
        int[] longer = Arrays.copyOf(array, array.length + 1);
        longer[array.length] = value;
        return longer;
    }

    private static byte[] read(String payload) {
        try (InputStream in = PushSource.class.getResourceAsStream("/payloads/" + payload + ".otlp")) {
            if (in == null) {
                throw new IllegalArgumentException("no payload " + payload);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
