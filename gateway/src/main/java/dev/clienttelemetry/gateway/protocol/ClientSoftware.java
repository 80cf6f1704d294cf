/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import org.apache.kafka.common.message.ApiVersionsRequestData;

/**
 * A client's library as it told it with ApiVersions.
 *
 * @param name its name, for example {@code apache-kafka-java}
 * @param version its version
 */
public record ClientSoftware(String name, String version) {
    /** What Apache Kafka takes before a client has told. */
    public static final ClientSoftware UNKNOWN = new ClientSoftware("unknown", "unknown");

    private static final short FIRST_VERSION_WITH_SOFTWARE = 3;

    /**
     * Returns what a connection's client is after an ApiVersions request. Names that a broker would refuse (KIP-511) are
     * not taken.
     *
     * @param version the request's version
     * @param request the request
     * @param before what was known before
     */
    public static ClientSoftware of(short version, ApiVersionsRequestData request, ClientSoftware before) {
        if (version < FIRST_VERSION_WITH_SOFTWARE
                || !isValid(request.clientSoftwareName())
                || !isValid(request.clientSoftwareVersion())) {
            return before;
        }
        return new ClientSoftware(request.clientSoftwareName(), request.clientSoftwareVersion());
    }

    /** Letters, digits, {@code -} and {@code .}, with a letter or digit at both ends. */
    private static boolean isValid(String text) {
        if (text.isEmpty() || !isLetterOrDigit(text.charAt(0)) || !isLetterOrDigit(text.charAt(text.length() - 1))) {
            return false;
        }
        for (int i = 1; i < text.length() - 1; i++) {
            char c = text.charAt(i);
            if (!isLetterOrDigit(c) && c != '-' && c != '.') {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetterOrDigit(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }
}
