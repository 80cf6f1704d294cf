/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import dev.clienttelemetry.metrics.RefusalReason;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The rules of the structural check, read off the schema's descriptors: slow, general, and with no line in common with
 * what it judges. Numbers that do not fit (a tag over 32 bits, any varint over 64) are faults too, although protobuf's
 * Java parser cuts them off: other parsers refuse them.
 */
final class WireRules {
    private static final int MAX_DEPTH = 32;

    private final byte[] bytes;
    private int position;

    private WireRules(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the first fault in the order of the bytes, or nothing if the bytes are sound. */
    static Optional<RefusalReason> fault(byte[] bytes) {
        try {
            new WireRules(bytes).message(MetricsData.getDescriptor(), bytes.length, 1);
            return Optional.empty();
        } catch (Fault fault) {
            return Optional.of(fault.reason);
        }
    }

    private void message(Descriptor descriptor, int end, int depth) throws Fault {
        if (depth > MAX_DEPTH) {
            throw new Fault(RefusalReason.TOO_DEEP);
        }
        Set<Integer> singularSeen = new HashSet<>();
        Set<OneofDescriptor> oneofSeen = new HashSet<>();
        while (position < end) {
            long longTag = varint(end);
            int tag = (int) longTag;
            if (longTag >>> 32 != 0) {
                throw new Fault(RefusalReason.INVALID_TAG);
            }
            int number = tag >>> 3;
            int wireType = tag & 7;
            if (number == 0 || wireType > 5) {
                throw new Fault(RefusalReason.INVALID_TAG);
            }
            if (wireType == WireMessage.START_GROUP || wireType == WireMessage.END_GROUP) {
                throw new Fault(RefusalReason.GROUP);
            }
            FieldDescriptor field = descriptor.findFieldByNumber(number);
            if (field == null) {
                skip(wireType, end);
                continue;
            }
            boolean packed = field.isPackable() && wireType == WireMessage.LENGTH_DELIMITED;
            if (!packed && wireType != WireMessage.wireType(field)) {
                throw new Fault(RefusalReason.WRONG_WIRE_TYPE);
            }
            if (!field.isRepeated() && !singularSeen.add(number)) {
                throw new Fault(RefusalReason.REPEATED_SINGULAR);
            }
            if (field.getRealContainingOneof() != null && !oneofSeen.add(field.getRealContainingOneof())) {
                throw new Fault(RefusalReason.ONEOF_CONFLICT);
            }
            if (packed) {
                int packedEnd = length(end);
                while (position < packedEnd) {
                    skip(WireMessage.wireType(field), packedEnd);
                }
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                message(field.getMessageType(), length(end), depth + 1);
            } else if (field.getJavaType() == FieldDescriptor.JavaType.STRING) {
                int stringEnd = length(end);
                int start = position;
                position = stringEnd;
                if (!ByteString.copyFrom(bytes, start, stringEnd - start).isValidUtf8()) {
                    throw new Fault(RefusalReason.INVALID_UTF8);
                }
            } else {
                skip(wireType, end);
            }
        }
    }

    private void skip(int wireType, int end) throws Fault {
        switch (wireType) {
            case WireMessage.VARINT -> varint(end);
            case WireMessage.FIXED64 -> advance(8, end);
            case WireMessage.FIXED32 -> advance(4, end);
            default -> position = length(end);
        }
    }

    private int length(int end) throws Fault {
        long length = varint(end);
        if (length < 0 || length > end - position) {
            throw new Fault(RefusalReason.TRUNCATED);
        }
        return position + (int) length;
    }

    private void advance(int count, int end) throws Fault {
        if (end - position < count) {
            throw new Fault(RefusalReason.TRUNCATED);
        }
        position += count;
    }

    private long varint(int end) throws Fault {
        long value = 0;
        for (int i = 0; i < 10; i++) {
            advance(1, end);
            byte next = bytes[position - 1];
            value |= (long) (next & 0x7F) << 7 * i;
            if (next >= 0) {
                if (i == 9 && next > 1) {
                    break;
                }
                return value;
            }
        }
        throw new Fault(RefusalReason.INVALID_VARINT);
    }

    private static final class Fault extends Exception {
        private final transient RefusalReason reason;

        Fault(RefusalReason reason) {
            this.reason = reason;
        }
    }
}
