/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The payloads recorded from real clients. */
final class Payloads {
    private Payloads() {}

    static byte[] read(String name) {
        try (InputStream in = Payloads.class.getResourceAsStream("/payloads/" + name + ".otlp")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
