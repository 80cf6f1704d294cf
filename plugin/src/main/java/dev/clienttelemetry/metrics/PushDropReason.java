/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/** Why a whole push, which the client was told is fine, did not reach the backend. */
public enum PushDropReason {
    /** The buffer was full; the oldest converted batches went first. */
    BUFFER_FULL,
    /** Conversion did not keep up and the reserve for unconverted pushes was full; its increments are lost. */
    CONVERSION_BACKLOG,
    /** Larger, decompressed, than {@code telemetry.max.bytes}. */
    TOO_LARGE,
    /** The backend answered that it will never take this push. */
    REFUSED_BY_BACKEND,
    /** Undelivered for {@code client.telemetry.batch.max.age.ms}. */
    TOO_OLD,
    /** An error of the plugin itself, which its log shows. */
    INTERNAL_ERROR,
    /** Still waiting when the plugin was closed and its time was up. */
    SHUTDOWN
}
