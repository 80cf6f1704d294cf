/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

/** How the command ends. */
final class ExitCode {
    /** All is well, or equal. */
    static final int OK = 0;
    /** A difference, or input that is wrong. */
    static final int DIFFERENT_OR_INVALID = 1;
    /** Wrong arguments. */
    static final int USAGE = 2;
    /** The cluster does not answer, or does not allow it. */
    static final int UNREACHABLE = 3;

    private ExitCode() {}
}
