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
import java.util.Random;
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
}
