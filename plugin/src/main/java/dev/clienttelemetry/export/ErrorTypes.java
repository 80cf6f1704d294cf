/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

/**
 * {@code error.type} of a failure: the name of its class where that is the JDK's, else that of the nearest superclass which
 * is. The names of libraries are no names to alert on: they change with a version, and in the jar they are relocated.
 */
final class ErrorTypes {
    private static final String JDK = "java";

    private ErrorTypes() {}

    static String of(Throwable failure) {
        Class<?> type = failure.getClass();
        while (!type.getName().startsWith(JDK)) {
            type = type.getSuperclass();
        }
        return type.getName();
    }
}
