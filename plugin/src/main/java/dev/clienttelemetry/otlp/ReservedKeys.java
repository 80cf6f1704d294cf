/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

/**
 * The keys of attributes that only the host may set. Backends rename an attribute to a label by mapping what a label's
 * name cannot hold to {@code _}, and let a data point's attribute win over the resource's, so that a client could take
 * the place of a label with any spelling that maps to it.
 */
final class ReservedKeys {
    /** All labels, configured or not, and what Prometheus makes of a target's identity. */
    private static final byte[][] KEYS = keys();

    private static final int LONGEST = longest();
    /** The letters that the keys begin with, as bits from a on. */
    private static final int FIRST_LETTERS = firstLetters();

    private ReservedKeys() {}

    /** Returns whether a key, which is UTF-8, equals a reserved one after each character outside [A-Za-z0-9_] is {@code _}. */
    static boolean contain(byte[] bytes, int start, int end) {
        if (start == end || end - start > LONGEST * 4) {
            return false;
        }
        // Each reserved key starts with a letter, which no other character maps to. Most keys of clients end here.
        byte first = bytes[start];
        if ((FIRST_LETTERS >>> (first - 'a') & 1) == 0 || first < 'a') {
            return false;
        }
        for (byte[] key : KEYS) {
            if (key[0] == first && matches(key, bytes, start, end)) {
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
            byte b = bytes[at];
            if (b != expected) {
                if (expected != '_' || isKept(b)) {
                    return false;
                }
                at += sequenceLength(b);
            } else {
                at++;
            }
        }
        return at == end;
    }

    private static boolean isKept(byte b) {
        return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_';
    }

    private static int sequenceLength(byte lead) {
        if (lead >= 0) {
            return 1;
        }
        return Integer.numberOfLeadingZeros(~(lead << 24));
    }

    private static byte[][] keys() {
        java.util.List<String> names = new java.util.ArrayList<>(
                java.util.List.of("job", "instance", "service_name", "service_namespace", "service_instance_id"));
        for (Label label : Label.values()) {
            names.add(label.key());
        }
        return names.stream()
                .map(name -> name.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                .toArray(byte[][]::new);
    }

    private static int firstLetters() {
        int letters = 0;
        for (byte[] key : KEYS) {
            letters |= 1 << (key[0] - 'a');
        }
        return letters;
    }

    private static int longest() {
        int longest = 0;
        for (byte[] key : KEYS) {
            longest = Math.max(longest, key.length);
        }
        return longest;
    }
}
