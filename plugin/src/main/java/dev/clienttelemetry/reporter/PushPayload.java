/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import dev.clienttelemetry.metrics.RefusalReason;
import dev.clienttelemetry.otlp.MalformedPushException;
import dev.clienttelemetry.otlp.PushCheck;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/** Takes a sound payload out of what the host hands over. Stateless and thread-safe. */
final class PushPayload {
    private final int maxBytes;
    private final boolean maybeCompressed;

    /**
     * Creates it.
     *
     * @param maxBytes what a payload may have, decompressed: {@code telemetry.max.bytes}
     * @param maybeCompressed whether the host hands payloads over as clients compressed them. Where it does not, what
     *     begins like a compressed payload is none: its client said that it is not compressed, or compressed it twice
     */
    PushPayload(int maxBytes, boolean maybeCompressed) {
        this.maxBytes = maxBytes;
        this.maybeCompressed = maybeCompressed;
    }

    /**
     * Copies the payload out, decompressed where the host did not do that (Kafka 3.7), and checks it.
     *
     * @param data the host's buffer: shared and perhaps a slice of a network buffer, so its position stays where it is
     *     and the copy keeps nothing of it
     * @return the payload, or null where it is compressed and larger than the bound
     * @throws MalformedPushException where the bytes are no sound OTLP
     */
    byte[] sound(ByteBuffer data) throws MalformedPushException {
        int start = data.position();
        byte[] bytes = new byte[data.remaining()];
        data.get(start, bytes);
        Codec codec = maybeCompressed ? Codec.recognise(bytes) : null;
        if (codec == null) {
            PushCheck.check(bytes, bytes.length);
            return bytes;
        }
        return soundOfEither(codec, bytes);
    }

    /**
     * The magic bytes of zstd and snappy may begin sound OTLP, with unknown fields: the bytes themselves are the payload
     * unless they decompress to sound OTLP.
     */
    private byte[] soundOfEither(Codec codec, byte[] bytes) throws MalformedPushException {
        byte[] decompressed = null;
        MalformedPushException refusal = null;
        try {
            decompressed = codec.decompress(bytes, maxBytes);
            if (decompressed != null) {
                PushCheck.check(decompressed, decompressed.length);
                return decompressed;
            }
        } catch (MalformedPushException malformed) {
            refusal = malformed;
        } catch (IOException undecompressable) {
            refusal = new MalformedPushException(
                    RefusalReason.UNDECOMPRESSABLE,
                    "begins like " + codec.name().toLowerCase(Locale.ROOT) + " but does not decompress");
        }
        try {
            PushCheck.check(bytes, bytes.length);
            return bytes;
        } catch (MalformedPushException neither) {
            if (refusal != null) {
                throw refusal;
            }
            return null;
        }
    }
}
