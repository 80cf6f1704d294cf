/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

/** Which value counts, of those in server.properties, system properties and environment variables. */
class OtelPropertiesTest {
    private static final String GENERAL = "otel.exporter.otlp.endpoint";
    private static final String METRICS = "otel.exporter.otlp.metrics.endpoint";

    private static OtelProperties of(Map<String, ?> server, Map<String, String> system, Map<String, String> env) {
        return OtelProperties.of(server, system, env);
    }

    @Test
    void serverPropertiesWinOverSystemPropertiesOverEnvironmentVariables() {
        Map<String, String> env =
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://env", "OTEL_EXPORTER_OTLP_TIMEOUT", "1");
        Map<String, String> system = Map.of(GENERAL, "http://system");

        assertThat(of(Map.of(), Map.of(), env).getString(GENERAL)).isEqualTo("http://env");
        assertThat(of(Map.of(), system, env).getString(GENERAL)).isEqualTo("http://system");
        OtelProperties all = of(Map.of(GENERAL, "http://server"), system, env);
        assertThat(all.getString(GENERAL)).isEqualTo("http://server");
        assertThat(all.getString("otel.exporter.otlp.timeout")).isEqualTo("1");
    }

    @Test
    void aGeneralKeyInServerPropertiesHidesTheMetricsFormFromElsewhere() {
        OtelProperties properties = of(
                Map.of(GENERAL, "http://server"),
                Map.of(METRICS, "http://system"),
                Map.of("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://env"));

        assertThat(properties.getString(METRICS)).isNull();
        assertThat(properties.option("endpoint")).isEqualTo("http://server");
    }

