/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import java.util.List;

/** The compressions of PushTelemetry's payload, by the ids that Kafka's protocol gives them. */
enum PushCompression {
    NONE(0),
    GZIP(1),
    SNAPPY(2),
    LZ4(3),
    ZSTD(4);

    /** What clients are offered, best first, as Apache Kafka does. No compression is always accepted too. */
    static final List<Byte> OFFERED = List.of(ZSTD.id, LZ4.id, GZIP.id, SNAPPY.id);

    private static final PushCompression[] BY_ID = values();

    private final byte id;

    PushCompression(int id) {
        this.id = (byte) id;
    }

    /** Returns the compression with an id, or null for an id that there is not. */
    static PushCompression of(byte id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }
}
