/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replays the lives of clients that fuzzing found worth keeping, one a line. */
class SequenceFuzzTest {

    @Test
    void noKnownLifeBreaksARule() throws IOException {
        int known = 0;
        for (byte[] input : corpus()) {
            try {
                known += SequenceFuzz.run(input);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(HexFormat.of().formatHex(input), e);
            }
        }
        assertThat(known).as("points of series that had sent one before").isGreaterThan(300);
    }

    private static List<byte[]> corpus() throws IOException {
        try (InputStream in = SequenceFuzzTest.class.getResourceAsStream("/fuzz/sequence-corpus.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(HexFormat.of()::parseHex)
                    .toList();
        }
    }
}
