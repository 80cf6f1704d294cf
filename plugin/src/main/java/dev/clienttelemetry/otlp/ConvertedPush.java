/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Arrays;

/**
 * A push ready to be sent: the {@code resource_metrics} fields of an ExportMetricsServiceRequest, so that the bytes of
 * several pushes one after the other are one request. They are in two parts, the head and the body from its start on: a
 * push with nothing to merge is sent as it came, with values patched in place, behind a new head that has its labels.
 *
 * @param head the first bytes; may be none
 * @param body holds all other bytes, from {@code bodyStart} to its end
 * @param bodyStart where the second part begins in the body
 * @param points the number of data points in it
 */
public record ConvertedPush(byte[] head, byte[] body, int bodyStart, int points) {
    /** Returns the bytes of both parts in one array of their own. */
    public byte[] bytes() {
        byte[] bytes = Arrays.copyOf(head, head.length + body.length - bodyStart);
        System.arraycopy(body, bodyStart, bytes, head.length, body.length - bodyStart);
        return bytes;
    }
}
