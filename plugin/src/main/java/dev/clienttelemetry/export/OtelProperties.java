/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The {@code otel.*} settings: {@code server.properties} over system properties over environment variables. A setting in
 * {@code server.properties}, in its general form ({@code otel.exporter.otlp.endpoint}) or in that for metrics ({@code
 * otel.exporter.otlp.metrics.endpoint}), wins over both forms from elsewhere; an empty one there counts as unset and
 * hides them too. Only the settings of the OTLP metrics exporter, {@code otel.resource.attributes} and {@code
 * otel.metric.export.interval} are seen: what is meant for an OpenTelemetry agent in the same process ({@code
 * otel.sdk.disabled}, {@code otel.metrics.exporter}, {@code otel.config.file} and so on) has no effect. Immutable.
 *
 * <p>The getters throw {@link org.apache.kafka.common.config.ConfigException}, naming the key and what would be right,
 * for a value that is not of the asked type.
 */
public final class OtelProperties implements ConfigProperties {
    private OtelProperties() {}

    /**
     * Puts the settings together.
     *
     * @param serverProperties the broker's settings; keys other than {@code otel.*} are ignored
     * @param systemProperties system properties
     * @param environment environment variables under their own names, such as {@code OTEL_EXPORTER_OTLP_ENDPOINT}
     */
    public static OtelProperties of(
            Map<String, ?> serverProperties, Map<?, ?> systemProperties, Map<String, String> environment) {
        throw new UnsupportedOperationException();
    }

    /**
     * Returns the {@code otel.*} keys of {@code server.properties} that have no effect, each with a word on what was
     * perhaps meant; for a warning in the log.
     */
    public List<String> ineffective() {
        throw new UnsupportedOperationException();
    }

    /**
     * Returns {@code otel.exporter.otlp.metrics.temporality.preference}: {@code cumulative} (also where it is not set),
     * {@code delta} or {@code lowmemory}.
     *
     * @throws org.apache.kafka.common.config.ConfigException for anything else
     */
    public String temporalityPreference() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String getString(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Boolean getBoolean(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Integer getInt(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Long getLong(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Double getDouble(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Duration getDuration(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<String> getList(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, String> getMap(String name) {
        throw new UnsupportedOperationException();
    }
}
