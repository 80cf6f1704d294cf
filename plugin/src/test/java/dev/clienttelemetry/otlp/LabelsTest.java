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
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.clienttelemetry.instance.Client;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelsTest {
    private static final NumberDataPoint POINT = delta(1, 2, 1L);

    private final ConverterFixture fixture = new ConverterFixture();

    @Test
    void everyLabelIsAResourceAttributeBeforeTheClientsOwn() {
        fixture.labels = EnumSet.allOf(Label.class);
        assertThat(attributes(fixture.convert(push(resource(attribute("client_rack", "a")), gauge("g", POINT)))))
                .containsExactly(
                        Map.entry("client_instance_id", "AAAAAAAAAAEAAAAAAAAAAg"),
                        Map.entry("client_id", "orders"),
                        Map.entry("client_software_name", "apache-kafka-java"),
                        Map.entry("client_software_version", "4.4.0"),
                        Map.entry("client_source_address", "192.0.2.7"),
                        Map.entry("principal", "User:alice"),
                        Map.entry("broker_id", "3"),
                        Map.entry("client_source_port", "41234"),
                        Map.entry("listener_name", "EXTERNAL"),
                        Map.entry("security_protocol", "SASL_SSL"),
                        Map.entry("cluster_id", "cluster-1"),
                        Map.entry("service.name", "orders"),
                        Map.entry("service.instance.id", "AAAAAAAAAAEAAAAAAAAAAg"),
                        Map.entry("client_rack", "a"));
    }

    @Test
    void whatTheHostCannotKnowIsLeftOut() {
        fixture.labels = EnumSet.allOf(Label.class);
        Client unknown = new Client(null, null, null, null, null, null, null, null);
        assertThat(attributes(fixture.convert(
                        fixture.instance, unknown, push(gauge("g", POINT)).toByteArray())))
                .containsOnlyKeys(
                        "client_instance_id", "broker_id", "cluster_id", "service.name", "service.instance.id");
    }

    @Test
    void aPushWithoutAResourceGetsOne() {
        MetricsData push = MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder().addMetrics(gauge("g", POINT))))
                .build();
        assertThat(attributes(fixture.convert(push))).containsOnlyKeys("service.name", "service.instance.id");
    }

    @ParameterizedTest
    @CsvSource({
        "client_id, orders",
        "principal, User:alice",
        "cluster_id, cluster-1",
        "'=kafka clients', kafka clients",
        "=client_id, client_id",
        "=, unknown_service",
        "no_such_label, unknown_service",
    })
    void theServiceNameFollowsItsRuleWhateverLabelsAreAdded(String rule, String expected) {
        fixture.serviceName = rule;
        assertThat(attributes(fixture.convert(push(gauge("g", POINT))))).containsEntry("service.name", expected);
    }

    @Test
    void aServiceWithoutANameIsUnknown() {
        Client nameless = new Client("", "", "", "", "", "", "", "");
        assertThat(attributes(fixture.convert(
                        fixture.instance, nameless, push(gauge("g", POINT)).toByteArray())))
                .containsEntry("service.name", "unknown_service");
    }

    @Test
    void labelsFollowTheClient() {
        fixture.labels = EnumSet.of(Label.CLIENT_ID);
        fixture.convert(push(gauge("g", POINT)));
        Client renamed = new Client("payments", "", "", "", "", "", "", "");
        assertThat(attributes(fixture.convert(
                        fixture.instance, renamed, push(gauge("g", POINT)).toByteArray())))
                .containsEntry("client_id", "payments");
    }

    @Test
    void hostileValuesAreValidUtf8AndBounded() {
        fixture.labels = EnumSet.of(Label.CLIENT_ID, Label.CLIENT_SOFTWARE_NAME, Label.CLIENT_SOFTWARE_VERSION);
        Client hostile = new Client("a\ud800b", "\u20ac".repeat(30_000), "x".repeat(1024), "", "", "", "", "");
        Map<String, String> attributes = attributes(fixture.convert(
                fixture.instance, hostile, push(gauge("g", POINT)).toByteArray()));
        assertThat(attributes)
                .containsEntry("client_id", "a?b")
                .containsEntry("client_software_name", "\u20ac".repeat(341))
                .containsEntry("client_software_version", "x".repeat(1024));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void whatTheOperatorWritesIsCutAtACharactersEnd(int width) {
        String character = List.of("x", "\u00e4", "\u20ac", "\ud83d\ude00").get(width - 1);
        for (int before = 0; before < 4; before++) {
            fixture.restart();
            fixture.serviceName = "=" + "a".repeat(before) + character.repeat(1025);
            assertThat(attributes(fixture.convert(push(gauge("g", POINT)))))
                    .containsEntry("service.name", "a".repeat(before) + character.repeat((1024 - before) / width));
        }
    }

    @ParameterizedTest
    @ValueSource(chars = {'a', 'z', 'A', 'Z', '0', '9'})
    void lettersAndDigitsArePartOfAKey(char part) {
        assertKept("job" + part);
        assertKept(part + "job");
        assertKept("service" + part + "name");
    }

    @ParameterizedTest
    @ValueSource(chars = {'`', '{', '@', '[', '/', ':', ' ', '\u007f', '\u0080'})
    void whatIsNextToThemIsNot(char separator) {
        assertForged("job" + separator);
        assertForged(separator + "job");
        assertForged("service" + separator + "name");
    }

    @ParameterizedTest
    @EnumSource(Label.class)
    void noClientTakesThePlaceOfALabelConfiguredOrNot(Label label) {
        assertForged(label.key());
        assertForged(label.key().replace('_', '.'));
        assertForged(label.key().replace('_', '-'));
        assertForged(label.key().replace("_", "\u00e4"));
        assertForged(label.key().replace("_", "\u20ac"));
        assertForged(label.key().replace("_", "\ud83d\ude00"));
        // Some translations to Prometheus' names make one underscore of several, and trim them.
        assertForged(label.key().replace("_", "__"));
        assertForged(label.key().replace("_", ".-\u00e4_\u20ac"));
        assertForged(label.key().replace("_", "_".repeat(1000)));
        assertForged(label.key() + "_");
        assertForged("_" + label.key());
        assertForged(".__" + label.key() + "\u20ac. ");
        assertKept("1" + label.key());
        assertKept(label.key() + "_1");
        assertKept(label.key().substring(0, label.key().length() - 1));
        assertKept(label.key().toUpperCase(java.util.Locale.ROOT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "job",
                "__job__",
                "instance.",
                "instance",
                "service__name",
                "service_name",
                "service.name",
                "service-namespace",
                "service instance/id"
            })
    void noClientTakesThePlaceOfATargetsIdentity(String key) {
        assertForged(key);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "_",
                "__",
                "\u20ac.",
                "jo",
                "job1",
                "j\u00f6b",
                "clientid",
                "client__i_d",
                "cl_ient_id",
                "topic"
            })
    void otherKeysAreKept(String key) {
        assertKept(key);
    }

    private void assertForged(String key) {
        ConverterFixture fresh = new ConverterFixture();
        assertThat(metrics(fresh.convert(push(gauge("g", with(key)))))).as(key).containsExactly(gauge("g", with()));
        assertThat(fresh.metrics.forgedAttributes().total()).as(key).isEqualTo(1);
    }

    private void assertKept(String key) {
        ConverterFixture fresh = new ConverterFixture();
        assertThat(metrics(fresh.convert(push(gauge("g", with(key)))))).as(key).containsExactly(gauge("g", with(key)));
        assertThat(fresh.metrics.forgedAttributes().total()).as(key).isZero();
    }

    private static NumberDataPoint with(String... keys) {
        NumberDataPoint.Builder point = POINT.toBuilder().addAttributes(attribute("a", "1"));
        for (String key : keys) {
            point.addAttributes(attribute(key, "forged"));
        }
        return point.addAttributes(attribute("z", "2")).build();
    }

    @Test
    void forgedAttributesAreDroppedInEveryPlaceThatBecomesALabel() {
        KeyValue forged = attribute("client.id", "someone-else");
        KeyValue own = attribute("own", "1");
        List<KeyValue> both = List.of(forged, own);
        MetricsData push = MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(resource(forged, own))
                        .addScopeMetrics(ScopeMetrics.newBuilder()
                                .setScope(InstrumentationScope.newBuilder()
                                        .setName("s")
                                        .addAllAttributes(both))
                                .addMetrics(gauge(
                                        "g",
                                        POINT.toBuilder().addAllAttributes(both).build()))
                                .addMetrics(counter(
                                        "c",
                                        delta(1000, 2000, 1L).toBuilder()
                                                .addAllAttributes(both)
                                                .build()))
                                .addMetrics(Metric.newBuilder()
                                        .setName("h")
                                        .setHistogram(Histogram.newBuilder()
                                                .addDataPoints(HistogramDataPoint.newBuilder()
                                                        .setTimeUnixNano(1)
                                                        .addAllAttributes(both))))
                                .addMetrics(Metric.newBuilder()
                                        .setName("e")
                                        .setExponentialHistogram(ExponentialHistogram.newBuilder()
                                                .addDataPoints(ExponentialHistogramDataPoint.newBuilder()
                                                        .setTimeUnixNano(1)
                                                        .addAllAttributes(both))))
                                .addMetrics(Metric.newBuilder()
                                        .setName("s")
                                        .setSummary(Summary.newBuilder()
                                                .addDataPoints(SummaryDataPoint.newBuilder()
                                                        .setTimeUnixNano(1)
                                                        .addAllAttributes(both))))))
                .build();

        MetricsData converted = fixture.convert(push);

        assertThat(fixture.metrics.forgedAttributes().total()).isEqualTo(7);
        assertThat(converted.toString()).doesNotContain("someone-else").contains("own");
        assertThat(converted.getResourceMetrics(0).getScopeMetrics(0).getScope().getAttributesList())
                .containsExactly(own);
        assertThat(fixture.metrics.pointsPassedThrough().total()).isEqualTo(3);
    }

    @Test
    void aForgedAttributeIsFoundHoweverItIsWritten() {
        byte[] key = {0x0a, 3, 'j', 'o', 'b'};
        byte[] longKey = {(byte) 0x8a, 0, (byte) 0x83, (byte) 0x80, 0, 'j', 'o', 'b'};
        byte[] value = {0x12, 3, 0x0a, 1, 'x'};
        for (byte[] spelled : List.of(
                concat(key, value), concat(value, key), concat(longKey, value), concat(value, longKey), key, longKey)) {
            ConverterFixture fresh = new ConverterFixture();
            NumberDataPoint point = POINT.toBuilder()
                    .setUnknownFields(UnknownFieldSet.newBuilder()
                            .mergeField(
                                    7,
                                    UnknownFieldSet.Field.newBuilder()
                                            .addLengthDelimited(ByteString.copyFrom(spelled))
                                            .build())
                            .build())
                    .build();
            assertThat(metrics(fresh.convert(push(gauge("g", point))))).containsExactly(gauge("g", POINT));
            assertThat(fresh.metrics.forgedAttributes().total()).isEqualTo(1);
        }
    }

    @Test
    void resourcesThatDifferInForgedAttributesOnlyAreOneResource() {
        MetricsData first = push(resource(attribute("principal", "User:a")), gauge("g", POINT));
        MetricsData second = push(resource(attribute("principal", "User:b")), gauge("h", POINT));
        MetricsData both = first.toBuilder().mergeFrom(second).build();
        assertThat(fixture.convert(both).getResourceMetricsCount()).isEqualTo(1);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        return ByteString.copyFrom(first).concat(ByteString.copyFrom(second)).toByteArray();
    }

    private static Map<String, String> attributes(MetricsData data) {
        assertThat(data.getResourceMetricsCount()).isEqualTo(1);
        Map<String, String> attributes = new LinkedHashMap<>();
        for (KeyValue attribute : data.getResourceMetrics(0).getResource().getAttributesList()) {
            attributes.put(attribute.getKey(), attribute.getValue().getStringValue());
        }
        return attributes;
    }
}
