/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.utils.ByteBufferOutputStream;

/** Payloads compressed by the classes by which Java clients compress them. */
final class CompressedSample {
    private CompressedSample() {}

    static ByteBuffer of(byte[] bytes, CompressionType type) throws IOException {
        ByteBufferOutputStream out = new ByteBufferOutputStream(512);
        try (OutputStream compressing =
                Compression.of(type).build().wrapForOutput(out, RecordBatch.CURRENT_MAGIC_VALUE)) {
            compressing.write(bytes);
        }
        out.buffer().flip();
        return out.buffer();
    }
}
