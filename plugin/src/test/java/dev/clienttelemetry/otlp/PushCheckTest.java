/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.fail;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.clienttelemetry.metrics.RefusalReason;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.EntityRef;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PushCheckTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java-4.4.0-consumer-1",
                "java-4.4.0-consumer-2",
                "java-4.4.0-producer-1",
                "java-4.4.0-producer-2",
                "librdkafka-2.15-producer-1"
            })
    void acceptsWhatRealClientsPush(String payload) {
        assertAccepted(Payloads.read(payload));
    }

    @Test
    void acceptsAMessageWithEveryFieldOfTheSchema() {
        assertAccepted(everyField().toByteArray());
    }

    @Test
    void acceptsTheEmptyPush() {
        assertAccepted(new byte[0]);
    }

    @Test
    void looksNoFurtherThanTheGivenLength() {
        byte[] payload = Payloads.read("librdkafka-2.15-producer-1");
        byte[] longer = Arrays.copyOf(payload, payload.length + 10);
        Arrays.fill(longer, payload.length, longer.length, (byte) 0xff);
        assertThatCode(() -> PushCheck.check(longer, payload.length)).doesNotThrowAnyException();
    }

    @Test
    void refusesEveryTruncationThatTheOfficialParserRefuses() {
        byte[] payload = everyField().toByteArray();
        for (int length = 0; length < payload.length; length++) {
            byte[] truncated = Arrays.copyOf(payload, length);
            assertThat(accepts(truncated)).as("cut at %d", length).isEqualTo(officiallyParsed(truncated));
        }
    }

    @Test
    void refusesWhateverOneChangedByteMakesUnparseable() {
        byte[] payload = everyField().toByteArray();
        for (int at = 0; at < payload.length; at++) {
            byte original = payload[at];
            for (int bit = 0; bit < 8; bit++) {
                payload[at] = (byte) (original ^ 1 << bit);
                if (accepts(payload) && !officiallyParsed(payload)) {
                    fail("byte %d changed from %d to %d", at, original, payload[at]);
                }
            }
            payload[at] = original;
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "TRUNCATED, 0a05",
        "TRUNCATED, 0a",
        "TRUNCATED, 0a80",
        "TRUNCATED, 0affffffff0f",
        "TRUNCATED, 0a8080808010",
        "TRUNCATED, 0a02 1205",
        "TRUNCATED, 79 00",
        "TRUNCATED, 7d 00",
        "INVALID_TAG, 00",
        "INVALID_TAG, 0200",
        "INVALID_TAG, 0e",
        "INVALID_TAG, 0f",
        "INVALID_TAG, 8080808010",
        "INVALID_VARINT, 78 ffffffffffffffffffff01",
        "INVALID_VARINT, 78 ffffffffffffffffff02",
        "INVALID_VARINT, ffffffffffffffffffff01",
        "WRONG_WIRE_TYPE, 08 01",
        "WRONG_WIRE_TYPE, 09 0102030405060708",
        "WRONG_WIRE_TYPE, 0d 01020304",
        // A point's time as a varint, a metric's name as a fixed64.
        "WRONG_WIRE_TYPE, 0a0a 1208 1206 2a04 0a02 1801",
        "WRONG_WIRE_TYPE, 0a0d 120b 1209 09 0102030405060708",
        "GROUP, 0b 0c",
        "GROUP, 7b 7c",
        "GROUP, 7c",
        "GROUP, 0c",
        "GROUP, 0a02 7b7c",
        "INVALID_UTF8, 0a04 1a02 c080",
        "REPEATED_SINGULAR, 0a04 0a00 0a00",
        "REPEATED_SINGULAR, 0a06 1a0161 1a0162",
        // The tag of a resource written longer than need be: a field is what its number says.
        "REPEATED_SINGULAR, 0a06 8a0000 8a0000",
        "ONEOF_CONFLICT, 0a08 1206 1204 2a00 3a00",
        "REPEATED_SINGULAR, 0a08 1206 1204 2a00 2a00",
    })
    void refusesAndNamesTheFault(RefusalReason reason, String hex) {
        assertRefused(bytes(hex), reason);
    }

    @Test
    void refusesTwoValuesOfAPointInEitherOrder() {
        byte[] two = {0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x31, 1, 2, 3, 4, 5, 6, 7, 8};
        assertRefused(gaugePoint(two), RefusalReason.ONEOF_CONFLICT);
        two[0] = 0x31;
        two[9] = 0x21;
        assertRefused(gaugePoint(two), RefusalReason.ONEOF_CONFLICT);
        two[9] = 0x31;
        assertRefused(gaugePoint(two), RefusalReason.REPEATED_SINGULAR);
    }

    @Test
    void acceptsRepeatedScalarsPackedAndNotAndMixed() {
        // Bucket counts (6) packed with one element, then one that is not packed.
        byte[] mixed = bytes("3208 0100000000000000 31 0200000000000000 3200");
        byte[] payload = within(9, mixed);
        assertAccepted(payload);
        // Buckets.bucket_counts (2) of an exponential histogram, varints.
        assertAccepted(within(10, bytes("4209 1203 01ff01 1005 1200")));
        assertRefused(within(10, bytes("4204 1202 01ff")), RefusalReason.TRUNCATED);
        assertRefused(within(9, bytes("3207 01000000000000")), RefusalReason.TRUNCATED);
        assertRefused(within(9, bytes("3004")), RefusalReason.WRONG_WIRE_TYPE);
        assertRefused(within(9, bytes("3501000000")), RefusalReason.WRONG_WIRE_TYPE);
        assertRefused(within(10, bytes("4209 110100000000000000")), RefusalReason.WRONG_WIRE_TYPE);
        assertRefused(within(10, bytes("4205 1501000000")), RefusalReason.WRONG_WIRE_TYPE);
    }

    @Test
    void keepsOutOfUnknownFields() {
        // Field 15 of MetricsData: bytes that are no message.
        assertAccepted(bytes("7a03 0bffff"));
        assertAccepted(bytes("7800 79 0000000000000000 7d 00000000"));
        assertAccepted(bytes("f8ffffff0f 01"));
        // Unknown fields may repeat.
        assertAccepted(bytes("7801 7801"));
    }

    @Test
    void acceptsVarintsThatAreLongerThanNeedBe() {
        assertAccepted(bytes("8a80808000 8000"));
        assertAccepted(bytes("7880808080808080808000"));
        assertAccepted(bytes("78ffffffffffffffffff01"));
    }

    @Test
    void acceptsThirtyTwoMessagesOnAPathAndNotOneMore() {
        assertAccepted(resourceAttribute(nestedArrays(13)));
        assertThat(levels(13)).isEqualTo(31);
        // An empty KeyValueList as the innermost value makes it 32.
        assertAccepted(resourceAttribute(nestedArrays(
                13,
                AnyValue.newBuilder()
                        .setKvlistValue(KeyValueList.getDefaultInstance())
                        .build())));
        assertRefused(resourceAttribute(nestedArrays(14)), RefusalReason.TOO_DEEP);
        assertRefused(
                resourceAttribute(nestedArrays(
                        13,
                        AnyValue.newBuilder()
                                .setKvlistValue(KeyValueList.newBuilder().addValues(KeyValue.getDefaultInstance()))
                                .build())),
                RefusalReason.TOO_DEEP);
    }

    @Test
    void aHugelyDeepPushIsRefusedAndNothingElse() {
        byte[] value = new byte[0];
        for (int i = 0; i < 5_000; i++) {
            byte[] array = field(1, value);
            value = field(5, array);
        }
        assertRefused(resourceAttribute(value), RefusalReason.TOO_DEEP);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c080", "c1bf", "e08080", "e09fbf", "eda080", "edbfbf", "f0808080", "f08fbfbf", "f4908080", "f5808080",
                "80", "bf", "c2", "e0a0", "f09080", "c220", "e0a020", "f0908020", "ff", "fe",
                "6162636465666768 80", "61626364656667 c3"
            })
    void refusesStringsThatTheOfficialParserRefuses(String hex) {
        byte[] payload = schemaUrl(bytes(hex));
        assertThat(officiallyParsed(payload)).isFalse();
        assertRefused(payload, RefusalReason.INVALID_UTF8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00",
                "7f",
                "c280",
                "dfbf",
                "e0a080",
                "ed9fbf",
                "ee8080",
                "efbfbf",
                "f0908080",
                "f48fbfbf",
                "61626364656667 c3a4 6162636465666768",
                "c3a4c3a4c3a4c3a4c3a4"
            })
    void acceptsStringsThatTheOfficialParserAccepts(String hex) {
        assertAccepted(schemaUrl(bytes(hex)));
    }

    @Test
    void stringsOfThreeBytesAreJudgedAsTheOfficialParserDoes() {
        int[] edges = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xf0, 0xf4, 0xff};
        for (int first = 0x7f; first < 256; first++) {
            for (int second : edges) {
                for (int third : edges) {
                    byte[] payload = schemaUrl(new byte[] {(byte) first, (byte) second, (byte) third});
                    assertThat(accepts(payload)).isEqualTo(officiallyParsed(payload));
                }
            }
        }
    }

    @Test
    void aResourceLikeThePreviousOneSavesNoOtherFieldFromTheCheck() {
        byte[] good = field(1, bytes("0a00"));
        byte[] bad = field(1, bytes("0a00 0a00"));
        byte[] badAfterResource = field(1, bytes("0a00 1a01ff"));
        assertAccepted(concat(good, good));
        assertRefused(concat(good, bad), RefusalReason.REPEATED_SINGULAR);
        assertRefused(concat(good, badAfterResource), RefusalReason.INVALID_UTF8);
        // A resource that is a prefix of the previous one, and the other way round.
        byte[] longer = field(1, field(1, bytes("1001")));
        byte[] cut = field(1, field(1, bytes("10")));
        assertRefused(concat(longer, cut), RefusalReason.TRUNCATED);
    }

    @Test
    void theMessageSaysWhereAndHoldsNothingOfTheClient() {
        assertThatThrownBy(() -> PushCheck.check(schemaUrl(bytes("736563726574ff")), 11))
                .isInstanceOf(MalformedPushException.class)
                .hasMessage("Not sound OTLP at byte 10: a string that is not UTF-8")
                .satisfies(refused -> assertThat(refused.getStackTrace()).isEmpty());
    }

    private static MetricsData everyField() {
        UnknownFieldSet unknown = UnknownFieldSet.newBuilder()
                .mergeField(
                        77,
                        UnknownFieldSet.Field.newBuilder()
                                .addVarint(-1)
                                .addFixed32(5)
                                .addFixed64(6)
                                .addLengthDelimited(ByteString.copyFromUtf8("anything"))
                                .build())
                .build();
        ArrayValue.Builder values = ArrayValue.newBuilder()
                .addValues(AnyValue.newBuilder().setStringValue("näme"))
                .addValues(AnyValue.newBuilder().setBoolValue(false))
                .addValues(AnyValue.newBuilder().setIntValue(-1))
                .addValues(AnyValue.newBuilder().setDoubleValue(Double.NaN))
                .addValues(AnyValue.newBuilder().setBytesValue(ByteString.copyFrom(new byte[] {-1, 0})))
                .addValues(AnyValue.newBuilder().setStringValueStrindex(-7))
                .addValues(AnyValue.newBuilder()
                        .setKvlistValue(KeyValueList.newBuilder()
                                .addValues(KeyValue.newBuilder().setKey("k"))));
        KeyValue attribute = KeyValue.newBuilder()
                .setKey("ключ")
                .setKeyStrindex(3)
                .setValue(AnyValue.newBuilder().setArrayValue(values))
                .setUnknownFields(unknown)
                .build();
        Exemplar exemplar = Exemplar.newBuilder()
                .addFilteredAttributes(attribute)
                .setTimeUnixNano(1)
                .setAsInt(-2)
                .setSpanId(ByteString.copyFromUtf8("12345678"))
                .setTraceId(ByteString.copyFromUtf8("1234567812345678"))
                .build();
        NumberDataPoint point = NumberDataPoint.newBuilder()
                .addAttributes(attribute)
                .setStartTimeUnixNano(1)
                .setTimeUnixNano(2)
                .setAsDouble(3)
                .addExemplars(exemplar)
                .addExemplars(exemplar.toBuilder().setAsDouble(1))
                .setFlags(1)
                .setUnknownFields(unknown)
                .build();
        HistogramDataPoint histogramPoint = HistogramDataPoint.newBuilder()
                .addAttributes(attribute)
                .setStartTimeUnixNano(1)
                .setTimeUnixNano(2)
                .setCount(3)
                .setSum(4)
                .addBucketCounts(1)
                .addBucketCounts(2)
                .addExplicitBounds(5)
                .addExemplars(exemplar)
                .setFlags(1)
                .setMin(0)
                .setMax(9)
                .build();
        ExponentialHistogramDataPoint.Buckets buckets = ExponentialHistogramDataPoint.Buckets.newBuilder()
                .setOffset(-3)
                .addBucketCounts(300)
                .addBucketCounts(-1)
                .build();
        ExponentialHistogramDataPoint exponentialPoint = ExponentialHistogramDataPoint.newBuilder()
                .addAttributes(attribute)
                .setStartTimeUnixNano(1)
                .setTimeUnixNano(2)
                .setCount(3)
                .setSum(4)
                .setScale(-1)
                .setZeroCount(5)
                .setPositive(buckets)
                .setNegative(buckets)
                .setFlags(1)
                .addExemplars(exemplar)
                .setMin(0)
                .setMax(1)
                .setZeroThreshold(0.1)
                .build();
        SummaryDataPoint summaryPoint = SummaryDataPoint.newBuilder()
                .addAttributes(attribute)
                .setStartTimeUnixNano(1)
                .setTimeUnixNano(2)
                .setCount(3)
                .setSum(4)
                .addQuantileValues(SummaryDataPoint.ValueAtQuantile.newBuilder()
                        .setQuantile(0.5)
                        .setValue(1))
                .setFlags(1)
                .build();
        Metric named = Metric.newBuilder()
                .setName("name")
                .setDescription("description")
                .setUnit("unit")
                .addMetadata(attribute)
                .build();
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(Resource.newBuilder()
                                .addAttributes(attribute)
                                .setDroppedAttributesCount(-1)
                                .addEntityRefs(EntityRef.newBuilder()
                                        .setSchemaUrl("u")
                                        .setType("t")
                                        .addIdKeys("i")
                                        .addIdKeys("j")
                                        .addDescriptionKeys("d")))
                        .addScopeMetrics(ScopeMetrics.newBuilder()
                                .setScope(InstrumentationScope.newBuilder()
                                        .setName("n")
                                        .setVersion("v")
                                        .addAttributes(attribute)
                                        .setDroppedAttributesCount(4))
                                .addMetrics(named.toBuilder()
                                        .setGauge(Gauge.newBuilder().addDataPoints(point)))
                                .addMetrics(named.toBuilder()
                                        .setSum(Sum.newBuilder()
                                                .addDataPoints(point)
                                                .setAggregationTemporalityValue(-5)
                                                .setIsMonotonic(true)))
                                .addMetrics(named.toBuilder()
                                        .setHistogram(Histogram.newBuilder()
                                                .addDataPoints(histogramPoint)
                                                .setAggregationTemporalityValue(1)))
                                .addMetrics(named.toBuilder()
                                        .setExponentialHistogram(ExponentialHistogram.newBuilder()
                                                .addDataPoints(exponentialPoint)
                                                .setAggregationTemporalityValue(2)))
                                .addMetrics(named.toBuilder()
                                        .setSummary(Summary.newBuilder().addDataPoints(summaryPoint)))
                                .setSchemaUrl("s"))
                        .setSchemaUrl("r")
                        .setUnknownFields(unknown))
                .setUnknownFields(unknown)
                .build();
    }

    private static int levels(int arrays) {
        // MetricsData, ResourceMetrics, Resource, KeyValue, AnyValue, then an ArrayValue and an AnyValue each.
        return 5 + 2 * arrays;
    }

    private static byte[] nestedArrays(int arrays) {
        return nestedArrays(arrays, AnyValue.getDefaultInstance());
    }

    private static byte[] nestedArrays(int arrays, AnyValue innermost) {
        AnyValue value = innermost;
        for (int i = 0; i < arrays; i++) {
            value = AnyValue.newBuilder()
                    .setArrayValue(ArrayValue.newBuilder().addValues(value))
                    .build();
        }
        return value.toByteArray();
    }

    private static byte[] resourceAttribute(byte[] value) {
        return field(1, field(1, field(1, field(2, value))));
    }

    private static byte[] schemaUrl(byte[] url) {
        return field(1, field(3, url));
    }

    private static byte[] gaugePoint(byte[] point) {
        return within(5, point);
    }

    /** A push with one point in a metric's data of the given field number. */
    private static byte[] within(int data, byte[] point) {
        return field(1, field(2, field(2, field(data, field(1, point)))));
    }

    private static byte[] field(int number, byte[] content) {
        return UnknownFieldSet.newBuilder()
                .mergeField(
                        number,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFrom(content))
                                .build())
                .build()
                .toByteArray();
    }

    private static byte[] concat(byte[] first, byte[] second) {
        return ByteString.copyFrom(first).concat(ByteString.copyFrom(second)).toByteArray();
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private static boolean accepts(byte[] payload) {
        try {
            PushCheck.check(payload, payload.length);
            return true;
        } catch (MalformedPushException refused) {
            return false;
        }
    }

    private static boolean officiallyParsed(byte[] payload) {
        try {
            MetricsData.parseFrom(payload);
            return true;
        } catch (InvalidProtocolBufferException refused) {
            return false;
        }
    }

    private static void assertAccepted(byte[] payload) {
        assertThat(officiallyParsed(payload)).isTrue();
        assertThatCode(() -> PushCheck.check(payload, payload.length)).doesNotThrowAnyException();
    }

    private static void assertRefused(byte[] payload, RefusalReason reason) {
        MalformedPushException refused =
                catchThrowableOfType(MalformedPushException.class, () -> PushCheck.check(payload, payload.length));
        assertThat(refused).as("refused").isNotNull();
        assertThat(refused.reason()).as(refused.getMessage()).isEqualTo(reason);
        assertThat(refused.getMessage()).hasSizeLessThan(200);
    }
}
