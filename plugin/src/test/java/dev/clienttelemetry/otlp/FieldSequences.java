/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Pushes in which one message consists of every short sequence of some fields. The messages that most of a push consists
 * of are checked and read on short ways, which look for fields at fixed distances: what is not there, or is there by
 * chance, is a matter of single bytes, which random data seldom hits.
 */
enum FieldSequences {
    RESOURCE_METRICS(
            3, "0a00", "0a021001", "0a090a070a016b12021801", "1200", "12021200", "1a0175", "1a00", "7800", "788000"),
    RESOURCE(3, "0a070a016b12021801", "0a00", "1001", "108100", "1000", "1a030a0174", "7800", "788000"),
    SCOPE_METRICS(3, "0a00", "0a030a0173", "12050a016e2a00", "1200", "1a0175", "1a00", "7a00", "7a8000"),
    SCOPE(3, "0a0173", "0a00", "120176", "1a070a016b12021801", "2001", "208100", "2000", "7800", "788000"),
    METRIC(
            3,
            "0a016e",
            "0a81006e",
            "0a00",
            "0a01ff",
            "120164",
            "1a0175",
            "2a00",
            "2a140a12" + Fields.TIME + Fields.DOUBLE,
            "2a160a12" + Fields.TIME + Fields.DOUBLE + "7a00",
            "2a160a14" + Fields.TIME + Fields.INT + "7a00",
            "2a280a12" + Fields.TIME + Fields.DOUBLE + "0a12" + Fields.TIME + Fields.DOUBLE,
            "3a210a1b" + Fields.START + Fields.TIME + Fields.INT + "10011801",
            "3a1d0a1b" + Fields.START + Fields.TIME + Fields.INT,
            "4a00",
            "62070a016b12021801",
            "7801",
            // Bits of numbers above 31 are those of lower ones.
            "880200"),
    SUM(
            4,
            "0a1b" + Fields.START + Fields.TIME + Fields.INT,
            "0a00",
            "1001",
            "1002",
            "1000",
            "108100",
            "1801",
            "1800",
            "7801",
            "788100"),
    GAUGE(
            4,
            "0a1b" + Fields.START + Fields.TIME + Fields.INT,
            "0a12" + Fields.TIME + Fields.DOUBLE,
            "0a00",
            "0a021001",
            // Unknown fields that are like points and attributes.
            "7a12" + Fields.TIME + Fields.DOUBLE,
            "3a00",
            "7a8000"),
    /** Some exemplars, labels as they once were, attributes and unknown fields are as long as times and values. */
    POINT(
            3,
            Fields.START,
            Fields.TIME,
            "190000000000000000",
            Fields.DOUBLE,
            Fields.NAN,
            Fields.INT,
            "310000000000000000",
            Fields.TIME + Fields.INT,
            Fields.START + Fields.TIME + Fields.DOUBLE,
            "2a072a050102030405",
            "0a0701020304050607",
            "3a070a016b12021801",
            "3a090a036a6f6212021801",
            "4001",
            "7a0701020304050607"),
    SUM_POINT(3, POINT.fields),
    ATTRIBUTE(
            3,
            "0a016b",
            "0a00",
            "0a01ff",
            "0a036a6f62",
            "12030a0176",
            "12030a01ff",
            "12021801",
            "1203188100",
            "12050a01761801",
            "1200",
            "1801",
            "1800",
            "188100",
            "7800"),
    VALUE(
            2,
            "0a0176",
            "0a810076",
            "0a00",
            "1001",
            "1002",
            "1000",
            "1801",
            "188100",
            "18ff01",
            "18ff8100",
            "21000000000000f83f",
            "2a00",
            "2a040a021801",
            "3200",
            "320482010176",
            "3a0176",
            "3a810076",
            "4001",
            "408100",
            "40ffffffff0f",
            "40ffffffffffffffffff01",
            "7801",
            "788100",
            "82010176");

    /** Fields of a point. */
    private static final class Fields {
        static final long START_NANOS = 1_700_000_000_000L;
        static final String START = "110068e5cf8b010000";
        static final String TIME = "19002843d08b010000";
        static final String DOUBLE = "21000000000000f83f";
        static final String NAN = "21000000000000f87f";
        static final String INT = "310700000000000000";
        /** The content of a metric. */
        static final String SUM = "0a016e" + "3a21" + "0a1b" + START + TIME + INT + "10011801";

        static String fixed64(long value) {
            return HexFormat.of().toHexDigits(Long.reverseBytes(value));
        }
    }

    private final int longest;
    private final String[] fields;

    FieldSequences(int longest, String... fields) {
        this.longest = longest;
        this.fields = fields;
    }

    /** Returns a push for each sequence. */
    List<byte[]> pushes() {
        return pushes(longest, 1);
    }

    /**
     * Returns a push for each sequence. They come a second after each other, and so do their points.
     *
     * @param most the number of fields of the longest
     * @param times how often the message, or that around it where it may come only once, comes in the push
     */
    List<byte[]> pushes(int most, int times) {
        List<byte[]> pushes = new ArrayList<>();
        long nanos = Fields.START_NANOS;
        for (String sequence : sequences(most)) {
            long next = nanos + 1_000_000_000;
            pushes.add(bytes(push(sequence, times)
                    .replace(Fields.START, "11" + Fields.fixed64(nanos))
                    .replace(Fields.TIME, "19" + Fields.fixed64(next))));
            nanos = next;
        }
        return pushes;
    }

    /** Returns a push for each sequence of two fields at most and for each length that it may be cut to. */
    List<byte[]> cutPushes() {
        Set<String> cut = new LinkedHashSet<>();
        for (String sequence : sequences(2)) {
            for (int end = 0; end < sequence.length(); end += 2) {
                cut.add(sequence.substring(0, end));
            }
        }
        return cut.stream().map(sequence -> bytes(push(sequence, 1))).toList();
    }

    private List<String> sequences(int most) {
        List<String> sequences = new ArrayList<>(List.of(""));
        int from = 0;
        for (int length = 1; length <= most; length++) {
            int to = sequences.size();
            for (; from < to; from++) {
                for (String field : fields) {
                    sequences.add(sequences.get(from) + field);
                }
            }
        }
        return sequences;
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private String push(String content, int times) {
        return switch (this) {
            case RESOURCE_METRICS -> field("0a", content).repeat(times);
            case RESOURCE -> RESOURCE_METRICS.push(field("0a", content) + field("12", field("12", Fields.SUM)), times);
            case SCOPE_METRICS -> RESOURCE_METRICS.push(field("12", content).repeat(times), 1);
            case SCOPE -> SCOPE_METRICS.push(field("0a", content) + field("12", Fields.SUM), times);
            case METRIC -> SCOPE_METRICS.push(field("12", content).repeat(times), 1);
            case SUM -> METRIC.push("0a016e" + field("3a", content), times);
            case GAUGE -> METRIC.push("0a016e" + field("2a", content), times);
            case POINT -> GAUGE.push(field("0a", content).repeat(times), 1);
            case SUM_POINT -> SUM.push(field("0a", content).repeat(times) + "10011801", 1);
            case ATTRIBUTE ->
                SUM_POINT.push(
                        Fields.START
                                + Fields.TIME
                                + Fields.INT
                                + field("3a", content).repeat(times),
                        1);
            case VALUE -> ATTRIBUTE.push("0a016b" + field("12", content), times);
        };
    }

    private static String field(String tag, String content) {
        int length = content.length() / 2;
        return tag
                + (length < 128 ? "%02x".formatted(length) : "%02x%02x".formatted(length & 0x7f | 0x80, length >> 7))
                + content;
    }
}
