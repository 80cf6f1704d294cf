/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.io.IOException;
import java.io.OutputStream;

/** The content of one request: an {@code ExportMetricsServiceRequest} as bytes. May be written more than once. */
interface Payload {
    /** Returns how many bytes {@link #writeTo} writes. */
    int size();

    /** Returns whether these are the plugin's own metrics and no pushes. */
    default boolean isOwnMetrics() {
        return false;
    }

    /** Writes the bytes; leaves the stream open. */
    void writeTo(OutputStream out) throws IOException;
}
