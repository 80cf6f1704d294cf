/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Our tables against the official descriptors: whatever a newer version of the schema adds or changes shows here. */
class SchemaTest {
    @Test
    void everyFieldOfEveryMessageThatAPushCanHoldIsAsInTheOfficialDescriptors() {
        Map<Descriptor, Integer> types = new HashMap<>();
        Deque<Descriptor> open = new ArrayDeque<>();
        types.put(MetricsData.getDescriptor(), Schema.METRICS_DATA);
        open.add(MetricsData.getDescriptor());
        while (!open.isEmpty()) {
            Descriptor message = open.remove();
            int type = types.get(message);
            for (FieldDescriptor field : message.getFields()) {
                assertThat(field.getNumber()).as(field.getFullName()).isBetween(1, 15);
            }
            for (int number = 0; number < 16; number++) {
                FieldDescriptor field = message.findFieldByNumber(number);
                String name = message.getFullName() + " " + number;
                if (field == null) {
                    assertThat(Schema.kind(type + number)).as(name).isEqualTo(Schema.UNKNOWN);
                    assertThat(Schema.wire(type + number)).as(name).isEqualTo(-1);
                    continue;
                }
                assertThat(Schema.kind(type + number)).as(name).isEqualTo(kind(field));
                assertThat(Schema.wire(type + number)).as(name).isEqualTo(wire(field));
                assertThat(Schema.excludes(type + number)).as(name).isEqualTo(excludes(field));
                assertThat(Schema.implicit(type, number))
                        .as(name)
                        .isEqualTo(!field.isRepeated() && !field.hasPresence());
                if (field.getType() == FieldDescriptor.Type.MESSAGE) {
                    Integer known = types.putIfAbsent(field.getMessageType(), Schema.child(type + number));
                    if (known == null) {
                        open.add(field.getMessageType());
                    } else {
                        assertThat(Schema.child(type + number)).as(name).isEqualTo(known);
                    }
                }
            }
        }
        assertThat(types.values()).doesNotHaveDuplicates().hasSize(23);
    }

    private static int kind(FieldDescriptor field) {
        return switch (field.getType()) {
            case FIXED64, SFIXED64, DOUBLE -> field.isRepeated() ? Schema.REPEATED_FIXED64 : Schema.FIXED64;
            case BOOL -> Schema.BOOL;
            case INT64 -> Schema.INT64;
            case ENUM, INT32, UINT32, SINT32 -> Schema.INT32;
            case UINT64 -> Schema.REPEATED_VARINT;
            case STRING -> Schema.STRING;
            case BYTES -> Schema.BYTES;
            case MESSAGE -> Schema.MESSAGE;
            default -> throw new AssertionError("The tables have no kind for " + field.getType());
        };
    }

    private static int wire(FieldDescriptor field) {
        return switch (kind(field)) {
            case Schema.INT64, Schema.INT32, Schema.BOOL -> Schema.WIRE_VARINT;
            case Schema.FIXED64 -> Schema.WIRE_FIXED64;
            default -> Schema.WIRE_LENGTH;
        };
    }

    private static int excludes(FieldDescriptor field) {
        if (field.getRealContainingOneof() != null) {
            return field.getRealContainingOneof().getFields().stream()
                    .mapToInt(member -> 1 << member.getNumber())
                    .sum();
        }
        return field.isRepeated() ? 0 : 1 << field.getNumber();
    }
}
