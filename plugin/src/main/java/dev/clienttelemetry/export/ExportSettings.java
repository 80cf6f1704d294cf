/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

/**
 * How pushes are put together and delivered.
 *
 * @param batchMaxBytes {@code client.telemetry.batch.max.bytes}: the largest request body before compression, at least
 *     1; a larger push goes alone
 * @param batchLingerMs {@code client.telemetry.batch.linger.ms}: how long a push may wait for company, in milliseconds
 *     from its reception, at least 0
 * @param batchMaxAgeMs {@code client.telemetry.batch.max.age.ms}: what could not be delivered for so long is dropped, in
 *     milliseconds from its reception, at least 1
 * @param requestsInFlightMax {@code client.telemetry.requests.in.flight.max}: parallel requests, at least 1
 */
public record ExportSettings(int batchMaxBytes, long batchLingerMs, long batchMaxAgeMs, int requestsInFlightMax) {
    /** Checks the ranges; throws {@link IllegalArgumentException} for what is outside. */
    public ExportSettings {
        if (batchMaxBytes < 1 || batchLingerMs < 0 || batchMaxAgeMs < 1 || requestsInFlightMax < 1) {
            throw new IllegalArgumentException("out of range: " + batchMaxBytes + ", " + batchLingerMs + ", "
                    + batchMaxAgeMs + ", " + requestsInFlightMax);
        }
    }
}
