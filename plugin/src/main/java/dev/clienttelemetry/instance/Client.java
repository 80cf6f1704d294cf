/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

/**
 * A client as the host knows it from a request: the values behind the labels. A component is null where the host
 * cannot know it, and is then left out as a label. A longer component is cut to {@link #MAX_VALUE_BYTES}: a client chooses
 * a client id and a software name of up to 32 KiB, and each instance remembered holds them.
 *
 * @param clientId the request header's client id
 * @param softwareName {@code client.software.name} of ApiVersions
 * @param softwareVersion {@code client.software.version} of ApiVersions
 * @param sourceAddress the client's address as {@code InetAddress.getHostAddress()} writes it
 * @param sourcePort the client's port, decimal
 * @param principal the authenticated principal, for example {@code User:alice}
 * @param listenerName the listener that the client is connected to
 * @param securityProtocol the listener's security protocol, for example {@code SASL_SSL}
 */
public record Client(
        String clientId,
        String softwareName,
        String softwareVersion,
        String sourceAddress,
        String sourcePort,
        String principal,
        String listenerName,
        String securityProtocol) {
    /** The longest component, and label value, in bytes of UTF-8; cut at a character's end. */
    public static final int MAX_VALUE_BYTES = 1024;

    /** Cuts what is too long. */
    public Client {
        clientId = cut(clientId);
        softwareName = cut(softwareName);
        softwareVersion = cut(softwareVersion);
        sourceAddress = cut(sourceAddress);
        sourcePort = cut(sourcePort);
        principal = cut(principal);
        listenerName = cut(listenerName);
        securityProtocol = cut(securityProtocol);
    }

    /**
     * Returns whether a component is what becomes of a value. Allocates nothing, and looks at no more of the value than is
     * kept.
     *
     * @param component of a client, or null
     * @param value as the host has it, or null
     */
    public static boolean isKeptOf(String component, String value) {
        if (component == null || value == null) {
            return component == value;
        }
        return component.length() == keptLength(value) && value.startsWith(component);
    }

    /**
     * Returns what is kept of a value: itself, or its beginning.
     *
     * @param value as the host has it, or null
     */
    public static String cut(String value) {
        if (value == null) {
            return null;
        }
        int length = keptLength(value);
        return length == value.length() ? value : value.substring(0, length);
    }

    /** Returns how many {@code char}s of a value are kept; a lone surrogate is written as one byte. */
    private static int keptLength(String value) {
        // No char takes more than three bytes.
        if (value.length() <= MAX_VALUE_BYTES / 3) {
            return value.length();
        }
        int bytes = 0;
        int index = 0;
        while (index < value.length()) {
            int character = value.codePointAt(index);
            bytes += utf8Size(character);
            if (bytes > MAX_VALUE_BYTES) {
                return index;
            }
            index += Character.charCount(character);
        }
        return index;
    }

    private static int utf8Size(int character) {
        if (character < 0x80 || character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE) {
            return 1;
        }
        if (character < 0x800) {
            return 2;
        }
        return character < Character.MIN_SUPPLEMENTARY_CODE_POINT ? 3 : 4;
    }
}
