/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import dev.clienttelemetry.metrics.Distribution;
import dev.clienttelemetry.metrics.Exposition;
import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.Series;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows instruments in a Micrometer registry under their OpenTelemetry names, which Micrometer's Prometheus registry
 * turns into Prometheus' form.
 *
 * <p>Kroxylicious refuses two meters of one name whose tags have different keys. So a name has one set of keys, and a
 * series without a value for one of them says {@value #NO_VALUE}.
 */
final class MicrometerExposition implements Exposition, AutoCloseable {
    /** The tag that tells the gateways of one process apart. */
    static final String GATEWAY_TAG = "gateway";

    private static final String NO_VALUE = "none";

    private final MeterRegistry registry;
    private final String gateway;
    // Micrometer holds what it reads from weakly.
    private final Map<Series, Meter> shown = new HashMap<>();

    MicrometerExposition(MeterRegistry registry, String gateway) {
        this.registry = registry;
        this.gateway = gateway;
    }

    @Override
    public synchronized void appeared(Series series) {
        if (series.sum() || series.instrument().otelName() == null) {
            // A sum is the sum of its parts here too; what has no name is told by another instrument.
            return;
        }
        shown.put(series, meter(series));
    }

    @Override
    public synchronized void vanished(Series series) {
        Meter meter = shown.remove(series);
        if (meter != null) {
            registry.remove(meter);
        }
    }

    /** Shows durations of which only the number and the sum are known. */
    synchronized void showTime(Instrument instrument, LongSupplier count, LongSupplier totalNanos) {
        Series series = new Series(instrument, null, false, totalNanos, null);
        shown.put(series, timer(series, count, totalNanos));
    }

    private Meter meter(Series series) {
        Instrument instrument = series.instrument();
        String name = instrument.otelName();
        Distribution distribution = series.distribution();
        if (distribution != null) {
            return timer(series, distribution::count, distribution::totalNanos);
        }
        LongSupplier value = series.value();
        if (instrument.kind() == Instrument.Kind.COUNTER) {
            return FunctionCounter.builder(name, value, LongSupplier::getAsLong)
                    .description(instrument.description())
                    .baseUnit(baseUnit(instrument))
                    .tags(tags(series))
                    .register(registry);
        }
        if (instrument.isDuration()) {
            return TimeGauge.builder(name, value, TimeUnit.NANOSECONDS, MicrometerExposition::known)
                    .description(instrument.description())
                    .tags(tags(series))
                    .register(registry);
        }
        return Gauge.builder(name, value, MicrometerExposition::known)
                .description(instrument.description())
                .baseUnit(baseUnit(instrument))
                .tags(tags(series))
                .register(registry);
    }

    /** Of those that Prometheus' names end in; seconds are Micrometer's own business. */
    private static String baseUnit(Instrument instrument) {
        return instrument.unit().equals("By") ? BaseUnits.BYTES : null;
    }

    private Meter timer(Series series, LongSupplier count, LongSupplier totalNanos) {
        // The count and the sum come from one object, which Micrometer hands to both functions.
        return FunctionTimer.builder(
                        series.instrument().otelName(),
                        series,
                        ignored -> count.getAsLong(),
                        ignored -> totalNanos.getAsLong(),
                        TimeUnit.NANOSECONDS)
                .description(series.instrument().description())
                .tags(tags(series))
                .register(registry);
    }

    private static double known(LongSupplier value) {
        long reading = value.getAsLong();
        return reading == Instrument.NOT_KNOWN ? Double.NaN : reading;
    }

    private Tags tags(Series series) {
        Tags tags = Tags.of(Tag.of(GATEWAY_TAG, gateway));
        Instrument instrument = series.instrument();
        if (instrument == Instrument.POINTS_SENT || instrument == Instrument.POINTS_REJECTED) {
            // One metric in OpenTelemetry, together with POINTS_FAILED, whose tag it is.
            return tags.and(
                    Instrument.Tag.ERROR.otelName(),
                    instrument == Instrument.POINTS_REJECTED ? Instrument.REJECTED : NO_VALUE);
        }
        if (instrument.tag() == null) {
            return tags;
        }
        return tags.and(instrument.tag().otelName(), series.tag() == null ? NO_VALUE : series.tag());
    }

    @Override
    public synchronized void close() {
        shown.values().forEach(registry::remove);
        shown.clear();
    }
}
