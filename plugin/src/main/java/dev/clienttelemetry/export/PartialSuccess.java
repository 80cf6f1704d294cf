/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;

/**
 * The part of an {@code ExportMetricsServiceResponse} that says something: {@code partial_success} (field 1) with {@code
 * rejected_data_points} (1) and {@code error_message} (2).
 *
 * @param rejectedPoints at least 0
 * @param message the backend's words in one line; may be there without a rejected point, as a warning
 */
record PartialSuccess(long rejectedPoints, String message) {
    static PartialSuccess parse(byte[] response) {
        long rejected = 0;
        String message = "";
        ProtoFields fields = new ProtoFields(response);
        while (fields.next()) {
            if (fields.field() == 1 && fields.hasContent()) {
                ProtoFields partial = new ProtoFields(fields.content());
                while (partial.next()) {
                    if (partial.field() == 1) {
                        rejected = partial.number();
                    } else if (partial.field() == 2) {
                        message = partial.text();
                    }
                }
            }
        }
        return new PartialSuccess(Math.max(0, rejected), Quoted.line(message));
    }

    /** Returns whether bytes are an {@code ExportMetricsServiceResponse}, which no bytes at all are too. */
    static boolean isResponse(byte[] bytes) {
        ProtoFields fields = new ProtoFields(bytes);
        while (fields.next()) {
            if (fields.field() == 1) {
                if (!fields.hasContent()) {
                    return false;
                }
                ProtoFields partial = new ProtoFields(fields.content());
                while (partial.next()) {
                    // To the end.
                }
                if (!partial.endedSoundly()) {
                    return false;
                }
            }
        }
        return fields.endedSoundly();
    }
}
