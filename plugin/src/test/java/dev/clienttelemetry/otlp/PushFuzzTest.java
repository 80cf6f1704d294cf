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

/** Replays the inputs that fuzzing found worth keeping, one a line. */
class PushFuzzTest {

    @Test
    void noKnownInputDoesHarm() throws IOException {
        List<byte[]> inputs = corpus();
        int sound = 0;
        for (byte[] input : inputs) {
            try {
                PushFuzz.fuzzerTestOneInput(input);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(HexFormat.of().formatHex(input), e);
            }
            sound += WireRules.fault(input).isEmpty() ? 1 : 0;
        }
        assertThat(sound).as("inputs that are accepted").isGreaterThan(50);
        assertThat(inputs.size() - sound).as("inputs that are refused").isGreaterThan(50);
    }

    private static List<byte[]> corpus() throws IOException {
        try (InputStream in = PushFuzzTest.class.getResourceAsStream("/fuzz/push-corpus.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(HexFormat.of()::parseHex)
                    .toList();
        }
    }
}
