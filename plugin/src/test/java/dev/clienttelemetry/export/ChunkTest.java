/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ChunkTest {

    @Test
    void itsBytesAreTheHeadAndTheBodyFromItsStart() throws IOException {
        Chunk chunk = new Chunk(
                new Pushes(new SetClock()).instance(1), new byte[] {1, 2}, new byte[] {9, 9, 9, 3, 4}, 3, 1, 0);

        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        chunk.writeTo(sent);

        assertThat(sent.toByteArray()).containsExactly(1, 2, 3, 4);
        assertThat(chunk.size()).isEqualTo(4);
        assertThat(chunk.withoutBytes().size()).isZero();
    }
}
