/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What instruments show at this moment, without their parts by tag. Thread-safe. */
public final class ShownValues implements Exposition {
    private final Map<Instrument, Series> shown = new ConcurrentHashMap<>();

    @Override
    public void appeared(Series series) {
        if (series.tag() == null) {
            shown.put(series.instrument(), series);
        }
    }

    @Override
    public void vanished(Series series) {
        shown.remove(series.instrument(), series);
    }

    /** Returns the instruments that are shown. */
    public Set<Instrument> instruments() {
        return shown.keySet();
    }

    /** Returns an instrument's value, {@link Instrument#NOT_KNOWN} where it is not shown. */
    public long value(Instrument instrument) {
        Series series = shown.get(instrument);
        return series == null ? Instrument.NOT_KNOWN : series.value().getAsLong();
    }
}
