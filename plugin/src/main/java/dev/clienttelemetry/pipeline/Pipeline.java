/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.export.ExportBuffer;
import dev.clienttelemetry.export.ExportSettings;
import dev.clienttelemetry.export.OtelProperties;
import dev.clienttelemetry.export.OtlpConnection;
import dev.clienttelemetry.export.PushExporter;
import dev.clienttelemetry.instance.Client;
import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.instance.ClientInstances;
import dev.clienttelemetry.message.RepeatedFailure;
import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.ServiceIdentity;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import dev.clienttelemetry.otlp.ConversionSettings;
import dev.clienttelemetry.otlp.Label;
import dev.clienttelemetry.otlp.PushConverter;
import dev.clienttelemetry.otlp.Temporality;
import dev.clienttelemetry.subscription.SubscriptionSynchronizer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All stages of the way of a push, assembled: created from checked settings, started once the host has told who it is,
 * closed within five seconds. Thread-safe.
 */
public final class Pipeline implements AutoCloseable {
    /** How long {@link #close} may take, everything together. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    /** What is left for the last values of our own metrics when sending pushes took all the time it had. */
    private static final Duration LAST_METRICS_TIMEOUT = Duration.ofMillis(500);

    /** What the connection may take to free its threads at the very end. */
    private static final Duration CONNECTION_CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final PipelineSettings settings;
    private final Temporality temporality;
    private final LongSupplier nanoClock;
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    /** Null where subscriptions are left alone. */
    private final SubscriptionSynchronizer synchronizer;

    private final OtlpConnection connection;
    private final ClientInstances instances;
    private final ExportBuffer<ReceivedPush> buffer;
    private final PushExporter exporter;
    private final RepeatedFailure intakeFailure;
    private final Expositions expositions;
    private final Map<String, String> resourceAttributes;
    private final List<String> settingsFromElsewhere;
    private volatile ConversionWorker worker;
    private boolean closed;

