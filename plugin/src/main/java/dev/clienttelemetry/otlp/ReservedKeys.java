/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys of attributes that only the host may set. Backends rename an attribute to a label by mapping what a label's
 * name cannot hold to {@code _}, of which some make one of several and some none at either end, and let a data point's
 * attribute win over the resource's, so that a client could take the place of a label with any spelling that maps to it.
 */
final class ReservedKeys {
    /** All labels, configured or not, and what Prometheus makes of a target's identity. */
    private static final byte[][] KEYS = keys();

    /** The letters that the keys begin with, as bits from a on. */
    private static final int FIRST_LETTERS = firstLetters();

    private ReservedKeys() {}

    /**
     * Returns whether a key, which is UTF-8, equals a reserved one after each run of characters other than letters and
     * digits of ASCII is one {@code _}, and none at either end.
     */
    static boolean contain(byte[] bytes, int start, int end) {
        int from = afterSeparators(bytes, start, end);
        if (from == end) {
            return false;
        }
        // Each reserved key starts with a small letter. Most keys of clients end here.
        byte first = bytes[from];
        if ((FIRST_LETTERS >>> (first - 'a') & 1) == 0 || first < 'a') {
            return false;
        }
        for (byte[] key : KEYS) {
            if (key[0] == first && matches(key, bytes, from, end)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(byte[] key, byte[] bytes, int start, int end) {
        int at = start;
        for (byte expected : key) {
            if (at == end) {
                return false;
            }
            if (expected != '_') {
                if (bytes[at++] != expected) {
                    return false;
                }
            } else {
                if (!isSeparator(bytes[at++])) {
                    return false;
                }
                at = afterSeparators(bytes, at, end);
            }
        }
        return afterSeparators(bytes, at, end) == end;
    }

    private static int afterSeparators(byte[] bytes, int start, int end) {
        int at = start;
        while (at < end && isSeparator(bytes[at])) {
            at++;
        }
        return at;
    }

    /** Returns whether a byte is an underscore or of a character that becomes one: whole characters or parts are alike. */
    private static boolean isSeparator(byte b) {
        return !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9');
    }

    private static byte[][] keys() {
        List<String> names =
                new ArrayList<>(List.of("job", "instance", "service_name", "service_namespace", "service_instance_id"));
        for (Label label : Label.values()) {
            names.add(label.key());
        }
        return names.stream()
                .map(name -> name.getBytes(StandardCharsets.US_ASCII))
                .toArray(byte[][]::new);
    }

    private static int firstLetters() {
        int letters = 0;
        for (byte[] key : KEYS) {
            letters |= 1 << (key[0] - 'a');
        }
        return letters;
    }
}
