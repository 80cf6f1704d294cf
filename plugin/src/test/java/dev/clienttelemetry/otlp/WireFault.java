/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import com.google.protobuf.Descriptors.FieldDescriptor;
import dev.clienttelemetry.metrics.RefusalReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** One fault put into a message that has none, and the names under which it may be refused. */
enum WireFault {
    TRUNCATED_LENGTH(RefusalReason.TRUNCATED) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            message.fields().add(WireMessage.raw((byte) 0xAA, (byte) 6, (byte) (1 + random.nextInt(127))));
            return true;
        }
    },
    TRUNCATED_NEGATIVE_LENGTH(RefusalReason.TRUNCATED) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            byte m = (byte) 0xFF;
            message.fields().add(WireMessage.raw((byte) 0xAA, (byte) 6, m, m, m, m, m, m, m, m, m, (byte) 1));
            return true;
        }
    },
    TRUNCATED_FIXED64(RefusalReason.TRUNCATED) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            message.fields().add(WireMessage.raw(concat(new byte[] {(byte) 0xA9, 6}, new byte[random.nextInt(8)])));
            return true;
        }
    },
    TRUNCATED_FIXED32(RefusalReason.TRUNCATED) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            message.fields().add(WireMessage.raw(concat(new byte[] {(byte) 0xAD, 6}, new byte[random.nextInt(4)])));
            return true;
        }
    },
    TRUNCATED_TAG(RefusalReason.TRUNCATED) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            message.fields().add(WireMessage.raw((byte) (0x80 | random.nextInt(128))));
            return true;
        }
    },
    FIELD_NUMBER_ZERO(RefusalReason.INVALID_TAG) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            insert(message, random, WireMessage.raw((byte) random.nextInt(3), (byte) 0));
            return true;
        }
    },
    RESERVED_WIRE_TYPE(RefusalReason.INVALID_TAG, RefusalReason.WRONG_WIRE_TYPE) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            int number = 1 + random.nextInt(15);
            insert(message, random, WireMessage.raw((byte) (number << 3 | 6 + random.nextInt(2)), (byte) 0));
            return true;
        }
    },
    LONG_VARINT(RefusalReason.INVALID_VARINT) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            insert(message, random, WireMessage.raw(concat(new byte[] {(byte) 0xA8, 6}, elevenBytes())));
            return true;
        }
    },
    LONG_LENGTH(RefusalReason.INVALID_VARINT) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            insert(message, random, WireMessage.raw(concat(new byte[] {(byte) 0xAA, 6}, elevenBytes())));
            return true;
        }
    },
    LONG_TAG(RefusalReason.INVALID_VARINT, RefusalReason.INVALID_TAG) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            insert(message, random, WireMessage.raw(elevenBytes()));
            return true;
        }
    },
    LONG_KNOWN_VARINT(RefusalReason.INVALID_VARINT) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            FieldDescriptor schema = absentSingular(message, random, WireMessage.VARINT);
            if (schema == null) {
                return false;
            }
            insert(
                    message,
                    random,
                    WireMessage.raw(concat(new byte[] {(byte) (schema.getNumber() << 3)}, elevenBytes())));
            return true;
        }
    },
    WRONG_WIRE_TYPE(RefusalReason.WRONG_WIRE_TYPE, RefusalReason.GROUP) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            List<FieldDescriptor> known = message.descriptor().getFields();
            FieldDescriptor schema = known.get(random.nextInt(known.size()));
            int wireType = random.nextInt(6);
            if (wireType == WireMessage.wireType(schema)
                    || wireType == WireMessage.END_GROUP
                    || schema.isPackable() && wireType == WireMessage.LENGTH_DELIMITED) {
                return false;
            }
            if (wireType == WireMessage.START_GROUP) {
                byte tag = (byte) (schema.getNumber() << 3);
                insert(message, random, WireMessage.raw((byte) (tag | 3), (byte) (tag | 4)));
            } else if (wireType == WireMessage.LENGTH_DELIMITED) {
                insert(message, random, WireMessage.lengthDelimited(null, schema.getNumber(), new byte[0]));
            } else {
                insert(message, random, WireMessage.scalar(null, schema.getNumber(), wireType, 0));
            }
            return true;
        }
    },
    INVALID_UTF8(RefusalReason.INVALID_UTF8) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            WireMessage.Field string = message.find(
                    field -> field.schema != null && field.schema.getJavaType() == FieldDescriptor.JavaType.STRING,
                    random);
            if (string == null) {
                return false;
            }
            String[] bad = {
                "80",
                "C080",
                "C1BF",
                "E08080",
                "E09FBF",
                "EDA080",
                "EDBFBF",
                "F08FBFBF",
                "F4908080",
                "F5808080",
                "FF",
                "C3",
                "E282",
                "F09F98",
                "C328",
                "E28228"
            };
            byte[] wrong = java.util.HexFormat.of().parseHex(bad[random.nextInt(bad.length)]);
            byte[] prefix = "some kind of text".substring(0, random.nextInt(18)).getBytes();
            byte[] suffix = "and more".substring(0, random.nextInt(9)).getBytes();
            string.bytes = concat(concat(prefix, wrong), suffix);
            return true;
        }
    },
    REPEATED_SINGULAR(RefusalReason.REPEATED_SINGULAR, RefusalReason.ONEOF_CONFLICT) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            WireMessage.Field field = message.find(f -> f.schema != null && !f.schema.isRepeated(), random);
            if (field == null) {
                return false;
            }
            insert(message, random, field.copy());
            return true;
        }
    },
    ONEOF_CONFLICT(RefusalReason.ONEOF_CONFLICT) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            WireMessage.Field field =
                    message.find(f -> f.schema != null && f.schema.getRealContainingOneof() != null, random);
            if (field == null) {
                return false;
            }
            List<FieldDescriptor> others =
                    new ArrayList<>(field.schema.getRealContainingOneof().getFields());
            others.remove(field.schema);
            FieldDescriptor other = others.get(random.nextInt(others.size()));
            int wireType = WireMessage.wireType(other);
            insert(
                    message,
                    random,
                    wireType == WireMessage.LENGTH_DELIMITED
                            ? WireMessage.lengthDelimited(other, other.getNumber(), new byte[0])
                            : WireMessage.scalar(other, other.getNumber(), wireType, 0));
            return true;
        }
    },
    UNKNOWN_GROUP(RefusalReason.GROUP) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            byte[] content = new byte[2 * random.nextInt(3)];
            for (int i = 0; i < content.length; i += 2) {
                content[i] = 8;
            }
            insert(message, random, WireMessage.raw(concat(concat(new byte[] {(byte) 0xAB, 6}, content), new byte[] {
                (byte) 0xAC, 6
            })));
            return true;
        }
    },
    END_GROUP(RefusalReason.GROUP, RefusalReason.INVALID_TAG) {
        @Override
        boolean putInto(WireMessage message, Random random) {
            insert(message, random, WireMessage.raw((byte) 0xAC, (byte) 6));
            return true;
        }
    };

    private final Set<RefusalReason> names;

    WireFault(RefusalReason name, RefusalReason... others) {
        names = EnumSet.of(name, others);
    }

    /** Puts the fault into one message; returns false, and leaves the message alone, where it has no place for it. */
    abstract boolean putInto(WireMessage message, Random random);

    Set<RefusalReason> names() {
        return names;
    }

    /** Puts the fault somewhere into a message or what is under it; returns false where there is no place. */
    boolean putAnywhere(WireMessage root, Random random) {
        List<WireMessage> all = root.all();
        Collections.shuffle(all, random);
        for (WireMessage message : all) {
            if (putInto(message, random)) {
                return true;
            }
        }
        return false;
    }

    private static void insert(WireMessage message, Random random, WireMessage.Field field) {
        message.fields().add(random.nextInt(message.fields().size() + 1), field);
    }

    private static FieldDescriptor absentSingular(WireMessage message, Random random, int wireType) {
        List<FieldDescriptor> absent = message.descriptor().getFields().stream()
                .filter(schema -> !schema.isRepeated()
                        && schema.getRealContainingOneof() == null
                        && WireMessage.wireType(schema) == wireType
                        && message.fields().stream().noneMatch(f -> f.number == schema.getNumber()))
                .toList();
        return absent.isEmpty() ? null : absent.get(random.nextInt(absent.size()));
    }

    private static byte[] elevenBytes() {
        byte[] bytes = new byte[11];
        java.util.Arrays.fill(bytes, 0, 10, (byte) 0x80);
        return bytes;
    }

    private static byte[] concat(byte[] a, byte[] b) {
        byte[] both = java.util.Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}
