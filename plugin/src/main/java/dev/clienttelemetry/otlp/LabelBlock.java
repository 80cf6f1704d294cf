/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * What the host adds to each resource of a client's pushes, encoded once: {@code Resource.attributes} fields (1), one
 * for each label, and the two attributes that make the client's identity in Prometheus.
 */
final class LabelBlock {
    /** The longest label value in bytes, whether it is a client's or the operator's. */
    static final int MAX_VALUE_BYTES = Client.MAX_VALUE_BYTES;

    static final String UNKNOWN_SERVICE = "unknown_service";

    private static final long HASH_DOMAIN = 1;

    private final Client client;
    private final byte[] bytes;
    private final long hashHigh;
    private final long hashLow;

    LabelBlock(ConversionSettings settings, ClientInstance instance, Client client, KeyedHash hash) {
        this.client = client;
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        for (Label label : Label.values()) {
            String value = value(label, settings, instance, client);
            if (value != null && settings.labels().contains(label)) {
                attribute(out, label.key(), value);
            }
        }
        attribute(out, "service.name", serviceName(settings, instance, client));
        attribute(out, "service.instance.id", instanceId(instance));
        this.bytes = out.toByteArray();
        hash.hash(HASH_DOMAIN, bytes, 0, bytes.length);
        this.hashHigh = hash.high;
        this.hashLow = hash.low;
    }

    /** Returns whether the block says what is known of the client now. */
    boolean isOf(Client now) {
        return client == now || client.equals(now);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Returns the labels' part of the identity of each resource: other labels make another resource. */
    long hashHigh() {
        return hashHigh;
    }

    long hashLow() {
        return hashLow;
    }

    private static String serviceName(ConversionSettings settings, ClientInstance instance, Client client) {
        String rule = settings.serviceName();
        String name = null;
        if (rule.startsWith("=")) {
            name = rule.substring(1);
        } else {
            for (Label label : Label.values()) {
                if (label.key().equals(rule)) {
                    name = value(label, settings, instance, client);
                }
            }
        }
        return name == null || name.isEmpty() ? UNKNOWN_SERVICE : name;
    }

    private static String value(Label label, ConversionSettings settings, ClientInstance instance, Client client) {
        return switch (label) {
            case CLIENT_INSTANCE_ID -> instanceId(instance);
            case CLIENT_ID -> client.clientId();
            case CLIENT_SOFTWARE_NAME -> client.softwareName();
            case CLIENT_SOFTWARE_VERSION -> client.softwareVersion();
            case CLIENT_SOURCE_ADDRESS -> client.sourceAddress();
            case PRINCIPAL -> client.principal();
            case BROKER_ID -> settings.brokerId();
            case CLIENT_SOURCE_PORT -> client.sourcePort();
            case LISTENER_NAME -> client.listenerName();
            case SECURITY_PROTOCOL -> client.securityProtocol();
            case CLUSTER_ID -> settings.clusterId();
        };
    }

    /** Returns the id as Kafka writes it: 22 characters of URL-safe Base64. */
    private static String instanceId(ClientInstance instance) {
        ByteBuffer id = ByteBuffer.allocate(16)
                .putLong(instance.idMostSignificantBits())
                .putLong(instance.idLeastSignificantBits());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(id.array());
    }

    private static void attribute(ByteArrayOutputStream out, String key, String value) {
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        byte[] valueBytes = utf8(value);
        int stringSize = 1 + Wire.varintSize(valueBytes.length) + valueBytes.length;
        int keyValueSize =
                1 + Wire.varintSize(keyBytes.length) + keyBytes.length + 1 + Wire.varintSize(stringSize) + stringSize;
        out.write(Tag.RESOURCE_ATTRIBUTES);
        varint(out, keyValueSize);
        out.write(Tag.KEY);
        varint(out, keyBytes.length);
        out.write(keyBytes, 0, keyBytes.length);
        out.write(Tag.VALUE);
        varint(out, stringSize);
        out.write(Tag.STRING_VALUE);
        varint(out, valueBytes.length);
        out.write(valueBytes, 0, valueBytes.length);
    }

    /** Encodes a value; a lone surrogate, which UTF-8 does not have, becomes {@code ?}. Cut at a character's end. */
    private static byte[] utf8(String value) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        if (encoded.length <= MAX_VALUE_BYTES) {
            return encoded;
        }
        int end = MAX_VALUE_BYTES;
        while ((encoded[end] & 0xc0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(encoded, end);
    }

    private static void varint(ByteArrayOutputStream out, int value) {
        byte[] encoded = new byte[5];
        out.write(encoded, 0, Wire.putVarint(encoded, 0, value));
    }
}
