/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import picocli.CommandLine.Option;

/** How results are written. */
final class OutputOptions {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private OutputFormat format;

    boolean inJson() {
        return format == OutputFormat.JSON;
    }
}
