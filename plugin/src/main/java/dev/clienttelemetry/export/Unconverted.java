/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

/** A push that waits for its conversion. */
public interface Unconverted {
    /** Returns the bytes of memory that its payload holds. */
    int size();

    /** Returns when it was received, by the monotonic clock. */
    long receivedNanos();
}