    @Test
    void aMetricsKeyInServerPropertiesHidesTheGeneralFormFromElsewhere() {
        OtelProperties properties = of(
                Map.of(METRICS, "http://server"),
                Map.of(GENERAL, "http://system"),
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://env"));

        assertThat(properties.getString(GENERAL)).isNull();
        assertThat(properties.option("endpoint")).isEqualTo("http://server");
    }

    @Test
    void theMetricsFormWinsOverTheGeneralOneAmongEquals() {
        assertThat(of(Map.of(GENERAL, "http://general", METRICS, "http://metrics"), Map.of(), Map.of())
                        .option("endpoint"))
                .isEqualTo("http://metrics");
        assertThat(of(
                                Map.of(),
                                Map.of(GENERAL, "http://general"),
                                Map.of("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://metrics"))
                        .option("endpoint"))
                .as("as in OpenTelemetry, whose sources are merged key by key")
                .isEqualTo("http://metrics");
    }

    @Test
    void anEmptyValueInServerPropertiesUnsetsWhatIsSetElsewhere() {
        OtelProperties properties = of(
                Map.of("otel.exporter.otlp.headers", " "),
                Map.of("otel.exporter.otlp.metrics.headers", "a=b"),
                Map.of("OTEL_EXPORTER_OTLP_HEADERS", "a=b"));

        assertThat(properties.option("headers")).isNull();
        assertThat(properties.getMap("otel.exporter.otlp.headers")).isEmpty();
    }

    @Test
    void emptyValuesElsewhereCountAsUnset() {
        OtelProperties properties =
                of(Map.of(), Map.of(GENERAL, ""), Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://env"));

        assertThat(properties.getString(GENERAL)).isEqualTo("http://env");
    }

    @Test
    void whatIsMeantForAnAgentHasNoEffect() {
        Map<String, String> agent = Map.of(
                "OTEL_SDK_DISABLED", "true",
                "OTEL_METRICS_EXPORTER", "none",
                "OTEL_CONFIG_FILE", "/nowhere",
                "OTEL_EXPERIMENTAL_CONFIG_FILE", "/nowhere",
                "OTEL_SERVICE_NAME", "broker",
                "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "maybe",
                "OTEL_EXPERIMENTAL_EXPORTER_OTLP_RETRY_ENABLED", "maybe",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "nonsense",
                "OTEL_JAVA_EXPERIMENTAL_EXPORTER_MEMORY_MODE", "nonsense");
        OtelProperties properties =
                of(Map.of("otel.sdk.disabled", "true"), Map.of("otel.metrics.exporter", "none"), agent);

        assertThat(properties.getBoolean("otel.sdk.disabled")).isNull();
        assertThat(properties.getString("otel.metrics.exporter")).isNull();
        assertThat(properties.getString("otel.config.file")).isNull();
        assertThat(properties.getString("otel.service.name")).isNull();
        assertThat(properties.getBoolean("otel.java.exporter.otlp.retry.disabled"))
                .isNull();
        OtlpConnection.open(properties).close();
    }

    @Test
    void keysWithoutEffectAreTold() {
        OtelProperties properties = of(
                Map.of(
                        "otel.exporter.otlp.endpont", "http://x",
                        "otel.sdk.disabled", "true",
                        "otel.exporter.otlp.metrics.default.histogram.aggregation",
                                "BASE2_EXPONENTIAL_BUCKET_HISTOGRAM",
                        "otel.exporter.otlp.timeout", "5s",
                        "broker.id", "1"),
                Map.of("otel.nonsense", "x"),
                Map.of("OTEL_NONSENSE", "x"));

        assertThat(properties.ineffective())
                .containsExactlyInAnyOrder(
                        "otel.exporter.otlp.endpont has no effect here; did you mean otel.exporter.otlp.endpoint?",
                        "otel.exporter.otlp.metrics.default.histogram.aggregation has no effect here: of the settings of"
                                + " the OTLP exporter only certificate, client.certificate, client.key, compression,"
                                + " endpoint, headers, protocol, timeout (each also for metrics) and"
                                + " metrics.temporality.preference have",
                        "otel.sdk.disabled has no effect here: of the otel.* settings only those of the OTLP metrics"
                                + " exporter, otel.resource.attributes and otel.metric.export.interval have");
    }

    /** An OpenTelemetry agent's variables are in force here too, its credentials among them. */
    @Test
    void whatIsInForceFromElsewhereIsToldWithoutItsValue() {
        OtelProperties properties = of(
                Map.of("otel.exporter.otlp.endpoint", "http://x:1", "otel.exporter.otlp.metrics.timeout", ""),
                Map.of("otel.exporter.otlp.protocol", "grpc", "otel.metric.export.interval", "10s"),
                Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://hidden:1",
                        "OTEL_EXPORTER_OTLP_TIMEOUT", "1s",
                        "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                        "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "authorization=s3cret",
                        "OTEL_EXPORTER_OTLP_HEADERS", "authorization=hidden",
                        "OTEL_SDK_DISABLED", "true"));

        assertThat(properties.fromElsewhere())
                .containsExactly(
                        "otel.exporter.otlp.metrics.headers (from the environment variable"
                                + " OTEL_EXPORTER_OTLP_METRICS_HEADERS)",
                        "otel.exporter.otlp.protocol (from the system property otel.exporter.otlp.protocol)",
                        "otel.metric.export.interval (from the system property otel.metric.export.interval)");
        assertThat(of(Map.of("otel.exporter.otlp.headers", ""), Map.of(), Map.of("OTEL_EXPORTER_OTLP_HEADERS", "a=b"))
                        .fromElsewhere())
                .isEmpty();
    }

    @Test
    void theAggregationOfHistogramsIsNotReadWherePartsOfTheProcessSetIt() {
        for (String value : new String[] {"pie", "BASE2_EXPONENTIAL_BUCKET_HISTOGRAM"}) {
            OtlpConnection.open(of(
                            Map.of(),
                            Map.of(),
                            Map.of("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", value)))
                    .close();
        }
    }

    @Test
    void namesAreComparedAsOpenTelemetryDoes() {
        OtelProperties properties = of(
                Map.of("otel.exporter.otlp.client-key", "/key"),
                Map.of("OTEL.Exporter.otlp.protocol", "grpc"),
                Map.of());

        assertThat(properties.getString("otel.exporter.otlp.client.key")).isEqualTo("/key");
        assertThat(properties.getString("otel.exporter.otlp.protocol")).isEqualTo("grpc");
    }

    @Test
    void valuesOfAllTypes() {
        OtelProperties properties = of(
                Map.of(
                        "otel.exporter.otlp.timeout", "1500",
                        "otel.exporter.otlp.metrics.timeout", "2 s",
                        "otel.metric.export.interval", "1m",
                        "otel.resource.attributes", " a = b ,, c=d=e,"),
                Map.of(),
                Map.of());

        assertThat(properties.getDuration("otel.exporter.otlp.timeout")).isEqualTo(Duration.ofMillis(1500));
        assertThat(properties.getDuration("otel.exporter.otlp.metrics.timeout")).isEqualTo(Duration.ofSeconds(2));
        assertThat(properties.getDuration("otel.metric.export.interval")).isEqualTo(Duration.ofMinutes(1));
        assertThat(properties.getInt("otel.exporter.otlp.timeout")).isEqualTo(1500);
        assertThat(properties.getLong("otel.exporter.otlp.timeout")).isEqualTo(1500L);
        assertThat(properties.getDouble("otel.exporter.otlp.timeout")).isEqualTo(1500.0);
        assertThat(properties.getMap("otel.resource.attributes"))
                .containsExactlyInAnyOrderEntriesOf(Map.of("a", "b", "c", "d=e"));
        assertThat(properties.getList("otel.resource.attributes")).containsExactly("a = b", "c=d=e");
    }

    @Test
    void aWrongValueIsNamedWithItsKeyAndOrigin() {
        assertThatThrownBy(() -> of(Map.of("otel.exporter.otlp.timeout", "ten"), Map.of(), Map.of())
                        .getDuration("otel.exporter.otlp.timeout"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("otel.exporter.otlp.timeout", "ten", "milliseconds")
                .hasMessageNotContaining("from the");
        assertThatThrownBy(() -> of(Map.of(), Map.of(), Map.of("OTEL_EXPORTER_OTLP_TIMEOUT", "ten"))
                        .getInt("otel.exporter.otlp.timeout"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("from the environment variable OTEL_EXPORTER_OTLP_TIMEOUT");
        assertThatThrownBy(() -> of(Map.of(), Map.of("otel.exporter.otlp.timeout", "ten"), Map.of())
                        .getBoolean("otel.exporter.otlp.timeout"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("from the system property otel.exporter.otlp.timeout");
    }

    private static Duration interval(String value) {
        return of(Map.of("otel.metric.export.interval", value), Map.of(), Map.of())
                .exportInterval();
    }

    @Test
    void anIntervalIsFromAMillisecondToADayAndAMinuteByDefault() {
        assertThat(of(Map.of(), Map.of(), Map.of()).exportInterval()).isEqualTo(Duration.ofMinutes(1));
        assertThat(interval("1")).isEqualTo(Duration.ofMillis(1));
        assertThat(interval("1d")).isEqualTo(Duration.ofDays(1));
        assertThat(interval("86400000 ms")).isEqualTo(Duration.ofDays(1));
        for (String wrong : new String[] {"0", "0 h", "86400001", "2d"}) {
            assertThatThrownBy(() -> interval(wrong))
                    .as(wrong)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("must be between 1 ms and 24 h");
        }
    }

    @Test
    void aTimeoutIsAtMostAnHour() {
        for (String value : new String[] {"1h", "60m", "3600 s", "3600000"}) {
            assertThat(of(Map.of("otel.exporter.otlp.timeout", value), Map.of(), Map.of())
                            .duration("otel.exporter.otlp.timeout", Duration.ofHours(1)))
                    .as(value)
                    .isEqualTo(Duration.ofHours(1));
        }
        assertThatThrownBy(() -> of(Map.of("otel.exporter.otlp.timeout", "3600001"), Map.of(), Map.of())
                        .duration("otel.exporter.otlp.timeout", Duration.ofHours(1)))
                .hasMessageContaining("must be between 1 ms and 1 h");
    }
}
