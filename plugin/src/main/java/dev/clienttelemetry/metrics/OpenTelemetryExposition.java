/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.resources.Resource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends the metrics as OpenTelemetry metrics, through OpenTelemetry's SDK and an exporter that is handed in.
 *
 * <p>Values are read when they are collected, so that counting costs the same whether this is used or not, and an
 * instrument without a value is absent. What the SDK's environment variables and system properties say to an agent in the
 * same process has no effect: nothing here reads them.
 */
public final class OpenTelemetryExposition implements Exposition {
    private static final String SCOPE = "dev.clienttelemetry";
    // What sends pushes is no exporter of OpenTelemetry's: for such the semantic conventions want the class's name.
    private static final String COMPONENT_TYPE = "dev.clienttelemetry.export.PushExporter";
    private static final String COMPONENT_NAME = COMPONENT_TYPE + "/0";

    private final TelemetryMetrics metrics;
    private final ServerAddress backend;
    private final IntervalReader reader;
    private final SdkMeterProvider provider;
    private final Meter meter;
    private final DistributionProducer distributions;
    private final Map<String, List<Series>> observed = new HashMap<>();
    private final Map<String, AutoCloseable> instruments = new HashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Sends the metrics until it is closed: first when the interval has passed once.
     *
     * @param metrics what to send
     * @param exporter sends; shut down by {@link #close}
     * @param backend where pushes go to
     * @param identity whose metrics they are
     * @param interval {@code otel.metric.export.interval}, more than zero
     */
    public OpenTelemetryExposition(
            TelemetryMetrics metrics,
            MetricExporter exporter,
            ServerAddress backend,
            ServiceIdentity identity,
            Duration interval) {
        this.metrics = metrics;
        this.backend = backend;
        this.reader = new IntervalReader(exporter, interval);
        this.distributions = new DistributionProducer(
                InstrumentationScopeInfo.builder(SCOPE)
                        .setVersion(identity.version())
                        .build(),
                exporter.getAggregationTemporality(InstrumentType.HISTOGRAM));
        Resource resource = identity.resource();
        this.provider = SdkMeterProvider.builder()
                .setResource(resource)
                .registerMetricReader(reader)
                .registerMetricProducer(distributions)
                .build();
        this.meter = provider.meterBuilder(SCOPE)
                .setInstrumentationVersion(identity.version())
                .build();
        metrics.show(this);
        reader.start();
    }

    @Override
    public synchronized void appeared(Series series) {
        Instrument instrument = series.instrument();
        String name = instrument.otelName();
        if (name == null || series.sum()) {
            return;
        }
        if (series.distribution() != null) {
            distributions.add(series, attributesOf(series));
            return;
        }
        List<Series> readings = observed.computeIfAbsent(name, absent -> new CopyOnWriteArrayList<>());
        readings.add(series);
        if (readings.size() == 1) {
            instruments.put(name, create(instrument, readings));
        }
    }

    @Override
    public synchronized void vanished(Series series) {
        String name = series.instrument().otelName();
        List<Series> readings = observed.get(name);
        if (readings != null && readings.remove(series) && readings.isEmpty()) {
            observed.remove(name);
            close(instruments.remove(name));
        }
    }

    /**
     * Sends the last values and shuts the exporter down. Stops anyway when the time is up. Repeatable.
     *
     * @param timeout how long this may take
     */
    public void close(Duration timeout) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        reader.finish(timeout);
        metrics.hide(this);
        provider.close();
    }

    private AutoCloseable create(Instrument instrument, List<Series> readings) {
        String name = instrument.otelName();
        String unit = instrument.unit();
        String description = instrument.description();
        return switch (instrument.kind()) {
            case COUNTER ->
                meter.counterBuilder(name)
                        .setUnit(unit)
                        .setDescription(description)
                        .buildWithCallback(measurement -> observe(readings, measurement));
            case UP_DOWN_COUNTER ->
                meter.upDownCounterBuilder(name)
                        .setUnit(unit)
                        .setDescription(description)
                        .buildWithCallback(measurement -> observe(readings, measurement));
            case GAUGE ->
                instrument.isDuration()
                        ? meter.gaugeBuilder(name)
                                .setUnit(unit)
                                .setDescription(description)
                                .buildWithCallback(measurement -> observeSeconds(readings, measurement))
                        : meter.gaugeBuilder(name)
                                .ofLongs()
                                .setUnit(unit)
                                .setDescription(description)
                                .buildWithCallback(measurement -> observe(readings, measurement));
            case DISTRIBUTION -> throw new IllegalArgumentException(name);
        };
    }

    private void observe(List<Series> readings, ObservableLongMeasurement measurement) {
        for (Series series : readings) {
            long value = series.value().getAsLong();
            if (value != Instrument.NOT_KNOWN) {
                measurement.record(value, attributesOf(series));
            }
        }
    }

    private void observeSeconds(List<Series> readings, ObservableDoubleMeasurement measurement) {
        for (Series series : readings) {
            long nanos = series.value().getAsLong();
            if (nanos != Instrument.NOT_KNOWN) {
                // Times since 1970 have more digits in nanoseconds than a double keeps; they are whole milliseconds.
                double seconds = nanos % 1_000_000 == 0 ? nanos / 1_000_000 / 1e3 : nanos / 1e9;
                measurement.record(seconds, attributesOf(series));
            }
        }
    }

    private Attributes attributesOf(Series series) {
        Instrument instrument = series.instrument();
        AttributesBuilder attributes = Attributes.builder();
        if (series.tag() != null) {
            attributes.put(instrument.tag().otelName(), series.tag());
        }
        if (instrument == Instrument.POINTS_REJECTED) {
            attributes.put(Instrument.Tag.ERROR.otelName(), Instrument.REJECTED);
        }
        if (instrument.otelName().startsWith("otel.sdk.")) {
            attributes
                    .put("otel.component.type", COMPONENT_TYPE)
                    .put("otel.component.name", COMPONENT_NAME)
                    .put("server.address", backend.host())
                    .put("server.port", backend.port());
        }
        return attributes.build();
    }

    private static void close(AutoCloseable instrument) {
        try {
            instrument.close();
        } catch (Exception e) {
            throw new IllegalStateException("an observable instrument does not throw", e);
        }
    }
}
