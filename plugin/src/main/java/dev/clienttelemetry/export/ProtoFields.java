/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the few small protobuf messages that come back from a backend, field by field. What is malformed reads as the
 * message's end: an answer's status counts, whatever is wrong with its body.
 */
final class ProtoFields {
    private final byte[] bytes;
    private int position;
    private int field;
    private long number;
    private byte[] content;
    private boolean broken;

    ProtoFields(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Goes to the next field; false at the end. */
    boolean next() {
        number = 0;
        content = null;
        if (broken || position >= bytes.length) {
            return false;
        }
        broken = !read();
        return !broken;
    }

    private boolean read() {
        long tag = varint();
        field = (int) (tag >>> 3);
        switch ((int) (tag & 7)) {
            case 0 -> number = varint();
            case 1 -> position += 8;
            case 2 -> {
                long length = varint();
                if (position < 0 || length < 0 || length > bytes.length - position) {
                    return false;
                }
                content = Arrays.copyOfRange(bytes, position, position + (int) length);
                position += (int) length;
            }
            case 5 -> position += 4;
            default -> {
                return false;
            }
        }
        return position >= 0 && position <= bytes.length && field > 0;
    }

    /** Returns whether the fields ended where the bytes do; to be asked when {@link #next} has said false. */
    boolean endedSoundly() {
        return position == bytes.length && !broken;
    }

    int field() {
        return field;
    }

    /** Returns the value of a varint field, else 0. */
    long number() {
        return number;
    }

    /** Returns whether the field is length-delimited. */
    boolean hasContent() {
        return content != null;
    }

    /** Returns the value of a length-delimited field, else an empty array. */
    byte[] content() {
        return content == null ? new byte[0] : content;
    }

    String text() {
        return new String(content(), StandardCharsets.UTF_8);
    }

    /** Returns -1 at the end of the bytes with the position behind them, so that the caller stops. */
    private long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (position >= bytes.length) {
                break;
            }
            byte b = bytes[position++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        position = bytes.length + 1;
        return -1;
    }
}
