/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import dev.clienttelemetry.gateway.exporter.TelemetryPlugin;
import dev.clienttelemetry.gateway.protocol.InstanceIdAgreement;
import dev.clienttelemetry.gateway.protocol.TelemetryRequestMetrics;
import dev.clienttelemetry.gateway.protocol.TelemetryRequests;
import java.nio.ByteBuffer;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One gateway: subscriptions, the rules for requests, the threads that do their work, and the plugin. Shared by all
 * connections. Thread-safe.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final long EXPIRE_EVERY_SECONDS = 10;

    private final GatewaySettings settings;
    private final TelemetryRequestMetrics metrics = new TelemetryRequestMetrics();
    private final ScheduledExecutorService scheduler;
    private final ScheduledExecutorService deadlines;
    private final PresentSubscriptions subscriptions;
    private final TelemetryPlugin plugin;
    private final TelemetryRequests requests;
    private final Workers workers;
    private final HeaderViolations headerViolations = new HeaderViolations(LOG, System::nanoTime);
    private final ByteBuffer tooLarge;

    private Gateway(
            GatewaySettings settings,
            ScheduledExecutorService scheduler,
            ScheduledExecutorService deadlines,
            PresentSubscriptions subscriptions,
            TelemetryPlugin plugin) {
        this.settings = settings;
        this.scheduler = scheduler;
        this.deadlines = deadlines;
        this.subscriptions = subscriptions;
        this.plugin = plugin;
        this.requests = new TelemetryRequests(
                new InstanceIdAgreement(settings.headerRule(), settings.echoClientInstanceId()),
                subscriptions,
                plugin,
                settings.telemetryMaxBytes(),
                settings.instancesMax(),
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
                metrics);
        this.tooLarge = ByteBuffer.allocate(Math.min(settings.telemetryMaxBytes(), Integer.MAX_VALUE - 16) + 1)
                .asReadOnlyBuffer();
        this.workers = new Workers(settings.workers(), settings.instancesMax(), settings.waitingMaxBytes(), deadlines);
        scheduler.scheduleWithFixedDelay(
                requests::expireInstances, EXPIRE_EVERY_SECONDS, EXPIRE_EVERY_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Reads the subscriptions, starts the plugin and the threads.
     *
     * @param settings the settings
     * @throws org.apache.kafka.common.config.ConfigException where something about them is wrong; nothing runs then
     */
    public static Gateway start(GatewaySettings settings) {
        ScheduledExecutorService scheduler = scheduler("client-telemetry-gateway-scheduler");
        // Of their own thread: the scheduler's asks the subscriptions' provider, which may hang.
        ScheduledExecutorService deadlines = scheduler("client-telemetry-gateway-deadlines");
        PresentSubscriptions subscriptions = null;
        TelemetryPlugin plugin = null;
        try {
            subscriptions = PresentSubscriptions.read(settings.subscriptions(), scheduler);
            plugin = TelemetryPlugin.start(
                    settings.exporter(), settings.exporterConfig(), settings.brokerId(), settings.clusterId());
            tellWhatIsNotKnown(settings);
            warnOfHeap(settings, Runtime.getRuntime().maxMemory());
            return new Gateway(settings, scheduler, deadlines, subscriptions, plugin);
        } catch (RuntimeException | Error e) {
            try {
                close(scheduler, deadlines, subscriptions, null, plugin);
            } catch (RuntimeException | Error second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private static ScheduledExecutorService scheduler(String name) {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        // Nearly every answer is given before its deadline, which would else stay for its 5 s.
        scheduler.setRemoveOnCancelPolicy(true);
        return scheduler;
    }

    private static void tellWhatIsNotKnown(GatewaySettings settings) {
        LOG.info(
                "The proxy tells neither principal nor address, port, listener and security protocol of a client: these"
                        + " labels are left out{}{}, and selectors on address or port match nothing",
                settings.brokerId() == null ? ", broker_id (set brokerId to have it)" : "",
                settings.clusterId() == null ? ", cluster_id (set clusterId to have it)" : "");
    }

    private static void warnOfHeap(GatewaySettings settings, long heapBytes) {
        if (settings.isWaitingLargeFor(heapBytes)) {
            LOG.warn(
                    "waitingMaxBytes has its default of {} bytes, which is more than half of this JVM's heap of {}: set it to"
                            + " less, or give the JVM more (-Xmx)",
                    settings.waitingMaxBytes(),
                    heapBytes);
        }
    }

    /** Returns the settings. */
    public GatewaySettings settings() {
        return settings;
    }

    /** Returns what answers telemetry requests; to be called on {@link #workers}. */
    public TelemetryRequests requests() {
        return requests;
    }

    /** Returns what is counted while answering. */
    public TelemetryRequestMetrics metrics() {
        return metrics;
    }

    /** Returns a payload that is larger than pushes may be, to stand for any; always the same bytes. */
    public ByteBuffer tooLargePayload() {
        return tooLarge.duplicate();
    }

    /** Returns the plugin. */
    public TelemetryPlugin plugin() {
        return plugin;
    }

    /** Returns the threads for work that may take time. */
    public Workers workers() {
        return workers;
    }

    /** Returns what tells of requests that break KIP-1313's rule. */
    public HeaderViolations headerViolations() {
        return headerViolations;
    }

    /** Ends the threads, lets the plugin send what it holds, and closes it. */
    @Override
    public void close() {
        close(scheduler, deadlines, subscriptions, workers, plugin);
    }

    /** Closes each of them, whatever the others throw: some of it is the provider's and the plugin's code. */
    private static void close(
            ScheduledExecutorService scheduler,
            ScheduledExecutorService deadlines,
            PresentSubscriptions subscriptions,
            Workers workers,
            TelemetryPlugin plugin) {
        scheduler.shutdownNow();
        deadlines.shutdownNow();
        try (plugin;
                workers;
                subscriptions) {
            LOG.debug("Closing the subscriptions, the workers and the plugin");
        }
    }
}
