/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import static dev.clienttelemetry.otlp.ConverterFixture.attribute;
import static dev.clienttelemetry.otlp.ConverterFixture.counter;
import static dev.clienttelemetry.otlp.ConverterFixture.delta;
import static dev.clienttelemetry.otlp.ConverterFixture.gauge;
import static dev.clienttelemetry.otlp.ConverterFixture.metrics;
import static dev.clienttelemetry.otlp.ConverterFixture.push;
import static dev.clienttelemetry.otlp.ConverterFixture.resource;
import static dev.clienttelemetry.otlp.ConverterFixture.sums;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.metrics.PointDropReason;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one client can take is bounded, in every way that it could take something. */
class BoundsTest {
    private final ConverterFixture fixture = new ConverterFixture();

    private MetricsData series(int from, int to, long startMs, long timeMs) {
        MetricsData.Builder push = MetricsData.newBuilder();
        for (int i = from; i < to; i++) {
            push.mergeFrom(push(counter("c" + i, delta(startMs, timeMs, 1L))));
        }
        return push.build();
    }

    @Test
    void beyondTheBoundOfAnInstanceItsNewSeriesAreDroppedAndItsOldOnesGoOn() {
        fixture.maxSeriesPerInstance = 10;
        fixture.convert(series(0, 12, 1000, 2000));
        assertThat(fixture.converter().series()).isEqualTo(10);
        assertThat(sums(fixture.convert(series(8, 12, 2000, 3000)))).containsExactly("1000-3000:2", "1000-3000:2");
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.INSTANCE_SERIES_BOUND))
                .isEqualTo(4);
        ClientInstance other = fixture.instances.pushed(5, 6, fixture.client, 0, false);
        fixture.convert(other, fixture.client, series(0, 12, 1000, 2000).toByteArray());
        assertThat(fixture.converter().series()).isEqualTo(20);
    }

    @Test
    void beyondTheBoundOfAllNewSeriesAreDroppedUntilAnInstanceEnds() {
        fixture.maxSeries = 15;
        fixture.maxSeriesPerInstance = 10;
        fixture.convert(series(0, 10, 1000, 2000));
        ClientInstance other = fixture.instances.pushed(5, 6, fixture.client, 0, false);
        fixture.convert(other, fixture.client, series(0, 10, 1000, 2000).toByteArray());
        assertThat(fixture.converter().series()).isEqualTo(15);
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.SERIES_BOUND))
                .isEqualTo(5);
        fixture.converter().forget(fixture.instance);
        fixture.convert(other, fixture.client, series(0, 10, 2000, 3000).toByteArray());
        assertThat(fixture.converter().series()).isEqualTo(10);
    }

    @Test
    void seriesThatAreSilentForAnHourMakeRoomWhereAnInstanceReachesItsBound() {
        fixture.maxSeriesPerInstance = 10;
        fixture.convert(series(0, 10, 1000, 2000));
        fixture.pass(30, TimeUnit.MINUTES);
        fixture.convert(series(8, 10, 2000, 3000));
        fixture.pass(31, TimeUnit.MINUTES);
        assertThat(sums(fixture.convert(series(8, 18, 3000, 4000)))).startsWith("1000-4000:3", "1000-4000:3");
        assertThat(fixture.converter().series()).isEqualTo(10);
        assertThat(fixture.metrics.pointsDropped().total()).isZero();
        assertThat(sums(fixture.convert(series(8, 18, 4000, 5000))))
                .startsWith("1000-5000:4", "1000-5000:4", "3000-5000:2")
                .hasSize(10);
    }

    @Test
    void roomIsMadeWheneverSeriesHaveBeenSilentForAnHourAndNotBefore() {
        fixture.maxSeriesPerInstance = 10;
        fixture.convert(series(0, 10, 1000, 2000));
        for (int round = 1; round <= 3; round++) {
            // Seen is counted in whole minutes.
            fixture.pass(60, TimeUnit.MINUTES);
            fixture.convert(series(10 * round, 10 * round + 10, 1000, 2000));
            assertThat(fixture.metrics.pointsDropped().total(PointDropReason.INSTANCE_SERIES_BOUND))
                    .isEqualTo(10L * round);

            fixture.pass(1, TimeUnit.MINUTES);
            assertThat(sums(fixture.convert(series(10 * round, 10 * round + 10, 1000, 2000))))
                    .as("each with a zero")
                    .hasSize(20);
            assertThat(fixture.converter().series()).isEqualTo(10);
        }
        assertThat(fixture.metrics.pointsDropped().total()).isEqualTo(30);
    }

    @Test
    void seriesThatCameLateAreNoLongerSilentThanTheyAreKnown() {
        fixture.maxSeriesPerInstance = 10;
        fixture.convert(series(0, 1, 1000, 2000));
        fixture.pass(2, TimeUnit.HOURS);
        fixture.convert(series(1, 10, 1000, 2000));

        assertThat(sums(fixture.convert(series(9, 12, 2000, 3000))))
                .containsExactly("1000-3000:2", "2000-2001:0", "2000-3000:1");
        assertThat(fixture.converter().series()).isEqualTo(10);
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.INSTANCE_SERIES_BOUND))
                .isEqualTo(1);
    }

    @Test
    void seriesWithHalfOfTheirIdentityInCommonAreNotTheSame() {
        SeriesTable table = new SeriesTable();
        long[][] identities = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
        for (long[] identity : identities) {
            assertThat(table.find(identity[0], identity[1])).isEqualTo(-1);
            table.add(identity[0], identity[1]);
        }
        for (int first = 0; first < 4; first++) {
            for (int second = 0; second < 4; second++) {
                assertThat(table.find(identities[first][0], identities[first][1]))
                        .isEqualTo(first * SeriesTable.ROW);
                assertThat(table.find(identities[second][0], identities[second][1]))
                        .isEqualTo(second * SeriesTable.ROW);
            }
        }
        for (int row = 0; row < 4; row++) {
            table.rows[row * SeriesTable.ROW + SeriesTable.FLAGS] = (row == 2 ? 1L : 100) << SeriesTable.SEEN_SHIFT;
        }
        assertThat(table.rows).as("a full table").hasSize(4 * SeriesTable.ROW);
        table.removeUnseen(110, 60);
        assertThat(table.size()).isEqualTo(3);
        assertThat(table.find(2, 1)).isEqualTo(-1);
        assertThat(table.find(2, 2)).isEqualTo(2 * SeriesTable.ROW);
    }

    @Test
    void whatAPushHasShownIsFoundByBothHalvesOfItsIdentity() {
        IdentityIndex index = new IdentityIndex();
        for (int push = 0; push < 3; push++) {
            for (int i = 0; i < 400; i++) {
                assertThat(index.find(i / 20, i % 20)).isEqualTo(-1);
                index.add(i / 20, i % 20, i);
            }
            for (int i = 0; i < 400; i++) {
                assertThat(index.find(i / 20, i % 20)).isEqualTo(i);
                index.replace(1000 + i);
            }
            for (int i = 0; i < 400; i++) {
                assertThat(index.find(i / 20, i % 20)).isEqualTo(1000 + i);
            }
            index.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 41, 100, 140, 1_000, 5_000, 40_000})
    void aSeriesTakesAtMostNinetySixBytes(int count) {
        SeriesTable table = new SeriesTable();
        Random random = new Random(count);
        for (int i = 1; i <= count; i++) {
            table.add(random.nextLong(), random.nextLong());
            if (i >= 20) {
                assertThat(table.bytes()).as("%d series", i).isLessThanOrEqualTo(96L * i);
            }
        }
    }

    @Test
    void everyRowIsFoundAgainAfterGrowthAndRemoval() {
        SeriesTable table = new SeriesTable();
        for (int i = 0; i < 3_000; i++) {
            assertThat(table.find(i, ~i * 31L)).isEqualTo(-1);
            int row = table.add(i, ~i * 31L);
            table.rows[row + SeriesTable.SUM] = i;
            table.rows[row + SeriesTable.FLAGS] = (long) (i % 2 == 0 ? 1 : 100) << SeriesTable.SEEN_SHIFT;
        }
        for (int i = 2_999; i >= 0; i--) {
            assertThat(table.rows[table.find(i, ~i * 31L) + SeriesTable.SUM]).isEqualTo(i);
        }
        table.removeUnseen(110, 60);
        assertThat(table.size()).isEqualTo(1_500);
        assertThat(table.bytes()).isLessThanOrEqualTo(96L * 1_500);
        // Against the order of the rows, in which the next one would be found without looking for it.
        for (int i = 2_999; i >= 0; i--) {
            int row = table.find(i, ~i * 31L);
            if (i % 2 == 0) {
                assertThat(row).isEqualTo(-1);
            } else {
                assertThat(table.rows[row + SeriesTable.SUM]).isEqualTo(i);
            }
        }
    }

    @Test
    void seriesThatGoTakeTheirMemoryWithThem() {
        SeriesTable table = new SeriesTable();
        for (int i = 0; i < 5_000; i++) {
            int row = table.add(i, ~i * 31L);
            table.rows[row + SeriesTable.FLAGS] = (long) (i < 1 ? 100 : 1) << SeriesTable.SEEN_SHIFT;
        }
        table.removeUnseen(110, 60);
        assertThat(table.size()).isEqualTo(1);
        assertThat(table.find(0, -31)).isZero();
        assertThat(table.bytes()).isLessThan(500);
        table.removeUnseen(200, 60);
        assertThat(table.size()).isZero();
        assertThat(table.find(0, -31)).isEqualTo(-1);
        assertThat(table.add(7, 8)).isZero();
        assertThat(table.find(7, 8)).isZero();
    }

    @Test
    void theLabelsOfASmallPushDoNotMakeItLarge() {
        MetricsData.Builder push = MetricsData.newBuilder();
        for (int i = 0; i < 1_000; i++) {
            push.mergeFrom(push(resource(attribute("a", String.valueOf(i))), gauge("g", delta(1, 2, 1L))));
        }
        int size = push.build().getSerializedSize();
        MetricsData converted = fixture.convert(push.build());
        assertThat(size).isLessThan(PushReader.MAX_LABEL_BYTES);
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.RESOURCE_BOUND))
                .isEqualTo(1_000 - converted.getResourceMetricsCount())
                .isPositive();
        int labels = converted.getResourceMetricsList().stream()
                .mapToInt(one -> one.getResource().toBuilder()
                        .removeAttributes(one.getResource().getAttributesCount() - 1)
                        .build()
                        .getSerializedSize())
                .sum();
        assertThat(labels)
                .as("64 KiB, but for what is no longer enough for one more resource")
                .isBetween(65_536 - labels / converted.getResourceMetricsCount(), 65_536);
    }

    /** Official serializers write a negative int32 in ten bytes, others in five; to parsers both are the same. */
    @Test
    void negativeNumbersInFiveBytesMakeAPushNoLonger() throws InvalidProtocolBufferException {
        Resource.Builder resource = Resource.newBuilder();
        for (int i = 0; i < 1_000; i++) {
            resource.addAttributes(KeyValue.newBuilder().setKeyStrindex(-1));
        }
        MetricsData push = push(resource.build(), gauge("g", delta(1, 2, 1L)));
        WireMessage other = WireMessage.of(push);
        for (WireMessage message : other.all()) {
            if (message.descriptor().equals(KeyValue.getDescriptor())) {
                message.fields().get(0).bits &= 0xFFFF_FFFFL;
            }
        }
        byte[] inFive = other.toBytes();
        byte[] inTen = push.toByteArray();
        assertThat(inTen.length - inFive.length).isGreaterThanOrEqualTo(5_000);
        assertThat(MetricsData.parseFrom(inFive)).isEqualTo(push);
        int labels = 1_000;
        for (byte[] payload : List.of(inFive, inTen)) {
            byte[] converted = fixture.converter()
                    .convert(fixture.instance, fixture.client, payload, 0)
                    .bytes();
            assertThat(converted.length).isBetween(payload.length / 2, payload.length + labels);
            assertThat(MetricsData.parseFrom(converted)
                            .getResourceMetrics(0)
                            .getResource()
                            .getAttributesList())
                    .containsAll(resource.getAttributesList());
        }
        byte[] both = Arrays.copyOf(inFive, inFive.length + inTen.length);
        System.arraycopy(inTen, 0, both, inFive.length, inTen.length);
        assertThat(metrics(fixture.convert(both))).containsExactly(gauge("g", delta(1, 2, 1L), delta(1, 2, 1L)));
    }

    @Test
    void schemasOfOneResourceByTurnsTakeNoMoreLabelsThanDifferentResources() {
        MetricsData.Builder push = MetricsData.newBuilder();
        for (int i = 0; i < 1_000; i++) {
            push.mergeFrom(push(gauge("g", delta(1, 2 + i, 1L))));
            push.getResourceMetricsBuilder(i).setSchemaUrl("u" + i % 2);
        }
        int size = push.build().getSerializedSize();
        MetricsData converted = fixture.convert(push.build());
        assertThat(size).isLessThan(PushReader.MAX_LABEL_BYTES);
        assertThat(converted.getSerializedSize()).isBetween(size / 10, size + PushReader.MAX_LABEL_BYTES);
        // What comes under the last resource that there was room for is still merged with it.
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.RESOURCE_BOUND))
                .isEqualTo((1_001 - converted.getResourceMetricsCount()) / 2)
                .isPositive();
    }

    @Test
    void aPushOfVeryManyResourcesIsCutOff() {
        // Longer than the labels, which are bounded by the push's length.
        String longValue = "x".repeat(500);
        MetricsData.Builder push = MetricsData.newBuilder();
        for (int i = 0; i < 1_100; i++) {
            push.mergeFrom(push(resource(attribute("a", longValue + i)), gauge("g", delta(1, 2, 1L))));
        }
        push.mergeFrom(push(resource(attribute("a", longValue + "0")), gauge("g", delta(2, 3, 1L))));
        MetricsData converted = fixture.convert(push.build());
        assertThat(converted.getResourceMetricsCount()).isEqualTo(PushReader.MAX_RESOURCES);
        assertThat(fixture.metrics.pointsDropped().total(PointDropReason.RESOURCE_BOUND))
                .isEqualTo(1_100 - PushReader.MAX_RESOURCES);
        assertThat(converted
                        .getResourceMetrics(0)
                        .getScopeMetrics(0)
                        .getMetrics(0)
                        .getGauge()
                        .getDataPointsCount())
                .isEqualTo(2);
    }

    @Test
    void aGiantPushLeavesNoGiantMemoryBehind() {
        PushOutline outline = new PushOutline();
        outline.clear();
        for (int i = 0; i < 100_000; i++) {
            outline.points.add();
            outline.metrics.add();
        }
        outline.release();
        assertThat(outline.points.kind).isEmpty();
        assertThat(outline.metrics.rows).isEmpty();
        outline.clear();
        assertThat(outline.points.add()).isZero();
        assertThat(outline.points.kind.length).isBetween(1, 100);
    }

    @Test
    void aGiantPushInAnyFormLeavesNoGiantMemoryBehind() throws Exception {
        MetricsData small = push(gauge("g", delta(1, 2, 1L)), counter("c", delta(1, 2, 1L)));
        fixture.convert(small);
        long before = heldBytes(fixture.converter());
        ScopeMetrics.Builder giant = ScopeMetrics.newBuilder();
        for (int i = 0; i < 40_000; i++) {
            giant.addMetrics(gauge("g" + i, delta(1, 2, 1L)));
        }
        for (String schemaUrl : new String[] {"", "u"}) {
            // The schema's address belongs behind the metrics.
            ByteString scope = ScopeMetrics.newBuilder()
                    .setSchemaUrl(schemaUrl)
                    .build()
                    .toByteString()
                    .concat(giant.build().toByteString());
            assertThat(metrics(fixture.convert(nested(1, nested(2, scope)).toByteArray())))
                    .hasSize(40_000);
            fixture.convert(small);
            assertThat(heldBytes(fixture.converter())).isLessThan(before + 10_000);
        }
    }

    private static ByteString nested(int field, ByteString message) {
        return UnknownFieldSet.newBuilder()
                .addField(
                        field,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(message)
                                .build())
                .build()
                .toByteString();
    }

    /** Returns the size of all arrays that an object of this package has, and those that it has of this package. */
    private static long heldBytes(Object root) throws IllegalAccessException {
        Set<Object> known = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>(List.of(root));
        long bytes = 0;
        while (!open.isEmpty()) {
            Object object = open.pop();
            if (!known.add(object)) {
                continue;
            }
            for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (Modifier.isStatic(field.getModifiers())) {
                        continue;
                    }
                    field.setAccessible(true);
                    Object value = field.get(object);
                    if (value instanceof long[] longs) {
                        bytes += 8L * longs.length;
                    } else if (value instanceof int[] ints) {
                        bytes += 4L * ints.length;
                    } else if (value instanceof byte[] raw) {
                        bytes += raw.length;
                    } else if (value instanceof boolean[] booleans) {
                        bytes += booleans.length;
                    } else if (isOfThisPackage(value)) {
                        open.push(value);
                    }
                }
            }
        }
        return bytes;
    }

    private static boolean isOfThisPackage(Object value) {
        return value != null
                && !(value instanceof Enum)
                && value.getClass().getPackage() == BoundsTest.class.getPackage();
    }
}
