/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.clienttelemetry.metrics.RefusalReason;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The structural check against protobuf's own parser and against rules read off the schema. */
class PushCheckPropertyTest {

    @Provide
    Arbitrary<MetricsData> metricsData() {
        return MetricsDataArbitraries.metricsData();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatTheOfficialSerializerWritesIsAccepted(@ForAll("metricsData") MetricsData data) {
        assertThat(refusal(data.toByteArray())).isEmpty();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void everyLegalFormOfTheSameDataIsAccepted(@ForAll("metricsData") MetricsData data, @ForAll long seed)
            throws InvalidProtocolBufferException {
        byte[] bytes = WireMessage.of(data).rewritten(new Random(seed)).toBytes();

        assertThat(MetricsData.parseFrom(bytes)).isEqualTo(data);
        assertThat(WireRules.fault(bytes)).isEmpty();
        assertThat(refusal(bytes)).as("%s", hex(bytes)).isEmpty();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void eachFaultIsRefusedUnderItsName(
            @ForAll("metricsData") MetricsData data, @ForAll WireFault fault, @ForAll long seed) {
        Random random = new Random(seed);
        WireMessage message = WireMessage.of(data);
        Assume.that(fault.putAnywhere(message, random));
        byte[] bytes = message.toBytes();

        assertThat(refusal(bytes)).as("%s", hex(bytes)).isPresent().get().isIn(fault.names());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void mutatedBytesAreAcceptedExactlyIfTheyAreSound(@ForAll("metricsData") MetricsData data, @ForAll long seed) {
        byte[] bytes = mutated(WireMessage.of(data).rewritten(new Random(seed)).toBytes(), new Random(seed));

        assertJudgedRightly(bytes);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void anyBytesAreAcceptedExactlyIfTheyAreSound(@ForAll byte[] bytes) {
        assertJudgedRightly(bytes);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void onlyTheGivenLengthIsLookedAt(@ForAll("metricsData") MetricsData data, @ForAll byte[] behind) {
        byte[] bytes = data.toByteArray();
        byte[] longer = Arrays.copyOf(bytes, bytes.length + behind.length);
        System.arraycopy(behind, 0, longer, bytes.length, behind.length);

        assertThat(refusal(longer, bytes.length)).isEmpty();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void everyCutIsJudgedRightly(@ForAll("metricsData") MetricsData data, @ForAll @IntRange(max = 400) int cut) {
        byte[] bytes = data.toByteArray();
        assertJudgedRightly(Arrays.copyOf(bytes, Math.max(0, bytes.length - cut)));
    }

    @Example
    void everySequenceOfFieldsIsJudgedRightly() {
        for (FieldSequences place : FieldSequences.values()) {
            for (byte[] push : place.pushes()) {
                assertJudgedRightly(push);
            }
            for (byte[] push : place.pushes(2, 2)) {
                assertJudgedRightly(push);
            }
            for (byte[] push : place.cutPushes()) {
                assertJudgedRightly(push);
            }
        }
    }

    @Example
    void everyByteOfAFieldMattersOnTheShortWaysToo() {
        byte[] changes = {1, 2, 0x10, 0x7F, (byte) 0x80, (byte) 0xFF};
        for (FieldSequences place : FieldSequences.values()) {
            for (byte[] push : place.pushes(place == FieldSequences.VALUE ? 1 : 2, 1)) {
                for (int at = 0; at < push.length; at++) {
                    byte right = push[at];
                    for (byte change : changes) {
                        push[at] = (byte) (right ^ change);
                        assertJudgedRightly(push);
                    }
                    push[at] = right;
                }
            }
        }
    }

    @Property(tries = 70)
    void thirtyTwoMessagesOnAPathAreAcceptedAndOneMoreIsNot(
            @ForAll Place place, @ForAll @IntRange(min = 20, max = 40) int depth) {
        byte[] bytes = place.nested(depth).toByteArray();

        if (depth <= 32) {
            assertThat(refusal(bytes)).isEmpty();
        } else {
            assertThat(refusal(bytes)).contains(RefusalReason.TOO_DEEP);
        }
    }

    @Example
    void theDepthOfTheTestsIsTheDepthOfTheRules() {
        for (Place place : Place.values()) {
            for (int depth = 20; depth < 40; depth++) {
                assertThat(WireRules.fault(place.nested(depth).toByteArray()).isPresent())
                        .as("%s %d", place, depth)
                        .isEqualTo(depth > 32);
            }
        }
    }

    @Example
    void unknownFieldsAreNotLookedInto() {
        byte[] nonsense = new byte[64];
        Arrays.fill(nonsense, (byte) 0xFF);
        MetricsData data = MetricsData.newBuilder()
                .setUnknownFields(com.google.protobuf.UnknownFieldSet.newBuilder()
                        .addField(
                                17,
                                com.google.protobuf.UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(ByteString.copyFrom(nonsense))
                                        .build())
                        .build())
                .build();
        assertThat(refusal(data.toByteArray())).isEmpty();
    }

    /** Where values can nest. */
    enum Place {
        RESOURCE_ATTRIBUTE(3),
        SCOPE_ATTRIBUTE(4),
        METRIC_METADATA(4),
        POINT_ATTRIBUTE(6),
        EXEMPLAR_ATTRIBUTE(7);

        private final int parents;

        Place(int parents) {
            this.parents = parents;
        }

        /** Returns data with the given number of messages on its longest path. */
        MetricsData nested(int depth) {
            KeyValue attribute = KeyValue.newBuilder()
                    .setKey("k")
                    .setValue(value(depth - parents - 1))
                    .build();
            MetricsData.Builder data = MetricsData.newBuilder();
            switch (this) {
                case RESOURCE_ATTRIBUTE ->
                    data.addResourceMetricsBuilder().getResourceBuilder().addAttributes(attribute);
                case SCOPE_ATTRIBUTE ->
                    data.addResourceMetricsBuilder()
                            .addScopeMetricsBuilder()
                            .getScopeBuilder()
                            .addAttributes(attribute);
                default -> {
                    Metric.Builder metric = data.addResourceMetricsBuilder()
                            .addScopeMetricsBuilder()
                            .addMetricsBuilder();
                    switch (this) {
                        case METRIC_METADATA -> metric.addMetadata(attribute);
                        case POINT_ATTRIBUTE ->
                            metric.getGaugeBuilder().addDataPointsBuilder().addAttributes(attribute);
                        default ->
                            metric.getSumBuilder()
                                    .addDataPointsBuilder()
                                    .addExemplarsBuilder()
                                    .addFilteredAttributes(attribute);
                    }
                }
            }
            return data.build();
        }

        private static AnyValue value(int messages) {
            AnyValue.Builder value = AnyValue.newBuilder();
            if (messages >= 3 && messages % 2 == 0) {
                KeyValue.Builder entry = value.getKvlistValueBuilder().addValuesBuilder();
                if (messages > 3) {
                    entry.setValue(value(messages - 3));
                }
            } else if (messages >= 3) {
                value.getArrayValueBuilder().addValues(value(messages - 2));
            } else if (messages == 2) {
                value.setArrayValue(ArrayValue.getDefaultInstance());
            }
            return value.build();
        }
    }

    private static void assertJudgedRightly(byte[] bytes) {
        Optional<RefusalReason> fault = WireRules.fault(bytes);
        boolean parsed;
        try {
            MetricsData.parseFrom(bytes);
            parsed = true;
        } catch (InvalidProtocolBufferException e) {
            parsed = false;
        }
        boolean wasParsed = parsed;
        Optional<RefusalReason> refusal = refusal(bytes);
        assertThat(refusal.isPresent())
                .as(() -> "refused: " + refusal + "; parsed: " + wasParsed + ", rules: " + fault + ", bytes: "
                        + hex(bytes))
                .isEqualTo(!wasParsed || fault.isPresent());
    }

    private static byte[] mutated(byte[] bytes, Random random) {
        byte[] mutated = bytes.clone();
        if (mutated.length == 0) {
            return mutated;
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(mutated.length);
            switch (random.nextInt(6)) {
                case 0 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> mutated[at] = (byte) random.nextInt(256);
                case 2 -> mutated[at]++;
                case 3 -> mutated = insertedAt(mutated, at, mutated, random);
                case 4 -> mutated = Arrays.copyOf(mutated, at + 1);
                default -> mutated[at] = (byte) 0xFF;
            }
        }
        return mutated;
    }

    private static byte[] insertedAt(byte[] bytes, int at, byte[] source, Random random) {
        int from = random.nextInt(source.length);
        int length = Math.min(source.length - from, 1 + random.nextInt(12));
        byte[] longer = new byte[bytes.length + length];
        System.arraycopy(bytes, 0, longer, 0, at);
        System.arraycopy(source, from, longer, at, length);
        System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
        return longer;
    }

    private static Optional<RefusalReason> refusal(byte[] bytes) {
        return refusal(bytes, bytes.length);
    }

    private static Optional<RefusalReason> refusal(byte[] bytes, int length) {
        try {
            PushCheck.check(bytes, length);
            return Optional.empty();
        } catch (MalformedPushException e) {
            assertThat(e.getMessage()).hasSizeBetween(1, 200).matches("\\p{Print}+");
            assertThat(e.getStackTrace()).isEmpty();
            return Optional.of(e.reason());
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