    private Pipeline(
            PipelineSettings settings,
            OtelProperties otel,
            SubscriptionSynchronizer synchronizer,
            LongSupplier nanoClock) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        Duration exportInterval = otel.exportInterval();
        this.resourceAttributes = otel.resourceAttributes();
        this.settingsFromElsewhere = otel.fromElsewhere();
        this.temporality = Temporality.valueOf(otel.temporalityPreference().toUpperCase(Locale.ROOT));
        this.synchronizer = synchronizer;
        this.connection = OtlpConnection.open(otel);
        this.instances = new ClientInstances(settings.instancesMax(), nanoClock, metrics);
        this.buffer = new ExportBuffer<>(settings.bufferMaxBytes(), metrics);
        this.exporter = new PushExporter(
                new ExportSettings(
                        settings.batchMaxBytes(),
                        settings.batchLingerMs(),
                        settings.batchMaxAgeMs(),
                        settings.requestsInFlightMax()),
                buffer,
                connection,
                metrics,
                nanoClock);
        this.expositions = new Expositions(metrics, connection, exportInterval);
        this.intakeFailure = new RepeatedFailure(LOG, "A push could not be taken in and is dropped", nanoClock);
    }

    /**
     * Assembles the stages. Nothing runs and nothing is connected yet.
     *
     * @param settings the plugin's settings; the {@code otel.*} ones among them fall back to system properties and
     *     environment variables
     * @throws org.apache.kafka.common.config.ConfigException where an {@code otel.*} value is wrong, or subscriptions are
     *     to be applied and the provider cannot be made or the cluster not be reached with what is set
     */
    public static Pipeline create(PipelineSettings settings) {
        OtelProperties otel = OtelProperties.of(settings.otel(), System.getProperties(), System.getenv());
        SubscriptionSynchronizer synchronizer =
                settings.subscriptions() == null ? null : SubscriptionSynchronizer.create(settings.subscriptions());
        try {
            Pipeline pipeline = new Pipeline(settings, otel, synchronizer, System::nanoTime);
            otel.ineffective().forEach(LOG::warn);
            return pipeline;
        } catch (RuntimeException e) {
            if (synchronizer != null) {
                synchronizer.close();
            }
            throw e;
        }
    }

    /**
     * Starts the threads, and tells the operator so. Only the first call has an effect, and none after {@link #close}.
     *
     * @param nodeId the host's node id, null where unknown
     * @param clusterId the host's cluster id, null where unknown
     */
    public synchronized void start(String nodeId, String clusterId) {
        if (closed || worker != null) {
            return;
        }
        ServiceIdentity identity = new ServiceIdentity(clusterId, nodeId, version(), resourceAttributes);
        PushConverter converter = new PushConverter(
                new ConversionSettings(
                        settings.labels(),
                        settings.serviceName(),
                        nodeId,
                        clusterId,
                        temporality,
                        settings.dropNanGauges(),
                        settings.seriesMax(),
                        settings.seriesMaxPerInstance()),
                metrics);
        ConversionWorker starting = new ConversionWorker(
                buffer, instances, Conversion.of(converter), new FirstPush(LOG, nanoClock, metrics), nanoClock);
        provideGauges(converter);
        if (synchronizer != null) {
            synchronizer.start(nodeId, metrics, instances::size);
        }
        exporter.start();
        starting.start();
        worker = starting;
        show(identity);
        LOG.info(
                "Kafka Client Telemetry {} sends the metrics that clients push to {}; labels: {}; service.name: {}",
                version(),
                connection.description(),
                settings.labels().isEmpty()
                        ? "none"
                        : settings.labels().stream().map(Label::key).collect(Collectors.joining(", ")),
                settings.serviceName());
        if (!settingsFromElsewhere.isEmpty()) {
            LOG.info(
                    "Not from server.properties, and perhaps meant for an OpenTelemetry agent in the same process: {}. What"
                            + " server.properties sets wins, also an empty value",
                    String.join(", ", settingsFromElsewhere));
        }
    }

    private void show(ServiceIdentity identity) {
        try {
            expositions.open(identity);
        } catch (RuntimeException | LinkageError unexpected) {
            // Pushes matter more than the numbers about them, and the broker's start more than both.
            LOG.warn("The plugin's own metrics are not shown", unexpected);
        }
    }

    /** Returns the instruments that the stages fill. */
    public TelemetryMetrics metrics() {
        return metrics;
    }

    /**
     * Finds the live instance with an id, or null. Never blocks.
     *
     * @param idMost upper half of the client instance id
     * @param idLeast lower half of the client instance id
     */
    public ClientInstance live(long idMost, long idLeast) {
        return instances.live(idMost, idLeast);
    }

    /**
     * Records that an instance pushed, whatever becomes of the push. Called on request threads: never blocks.
     *
     * @param known what {@link #live} gave for the id
     * @param idMost upper half of the client instance id
     * @param idLeast lower half of the client instance id
     * @param client the client as the host knows it
     * @param pushIntervalMs the push interval in milliseconds where the host tells it, else 0
     * @param terminating whether this is the instance's last push
     * @return the instance that pushed
     */
    public ClientInstance pushed(
            ClientInstance known, long idMost, long idLeast, Client client, int pushIntervalMs, boolean terminating) {
        return known == null
                ? instances.pushed(idMost, idLeast, client, pushIntervalMs, terminating)
                : instances.pushed(known, client, pushIntervalMs, terminating);
    }

    /**
     * Takes in a push that the check accepted, and counts it as received. Called on request threads: never blocks; what
     * finds no room is counted and dropped.
     *
     * @param instance whose push it is
     * @param client the client as the host knew it with this push
     * @param payload the payload, exactly as long as the push; the pipeline's from now on. Empty where the client has
     *     nothing to report
     * @param terminating whether this is the instance's last push
     */
    public void accept(ClientInstance instance, Client client, byte[] payload, boolean terminating) {
        metrics.pushes().increment();
        metrics.pushBytes().add(payload.length);
        boolean waiting = false;
        if (payload.length == 0) {
            metrics.pushesEmpty().increment();
        } else {
            waiting = offer(instance, client, payload, terminating);
        }
        if (terminating && !waiting) {
            endedWithoutConversion(instance);
        }
    }

    private boolean offer(ClientInstance instance, Client client, byte[] payload, boolean terminating) {
        try {
            return buffer.offer(new ReceivedPush(instance, client, payload, terminating, nanoClock.getAsLong()));
        } catch (Throwable unexpected) {
            metrics.pushesDropped().increment(PushDropReason.INTERNAL_ERROR);
            intakeFailure.happened(unexpected);
            return false;
        }
    }

    /**
     * Counts a push that is received and dropped before its payload was taken in, although the client is told that it is
     * fine. Called on request threads: never blocks.
     *
     * @param instance whose push it is
     * @param reason why it is dropped
     * @param terminating whether this is the instance's last push
     */
    public void drop(ClientInstance instance, PushDropReason reason, boolean terminating) {
        metrics.pushes().increment();
        metrics.pushesDropped().increment(reason);
        if (terminating) {
            endedWithoutConversion(instance);
        }
    }

    /**
     * Ends an instance whose terminating push is refused: nothing more comes of it. Called on request threads: never blocks.
     *
     * @param idMost upper half of the client instance id
     * @param idLeast lower half of the client instance id
     */
    public void ended(long idMost, long idLeast) {
        ClientInstance known = live(idMost, idLeast);
        if (known != null) {
            endedWithoutConversion(instances.pushed(known, known.client(), 0, true));
        }
    }

    /**
     * Counts and logs an error of our own before a push was taken in or dropped: the client is told that it is fine, so it
     * is received and dropped. Never throws.
     *
     * @param unexpected the error
     */
    public void failed(Throwable unexpected) {
        try {
            metrics.pushes().increment();
            metrics.pushesDropped().increment(PushDropReason.INTERNAL_ERROR);
        } catch (Throwable counting) {
            // Out of memory: nothing may escape to the request thread.
        }
        intakeFailure.happened(unexpected);
    }

    /**
     * Converts and sends what is waiting, then stops every thread, within five seconds altogether. What is not
     * delivered by then is counted as dropped. Works in every state; repeatable.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        long deadline = System.nanoTime()
                + CLOSE_TIMEOUT.minus(CONNECTION_CLOSE_TIMEOUT).toNanos();
        if (synchronizer != null) {
            closeStage("what applies subscriptions", synchronizer::close);
        }
        if (worker != null) {
            closeStage("conversion", this::finishConversion);
        }
        closeStage("export", () -> exporter.close(left(deadline - LAST_METRICS_TIMEOUT.toNanos())));
        closeStage("the plugin's own metrics", () -> expositions.close(left(deadline)));
        closeStage("the connection to the backend", connection::close);
        if (worker != null) {
            // What is held even now goes with the sender's thread, which may be late for its end.
            long dropped = metrics.pushesDropped().total(PushDropReason.SHUTDOWN) + buffer.pushes();
            if (dropped == 0) {
                LOG.info("Client telemetry has stopped; no push waited any more");
            } else {
                LOG.warn("Client telemetry has stopped; dropped pushes that still waited: {}", dropped);
            }
        }
    }

    /** Closes one stage; whatever happens, the others are closed too. */
    private static void closeStage(String stage, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException | Error unexpected) {
            LOG.warn("While the plugin was stopped, {} could not be closed", stage, unexpected);
        }
    }

    private void finishConversion() {
        if (!worker.finish(CLOSE_TIMEOUT.dividedBy(2))) {
            LOG.warn("Pushes were still being converted when the plugin had to stop; they are dropped and counted");
        }
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    private void provideGauges(PushConverter converter) {
        metrics.provide(Instrument.ACTIVE_INSTANCES, instances::size);
        metrics.provide(Instrument.PUSHES_PENDING, buffer::pushes);
        metrics.provide(Instrument.SERIES, converter::series);
        metrics.provide(Instrument.SERIES_LIMIT, settings::seriesMax);
        metrics.provide(Instrument.BUFFER_BYTES, buffer::bytes);
        metrics.provide(Instrument.BUFFER_LIMIT, buffer::maxBytes);
        metrics.provide(Instrument.OLDEST_PUSH_AGE, exporter::oldestPushAgeNanos);
        metrics.provide(Instrument.POINTS_IN_FLIGHT, exporter::pointsInFlight);
        metrics.provide(
                Instrument.BACKEND_REACHABLE,
                () -> switch (connection.reachability().state()) {
                    case REACHABLE -> 1;
                    case UNREACHABLE -> 0;
                    case UNKNOWN -> Instrument.NOT_KNOWN;
                });
    }

    private void endedWithoutConversion(ClientInstance instance) {
        ConversionWorker running = worker;
        if (running == null) {
            return;
        }
        try {
            running.endedWithoutConversion(instance);
        } catch (Throwable unexpected) {
            // The push is counted already; the instance's state goes when it would have expired.
            intakeFailure.happened(unexpected);
        }
    }

    private static String version() {
        String version = Pipeline.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }
}
