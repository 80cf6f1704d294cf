/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import java.util.Locale;

/** How results are written. */
enum OutputFormat {
    /** For people. */
    TEXT,
    /** For programs: one JSON object. */
    JSON;

    /** Returns the name as the option takes it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
