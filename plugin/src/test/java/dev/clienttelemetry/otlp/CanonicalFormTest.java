/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnknownFieldSet;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalFormTest {
    private final CanonicalForm canonicalForm = new CanonicalForm();

    @ParameterizedTest
    @CsvSource({
        "10, 16",
        "63, 16",
        "64, 16",
        "1000, 256",
        "1000, 257",
        "1000, 70000",
        "5000, 536870911",
        "64, 536870911"
    })
    void fieldsAreSortedByNumberAndKeepTheirOrderWithinOne(int count, int largest) throws IOException {
        Random random = new Random(count);
        ByteArrayOutputStream shuffled = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            // Each number about twice.
            int number = 2 + (int) ((long) (largest - 1) * random.nextInt(count / 2) / (count / 2));
            UnknownFieldSet.newBuilder()
                    .addField(
                            number,
                            UnknownFieldSet.Field.newBuilder().addVarint(i).build())
                    .build()
                    .writeTo(shuffled);
        }
        byte[] push = shuffled.toByteArray();
        byte[] rewritten = canonicalForm.rewrite(push);
        // The official classes collect unknown fields by number.
        assertThat(rewritten)
                .isEqualTo(MetricsData.parseFrom(push).toByteArray())
                .isNotEqualTo(push);
        assertThat(CanonicalForm.has(Schema.METRICS_DATA, rewritten, 0, rewritten.length, 0))
                .isTrue();
    }

    @Test
    void itIsTheFormThatRewritingLeavesAsItIs() {
        int canonical = 0;
        int other = 0;
        for (FieldSequences place : FieldSequences.values()) {
            for (byte[] push : place.pushes(2, 1)) {
                if (WireRules.fault(push).isPresent()) {
                    continue;
                }
                byte[] rewritten = canonicalForm.rewrite(push);
                String hex = HexFormat.of().formatHex(push);
                assertThat(canonicalForm.rewrite(rewritten)).as(hex).isEqualTo(rewritten);
                assertThat(CanonicalForm.has(Schema.METRICS_DATA, rewritten, 0, rewritten.length, 0))
                        .as(hex)
                        .isTrue();
                // Forged attributes are not a matter of their form.
                if (canonicalForm.forgedAttributes() == 0 && !hex.contains("0a036a6f62")) {
                    boolean has = CanonicalForm.has(Schema.METRICS_DATA, push, 0, push.length, 0);
                    assertThat(has).as(hex).isEqualTo(Arrays.equals(rewritten, push));
                    canonical += has ? 1 : 0;
                    other += has ? 0 : 1;
                }
            }
        }
        assertThat(canonical).isGreaterThan(100);
        assertThat(other).isGreaterThan(100);
    }
}
