/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import dev.clienttelemetry.gateway.Gateway;
import dev.clienttelemetry.gateway.Workers;
import dev.clienttelemetry.gateway.exporter.ExportCalls;
import dev.clienttelemetry.gateway.protocol.TelemetryRequestMetrics;
import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.Series;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.config.ConfigException;

/**
 * A gateway's numbers: KIP-714's eight, which are exact here since the gateway is the broker's side; in OTLP through our
 * plugin's own metrics where it is the exporter, and in the proxy's Micrometer registry always. There, too, what the
 * plugin and the filter measure of themselves. Thread-safe.
 */
final class GatewayMeters implements AutoCloseable {
    private static final String EVENT_LOOP_TIME = "client_telemetry.gateway.event_loop.duration";
    private static final String VIOLATIONS = "client_telemetry.gateway.header.violations";
    private static final String WAITING = "client_telemetry.gateway.waiting";
    private static final String WAITING_REQUESTS = "client_telemetry.gateway.waiting.requests";
    private static final String LATE = "client_telemetry.gateway.late.answers";
    private static final String REFUSED_PUSHES = "client_telemetry.gateway.refused.pushes";
    private static final String REFUSED = "client_telemetry.gateway.refused.requests";

    private final MeterRegistry registry;
    private final List<Meter> own = new ArrayList<>();
    private final MicrometerExposition exposition;
    private final Optional<TelemetryMetrics> pluginMetrics;
    private final Timer eventLoopTime;
    private final Counter violationsAnswered;
    private final Counter violationsClosed;

    private GatewayMeters(MeterRegistry registry, Gateway gateway) {
        String name = gateway.settings().name();
        this.registry = registry;
        this.exposition = new MicrometerExposition(registry, name);
        this.pluginMetrics = gateway.plugin().ownMetrics();
        try {
            this.eventLoopTime = own(Timer.builder(EVENT_LOOP_TIME)
                    .description("Time that telemetry requests take on the proxy's event loops")
                    .tag(MicrometerExposition.GATEWAY_TAG, name)
                    .register(registry));
            this.violationsAnswered = violations(name, "answered");
            this.violationsClosed = violations(name, "closed");
            showWorkers(name, gateway.workers());
            TelemetryRequestMetrics metrics = gateway.metrics();
            refusedPushes(name, "unsupported_compression", metrics.unsupportedCompressions());
            refusedPushes(name, "too_large", metrics.tooLarge());
            refusedPushes(name, "undecompressable", metrics.undecompressable());
            if (pluginMetrics.isPresent()) {
                numbers(gateway).forEach(pluginMetrics.get()::provide);
                pluginMetrics.get().show(exposition);
            } else {
                showCalls(gateway);
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private <T extends Meter> T own(T meter) {
        own.add(meter);
        return meter;
    }

    private void showWorkers(String name, Workers workers) {
        own(Gauge.builder(WAITING, workers::waitingBytes)
                .description("Memory of telemetry requests that wait for a thread or are worked on")
                .baseUnit("bytes")
                .tag(MicrometerExposition.GATEWAY_TAG, name)
                .register(registry));
        own(Gauge.builder(WAITING_REQUESTS, workers::waitingRequests)
                .description("Telemetry requests that wait for a thread or are worked on")
                .tag(MicrometerExposition.GATEWAY_TAG, name)
                .register(registry));
        own(FunctionCounter.builder(LATE, workers, Workers::late)
                .description("Telemetry requests answered by throttling since their work took too long")
                .tag(MicrometerExposition.GATEWAY_TAG, name)
                .register(registry));
        own(FunctionCounter.builder(REFUSED, workers, Workers::refused)
                .description("Telemetry requests refused since too much was waiting")
                .tag(MicrometerExposition.GATEWAY_TAG, name)
                .register(registry));
    }

    private void refusedPushes(String name, String reason, dev.clienttelemetry.metrics.Counter pushes) {
        own(FunctionCounter.builder(REFUSED_PUSHES, pushes, dev.clienttelemetry.metrics.Counter::total)
                .description("Pushes refused for their payload before the plugin saw them")
                .tag(MicrometerExposition.GATEWAY_TAG, name)
                .tag("reason", reason)
                .register(registry));
    }

    private void showCalls(Gateway gateway) {
        Map<Instrument, LongSupplier> numbers = numbers(gateway);
        ExportCalls calls = gateway.plugin().calls();
        numbers.put(Instrument.PLUGIN_EXPORTS, calls::calls);
        numbers.put(Instrument.PLUGIN_ERRORS, calls::errors);
        numbers.forEach(
                (instrument, reading) -> exposition.appeared(new Series(instrument, null, false, reading, null)));
        exposition.showTime(Instrument.PLUGIN_EXPORT_TIME, calls::calls, calls::nanos);
    }

    /** Refuses a second gateway of one name, whose meters would be taken for the first one's. */
    static void refuseSecond(MeterRegistry registry, String name) {
        if (registry.find(EVENT_LOOP_TIME)
                        .tag(MicrometerExposition.GATEWAY_TAG, name)
                        .meter()
                != null) {
            throw new ConfigException("name", name, "must differ from that of the other filter definition's gateway");
        }
    }

    /** Shows a gateway's numbers; where that fails, none of them is left. */
    static GatewayMeters register(MeterRegistry registry, Gateway gateway) {
        return new GatewayMeters(registry, gateway);
    }

    private static Map<Instrument, LongSupplier> numbers(Gateway gateway) {
        TelemetryRequestMetrics metrics = gateway.metrics();
        Map<Instrument, LongSupplier> numbers = new EnumMap<>(Instrument.class);
        numbers.put(Instrument.INSTANCES, gateway.requests()::instanceCount);
        numbers.put(Instrument.ACTIVE_INSTANCES, gateway.requests()::activeInstanceCount);
        numbers.put(Instrument.NEW_INSTANCES, metrics.newInstances()::total);
        numbers.put(Instrument.UNKNOWN_INSTANCES, metrics.unknownInstances()::total);
        numbers.put(Instrument.UNKNOWN_SUBSCRIPTIONS, metrics.unknownSubscriptions()::total);
        numbers.put(Instrument.THROTTLED, metrics.throttledPushes()::total);
        return numbers;
    }

    private Counter violations(String name, String outcome) {
        return own(Counter.builder(VIOLATIONS)
                .description("Requests that break the rule for client instance ids in headers (KIP-1313)")
                .tag(MicrometerExposition.GATEWAY_TAG, name)
                .tag("outcome", outcome)
                .register(registry));
    }

    void eventLoopTime(long nanos) {
        eventLoopTime.record(nanos, TimeUnit.NANOSECONDS);
    }

    void violationAnswered() {
        violationsAnswered.increment();
    }

    void violationClosed() {
        violationsClosed.increment();
    }

    @Override
    public void close() {
        pluginMetrics.ifPresent(metrics -> metrics.hide(exposition));
        exposition.close();
        own.forEach(registry::remove);
    }
}
