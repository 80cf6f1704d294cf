/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundedStreamTest {
    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "1,2", "16384,16384", "16385,20000", "100000,100000", "100000,1000000"})
    void yieldsWhatIsWithinTheBound(int bytes, int maxBytes) throws IOException {
        byte[] content = content(bytes);

        assertThat(BoundedStream.read(inSmallParts(content), 10, maxBytes)).isEqualTo(content);
    }

    @ParameterizedTest
    @CsvSource({"2,1", "16385,16384", "100001,100000"})
    void yieldsNothingOfWhatIsBeyondIt(int bytes, int maxBytes) throws IOException {
        assertThat(BoundedStream.read(inSmallParts(content(bytes)), 10, maxBytes))
                .isNull();
    }

    @Test
    void makesRoomForNoMoreThanTheBound() {
        assertThat(BoundedStream.firstGuess(Integer.MAX_VALUE, 1 << 20)).isEqualTo(1 << 20);
        assertThat(BoundedStream.firstGuess(1, 100)).isEqualTo(100);
        assertThat(BoundedStream.firstGuess(10_000, 1 << 20)).isEqualTo(40_000);
    }

    private static byte[] content(int bytes) {
        byte[] content = new byte[bytes];
        new Random(1).nextBytes(content);
        return content;
    }

    /** As decompressing streams give what they have, not what there is room for. */
    private static InputStream inSmallParts(byte[] content) {
        return new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 1000));
            }
        };
    }
}
