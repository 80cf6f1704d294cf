/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.Metric;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the metrics where the broker shows its own: as {@code kafka.server:type=ClientMetrics,name=...} in the registry
 * behind Kafka's JMX, from which other reporters read too. As in Kafka, an instrument that is split by reason stands
 * beside its parts without the tag. Durations are in milliseconds, as the names say.
 *
 * <p>The only class that needs kafka-server-common and Yammer: to be used in brokers only.
 */
public final class JmxExposition implements Exposition, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JmxExposition.class);
    private static final String GROUP = "kafka.server";
    private static final String TYPE = "ClientMetrics";

    private final TelemetryMetrics metrics;
    private final MetricsRegistry registry;
    private final Map<Series, Map<MetricName, Supplier<Object>>> shown = new HashMap<>();

    /**
     * Shows the metrics in the broker's registry until it is closed.
     *
     * @param metrics what to show
     */
    public JmxExposition(TelemetryMetrics metrics) {
        this(metrics, KafkaYammerMetrics.defaultRegistry());
    }

    JmxExposition(TelemetryMetrics metrics, MetricsRegistry registry) {
        this.metrics = metrics;
        this.registry = registry;
        metrics.show(this);
    }

    @Override
    public synchronized void appeared(Series series) {
        Map<MetricName, Supplier<Object>> gauges = gaugesOf(series);
        gauges.forEach(this::register);
        shown.put(series, gauges);
    }

    @Override
    public synchronized void vanished(Series series) {
        Map<MetricName, Supplier<Object>> gauges = shown.remove(series);
        if (gauges != null) {
            gauges.forEach(this::unregister);
        }
    }

    /** Takes everything away again that this object shows, and nothing else. Repeatable. */
    @Override
    public void close() {
        metrics.hide(this);
        synchronized (this) {
            shown.values().forEach(gauges -> gauges.forEach(this::unregister));
            shown.clear();
        }
    }

    private static Map<MetricName, Supplier<Object>> gaugesOf(Series series) {
        Map<MetricName, Supplier<Object>> gauges = new LinkedHashMap<>();
        Instrument instrument = series.instrument();
        MetricName name = name(
                instrument.jmxName(),
                instrument.tag() == null ? null : instrument.tag().jmxName(),
                series.tag());
        Distribution distribution = series.distribution();
        if (distribution == null) {
            gauges.put(name, valueOf(instrument, series.value()));
            return gauges;
        }
        gauges.put(name, () -> millis(distribution.totalNanos()));
        if (series.tag() == null) {
            long[] bounds = distribution.boundsNanos();
            for (int i = 0; i <= bounds.length; i++) {
                int bucket = i;
                String bound = i == bounds.length
                        ? "inf"
                        : BigDecimal.valueOf(bounds[i], 6).stripTrailingZeros().toPlainString();
                gauges.put(name(instrument.jmxName() + "Bucket", "le", bound), () -> countUpTo(bucket, distribution));
            }
        }
        return gauges;
    }

    private static MetricName name(String name, String tag, String tagValue) {
        LinkedHashMap<String, String> tags = new LinkedHashMap<>();
        if (tagValue != null) {
            tags.put(tag, tagValue);
        }
        return KafkaYammerMetrics.getMetricName(GROUP, TYPE, name, tags);
    }

    private static Supplier<Object> valueOf(Instrument instrument, LongSupplier reading) {
        boolean isDuration = instrument.isDuration();
        return () -> {
            long value = reading.getAsLong();
            if (value == Instrument.NOT_KNOWN) {
                return null;
            }
            if (isDuration) {
                return millis(value);
            }
            return value;
        };
    }

    private static double millis(long nanos) {
        // Times since 1970 have more digits in nanoseconds than a double keeps; they are whole milliseconds.
        return nanos % 1_000_000 == 0 ? nanos / 1_000_000 : nanos / 1e6;
    }

    /** Buckets as Prometheus has them: each counts the smaller ones too. */
    private static long countUpTo(int bucket, Distribution distribution) {
        long[] counts = distribution.counts();
        long total = 0;
        for (int i = 0; i <= bucket; i++) {
            total += counts[i];
        }
        return total;
    }

    private void register(MetricName name, Supplier<Object> source) {
        // Whoever adds a gauge, or takes the last source of one away, holds this: the registry outlives the plugin
        // and is the one thing that two of its instances share.
        synchronized (registry) {
            Metric existing = registry.allMetrics().get(name);
            if (existing == null) {
                registry.newGauge(name, new SharedGauge(source));
            } else if (existing instanceof SharedGauge shared) {
                shared.sources.add(source);
            } else {
                LOG.warn("{} is not shown: something else has that name in the broker's metrics", name.getMBeanName());
            }
        }
    }

    private void unregister(MetricName name, Supplier<Object> source) {
        synchronized (registry) {
            if (registry.allMetrics().get(name) instanceof SharedGauge shared && shared.sources.contains(source)) {
                if (shared.sources.size() == 1) {
                    // It keeps its source, for whoever reads it at this moment.
                    registry.removeMetric(name);
                } else {
                    shared.sources.remove(source);
                }
            }
        }
    }

    /**
     * One name, for which there may be two plugin instances for a while: an old one that is still closing when the new one
     * is there already. The newest is shown; when it goes first, the other again.
     */
    private static final class SharedGauge extends Gauge<Object> {
        private final List<Supplier<Object>> sources = new CopyOnWriteArrayList<>();

        SharedGauge(Supplier<Object> source) {
            sources.add(source);
        }

        @Override
        public Object value() {
            Supplier<Object> newest = null;
            for (Supplier<Object> source : sources) {
                newest = source;
            }
            return newest == null ? null : newest.get();
        }
    }
}
