/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;

/**
 * A message as the list of fields that lie on the wire. Official serializers write one form of many legal ones; this
 * writes the others, and forms that are not legal.
 */
final class WireMessage {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int LENGTH_DELIMITED = 2;
    static final int START_GROUP = 3;
    static final int END_GROUP = 4;
    static final int FIXED32 = 5;

    private final Descriptor descriptor;
    private final List<Field> fields = new ArrayList<>();

    private WireMessage(Descriptor descriptor) {
        this.descriptor = descriptor;
    }

    static WireMessage of(Message message) {
        WireMessage wire = new WireMessage(message.getDescriptorForType());
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            FieldDescriptor schema = entry.getKey();
            if (!schema.isRepeated()) {
                wire.fields.add(field(schema, entry.getValue()));
            } else if (schema.isPacked()) {
                List<Field> scalars = new ArrayList<>();
                for (Object value : (List<?>) entry.getValue()) {
                    scalars.add(field(schema, value));
                }
                wire.fields.add(packed(schema, scalars));
            } else {
                for (Object value : (List<?>) entry.getValue()) {
                    wire.fields.add(field(schema, value));
                }
            }
        }
        wire.addUnknown(message.getUnknownFields());
        return wire;
    }

    Descriptor descriptor() {
        return descriptor;
    }

    List<Field> fields() {
        return fields;
    }

    /** Returns this message and all messages under it. */
    List<WireMessage> all() {
        List<WireMessage> all = new ArrayList<>();
        collect(all);
        return all;
    }

    private void collect(List<WireMessage> all) {
        all.add(this);
        for (Field field : fields) {
            if (field.message != null) {
                field.message.collect(all);
            }
        }
    }

    /**
     * Rewrites the fields into another legal form with the same meaning: in any order (the elements of one repeated
     * field keep theirs), repeated scalars packed, in pieces or one by one, varints longer than they need to be, negative
     * int32 in five bytes as well as in ten, and scalars that are zero written out. Equal messages get different forms, too.
     */
    WireMessage rewritten(Random random) {
        WireMessage form = new WireMessage(descriptor);
        List<List<Field>> runs = new ArrayList<>();
        for (Field field : fields) {
            List<Field> pieces = new ArrayList<>();
            if (field.scalars != null) {
                split(field, random, pieces);
            } else {
                Field copy = field.copy();
                if (field.message != null) {
                    copy.message = field.message.rewritten(random);
                }
                pieces.add(copy);
            }
            List<Field> run = null;
            for (List<Field> candidate : runs) {
                if (candidate.get(0).number == field.number) {
                    run = candidate;
                }
            }
            if (run == null) {
                runs.add(pieces);
            } else {
                run.addAll(pieces);
            }
        }
        for (FieldDescriptor schema : descriptor.getFields()) {
            boolean absent = fields.stream().noneMatch(f -> f.number == schema.getNumber());
            if (absent && !schema.isRepeated() && !schema.hasPresence() && random.nextInt(8) == 0) {
                runs.add(new ArrayList<>(List.of(field(schema, schema.getDefaultValue()))));
            }
        }
        while (!runs.isEmpty()) {
            List<Field> run = runs.get(random.nextInt(runs.size()));
            Field next = run.remove(0);
            if (next.wireType == VARINT && random.nextInt(4) == 0) {
                next.padding = random.nextInt(3);
            }
            if (isInt32(next.schema) && random.nextBoolean()) {
                next.bits &= 0xFFFFFFFFL;
            }
            form.fields.add(next);
            if (run.isEmpty()) {
                runs.remove(run);
            }
        }
        return form;
    }

    private static boolean isInt32(FieldDescriptor schema) {
        return schema != null
                && (schema.getType() == FieldDescriptor.Type.INT32 || schema.getType() == FieldDescriptor.Type.ENUM);
    }

    private static void split(Field packed, Random random, List<Field> pieces) {
        List<Field> rest = new ArrayList<>(packed.scalars);
        while (!rest.isEmpty()) {
            if (random.nextBoolean()) {
                pieces.add(rest.remove(0).copy());
            } else {
                List<Field> head = rest.subList(0, 1 + random.nextInt(rest.size()));
                pieces.add(packed(packed.schema, new ArrayList<>(head)));
                head.clear();
            }
        }
        if (random.nextInt(8) == 0) {
            pieces.add(packed(packed.schema, List.of()));
        }
    }

    byte[] toBytes() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Field field : fields) {
            field.writeTo(out);
        }
        return out.toByteArray();
    }

    Field find(Predicate<Field> wanted, Random random) {
        List<Field> found = fields.stream().filter(wanted).toList();
        return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
    }

    private void addUnknown(UnknownFieldSet unknown) {
        for (Map.Entry<Integer, UnknownFieldSet.Field> entry : unknown.asMap().entrySet()) {
            int number = entry.getKey();
            entry.getValue().getVarintList().forEach(bits -> fields.add(new Field(null, number, VARINT, bits)));
            entry.getValue()
                    .getFixed32List()
                    .forEach(bits -> fields.add(new Field(null, number, FIXED32, bits & 0xFFFFFFFFL)));
            entry.getValue().getFixed64List().forEach(bits -> fields.add(new Field(null, number, FIXED64, bits)));
            entry.getValue()
                    .getLengthDelimitedList()
                    .forEach(bytes -> fields.add(lengthDelimited(null, number, bytes.toByteArray())));
        }
    }

    static Field lengthDelimited(FieldDescriptor schema, int number, byte[] bytes) {
        Field field = new Field(schema, number, LENGTH_DELIMITED, 0);
        field.bytes = bytes;
        return field;
    }

    static Field scalar(FieldDescriptor schema, int number, int wireType, long bits) {
        return new Field(schema, number, wireType, bits);
    }

    /** Bytes that are put between the fields as they are. */
    static Field raw(byte... bytes) {
        Field field = new Field(null, 0, -1, 0);
        field.bytes = bytes;
        return field;
    }

    private static Field packed(FieldDescriptor schema, List<Field> scalars) {
        Field field = new Field(schema, schema.getNumber(), LENGTH_DELIMITED, 0);
        field.scalars = scalars;
        return field;
    }

    /** Returns one element or singular value of a field. */
    static Field field(FieldDescriptor schema, Object value) {
        if (schema.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            Field field = new Field(schema, schema.getNumber(), LENGTH_DELIMITED, 0);
            field.message = of((Message) value);
            return field;
        }
        if (value instanceof String string) {
            return lengthDelimited(
                    schema, schema.getNumber(), ByteString.copyFromUtf8(string).toByteArray());
        }
        if (value instanceof ByteString bytes) {
            return lengthDelimited(schema, schema.getNumber(), bytes.toByteArray());
        }
        return new Field(schema, schema.getNumber(), wireType(schema), bits(schema, value));
    }

    static int wireType(FieldDescriptor schema) {
        return schema.getLiteType().getWireType();
    }

    private static long bits(FieldDescriptor schema, Object value) {
        if (value instanceof EnumValueDescriptor constant) {
            return constant.getNumber();
        }
        if (value instanceof Boolean bool) {
            return bool ? 1 : 0;
        }
        if (value instanceof Double real) {
            return Double.doubleToRawLongBits(real);
        }
        long number = ((Number) value).longValue();
        return switch (schema.getType()) {
            case SINT32 -> ((int) number << 1 ^ (int) number >> 31) & 0xFFFFFFFFL;
            case UINT32 -> number & 0xFFFFFFFFL;
            default -> number;
        };
    }

    static void writeVarint(ByteArrayOutputStream out, long value, int padding) {
        long rest = value;
        int length = 1;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
            length++;
        }
        int extra = Math.min(padding, 10 - length);
        out.write((int) rest | (extra > 0 ? 0x80 : 0));
        for (int i = 1; i <= extra; i++) {
            out.write(i < extra ? 0x80 : 0);
        }
    }

    /** One field on the wire. */
    static final class Field {
        final FieldDescriptor schema;
        int number;
        int wireType;
        long bits;
        int padding;
        byte[] bytes;
        WireMessage message;
        List<Field> scalars;

        private Field(FieldDescriptor schema, int number, int wireType, long bits) {
            this.schema = schema;
            this.number = number;
            this.wireType = wireType;
            this.bits = bits;
        }

        Field copy() {
            Field copy = new Field(schema, number, wireType, bits);
            copy.padding = padding;
            copy.bytes = bytes;
            copy.message = message;
            copy.scalars = scalars;
            return copy;
        }

        void writeTo(ByteArrayOutputStream out) {
            if (wireType < 0) {
                out.writeBytes(bytes);
                return;
            }
            writeVarint(out, (long) number << 3 | wireType, 0);
            writeValue(out);
        }

        private void writeValue(ByteArrayOutputStream out) {
            switch (wireType) {
                case VARINT -> writeVarint(out, bits, padding);
                case FIXED64 -> writeFixed(out, 8);
                case FIXED32 -> writeFixed(out, 4);
                default -> {
                    byte[] body = bytes;
                    if (message != null) {
                        body = message.toBytes();
                    } else if (scalars != null) {
                        ByteArrayOutputStream packed = new ByteArrayOutputStream();
                        scalars.forEach(scalar -> scalar.writeValue(packed));
                        body = packed.toByteArray();
                    }
                    writeVarint(out, body.length, 0);
                    out.writeBytes(body);
                }
            }
        }

        private void writeFixed(ByteArrayOutputStream out, int size) {
            for (int i = 0; i < size; i++) {
                out.write((int) (bits >>> 8 * i));
            }
        }
    }
}
