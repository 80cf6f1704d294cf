/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

/** What somebody else's code threw. */
final class Thrown {
    private Thrown() {}

    /**
     * Returns normally where the throwable tells of the code that threw it, and throws it where it is the JVM's own
     * trouble, such as no memory. A stack overflow is the code's: its recursion.
     */
    static void unlessOfTheJvm(Throwable thrown) {
        if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError)) {
            throw error;
        }
    }

    /** Returns the throwable as text, never throwing itself: an exception's methods are somebody else's code too. */
    static String text(Throwable thrown) {
        try {
            return String.valueOf(thrown);
        } catch (RuntimeException | Error e) {
            return thrown.getClass().getName();
        }
    }
}
