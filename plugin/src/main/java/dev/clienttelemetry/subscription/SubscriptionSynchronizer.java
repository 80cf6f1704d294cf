/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Causes;
import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.metrics.Counter;
import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the cluster's subscriptions equal to what a ConfigProvider supplies. Runs in every broker on one thread of its
 * own; the broker with the lowest id among the live ones acts, the others only look who is alive. Nothing here delays or
 * fails the broker's start, and an outage of the cluster is waited out.
 *
 * <p>A source that turns bad leaves the last good set in force. {@link #start} and {@link #close} may be called from any
 * thread.
 */
public final class SubscriptionSynchronizer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionSynchronizer.class);
    private static final String ADMIN_CLIENT_ID = "client-telemetry-subscriptions";
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(25);
    private static final Duration JUDGING_LIMIT = Duration.ofSeconds(1);
    private static final long FIRST_BACKOFF_MS = 500;
    private static final long MAX_BACKOFF_MS = 30_000;
    private static final long CLOSE_TIMEOUT_MS = 1_000;
    private static final long LOOK_AGAIN_MS = 500;
    /** How often nothing may listen before it is told: a minute. */
    private static final int QUIET_LOOKS = 120;

    private static final Duration LOOK_TIMEOUT = Duration.ofMillis(500);

    private final String path;
    private final boolean prune;
    private final long refreshMs;
    private final SubscriptionSource source;
    private final ClusterConnection connection;
    private final LongSupplier epochMillis;
    private final AtomicBoolean changed = new AtomicBoolean();
    private final Object wake = new Object();
    private final Counter applied = new Counter();

    private final StateLog sourceLog = new StateLog(LOG);
    private final StateLog clusterLog = new StateLog(LOG);
    private ClusterSubscriptions cluster;
    private SubscriptionSet supplied;
    private SubscriptionSet judged;
    private long judgedClients;
    private List<SubscriptionWarning> warnings = List.of();
    private long backoffMs = FIRST_BACKOFF_MS;
    private long nextReadNanos;
    private LongSupplier clients = () -> 0;
    private boolean acting;
    /** Something has been connected to since the start. */
    private boolean listening;

    private int looks;
    private int liveBrokers;
    private boolean sourceGood;
    /** The source was to be read and could not even be found bad; only the thread's own. */
    private boolean readOwed;

    private volatile long suppliedCount = Instrument.NOT_KNOWN;
    private volatile long driftedCount = Instrument.NOT_KNOWN;
    private volatile long lastSuccessNanos = Instrument.NOT_KNOWN;
    private volatile long lastErrorNanos = Instrument.NOT_KNOWN;
    private volatile boolean closed;
    private Thread thread;
    private TelemetryMetrics metrics;

    /** Makes the connection to the cluster; called on the synchronizer's thread, again after a failure. */
    interface ClusterConnection {
        ClusterSubscriptions open(int nodeId);

        /** Returns why it is no use to open it yet, or null. Asked before the first opening only. */
        default String obstacle() {
            return null;
        }
    }

    SubscriptionSynchronizer(
            ConfigProvider provider,
            String path,
            boolean prune,
            long refreshMs,
            ClusterConnection connection,
            LongSupplier epochMillis) {
        this.path = path;
        this.prune = prune;
        this.refreshMs = refreshMs;
        this.source = new SubscriptionSource(provider, path, refreshMs, this::sourceChanged);
        this.connection = connection;
        this.epochMillis = epochMillis;
    }

    /**
     * Creates a synchronizer; nothing runs, is read or is connected yet.
     *
     * @param settings what to keep equal to what
     * @throws ConfigException if the provider cannot be made, or the settings do not say how to reach the cluster or have a
     *     value with which no client can be made
     */
    public static SubscriptionSynchronizer create(SynchronizerSettings settings) {
        AdminSettings.check(settings.broker(), ADMIN_CLIENT_ID);
        ConfigProvider provider = NamedConfigProvider.create(
                "client.telemetry.subscriptions.provider", settings.provider(), settings.broker());
        return new SubscriptionSynchronizer(
                provider,
                settings.path(),
                settings.prune(),
                settings.refreshMs(),
                connection(() -> AdminSettings.of(settings.broker(), ADMIN_CLIENT_ID)),
                System::currentTimeMillis);
    }

    private static ClusterConnection connection(Supplier<Map<String, Object>> admin) {
        return new ClusterConnection() {
            @Override
            public ClusterSubscriptions open(int nodeId) {
                return new AdminClusterSubscriptions(Admin.create(admin.get()), ANSWER_TIMEOUT);
            }

            @Override
            public String obstacle() {
                BootstrapAddresses addresses = BootstrapAddresses.of(admin.get().get("bootstrap.servers"));
                return addresses == null ? null : addresses.obstacle(LOOK_TIMEOUT);
            }
        };
    }

    /**
     * Starts the thread. Only the first call has an effect, and none after {@link #close}.
     *
     * @param nodeId the broker's id; null or no number where it is not known, and then this broker never acts
     * @param shown where last success, last error, and the numbers of subscriptions supplied, applied and drifted show
     * @param pushingClients how many clients push to this broker, to judge intervals by
     */
    public synchronized void start(String nodeId, TelemetryMetrics shown, LongSupplier pushingClients) {
        if (closed || thread != null) {
            return;
        }
        int id;
        try {
            id = Integer.parseInt(String.valueOf(nodeId));
        } catch (NumberFormatException e) {
            LOG.error("This broker's id is '{}', no number: it does not apply subscriptions", nodeId);
            return;
        }
        clients = pushingClients;
        metrics = shown;
        metrics.provide(Instrument.SUBSCRIPTIONS_SUPPLIED, () -> suppliedCount);
        metrics.provide(Instrument.SUBSCRIPTIONS_APPLIED, applied::total);
        metrics.provide(Instrument.SUBSCRIPTIONS_DRIFTED, () -> driftedCount);
        metrics.provide(Instrument.SUBSCRIPTIONS_LAST_SUCCESS, () -> lastSuccessNanos);
        metrics.provide(Instrument.SUBSCRIPTIONS_LAST_ERROR, () -> lastErrorNanos);
        thread = new Thread(() -> run(id), "client-telemetry-subscriptions");
        thread.setDaemon(true);
        thread.start();
    }

    void sourceChanged() {
        changed.set(true);
        synchronized (wake) {
            wake.notifyAll();
        }
    }

    private void run(int nodeId) {
        try {
            while (!closed) {
                long waitMs;
                try {
                    waitMs = round(nodeId);
                } catch (Throwable e) {
                    // Not foreseen; whatever it is, the broker's subscriptions stay as they are.
                    waitMs = backoff();
                    unforeseen(e);
                }
                try {
                    await(waitMs);
                } catch (InterruptedException e) {
                    // Where it is not by close(), it is by some code of the provider's, and means nothing.
                }
            }
        } finally {
            try {
                closeCluster();
            } finally {
                source.close();
            }
        }
    }

    private void unforeseen(Throwable e) {
        try {
            failed(clusterLog, "Applying subscriptions failed: " + Thrown.text(e));
        } catch (Throwable logging) {
            // No memory, for one. The next round tells.
        }
    }

    private void await(long waitMs) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
        synchronized (wake) {
            long left = waitMs;
            while (!closed && !changed.get() && left > 0) {
                wake.wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        }
    }

    /** Reads the source where that is due, compares, applies. Returns after how many milliseconds to come again. */
    long round(int nodeId) {
        readSource();
        if (supplied == null) {
            return untilNextRead();
        }
        try {
            if (cluster == null) {
                String obstacle = listening ? null : connection.obstacle();
                if (obstacle != null) {
                    return notListening(obstacle);
                }
                listening = true;
                cluster = connection.open(nodeId);
            }
            boolean complete = synchronize(nodeId);
            backoffMs = FIRST_BACKOFF_MS;
            if (complete) {
                clusterLog.good("The cluster's subscriptions can be compared and applied again");
                if (sourceGood) {
                    lastSuccessNanos = now();
                }
            }
            return untilNextRead();
        } catch (ClusterException | KafkaException e) {
            if (closed) {
                return 0;
            }
            driftedCount = Instrument.NOT_KNOWN;
            if (e instanceof KafkaException) {
                // The client could not even be made: a key store that is missing now may be there later.
                closeCluster();
            }
            failed(clusterLog, cannotCompare() + reason(e));
            return Math.min(backoff(), untilNextRead());
        }
    }

    /** A broker opens its listeners last, after it has recovered its logs: that is no failure, unless it takes long. */
    private long notListening(String obstacle) {
        looks++;
        if (looks > QUIET_LOOKS) {
            failed(clusterLog, cannotCompare() + "nothing can be connected to: " + obstacle);
        }
        return Math.min(LOOK_AGAIN_MS, untilNextRead());
    }

    private String cannotCompare() {
        return "Cannot compare the cluster's subscriptions with " + path + "; trying again: ";
    }

    /** Kafka's client says only that it could not be made, or that a handshake failed: why is in the causes. */
    private static String reason(Exception e) {
        if (!(e instanceof ClusterException)) {
            return Causes.text(e);
        }
        // Its message has its cause's already.
        Throwable behind = e.getCause() == null ? null : e.getCause().getCause();
        return behind == null ? e.getMessage() : e.getMessage() + ": " + Causes.text(behind);
    }

    private void readSource() {
        boolean asked = changed.getAndSet(false) || readOwed;
        if (!asked && System.nanoTime() - nextReadNanos < 0 && nextReadNanos != 0) {
            return;
        }
        // Until the reading has come to an end: what a call back told must not be lost to whatever is thrown.
        readOwed = true;
        try {
            SubscriptionSet read = source.read();
            sourceGood = true;
            sourceLog.good("Subscriptions can be read from " + path + " again");
            if (!read.equals(supplied)) {
                supplied = read;
                if (prune && read.subscriptions().isEmpty()) {
                    LOG.warn("{} supplies no subscriptions: whatever the cluster has is deleted", path);
                } else {
                    LOG.info(
                            "{} supplies {} subscriptions: {}",
                            path,
                            read.subscriptions().size(),
                            names(read));
                }
            }
            suppliedCount = read.subscriptions().size();
        } catch (InvalidSourceException e) {
            sourceGood = false;
            failed(
                    sourceLog,
                    (supplied == null
                                    ? "No subscriptions are applied: "
                                    : "The subscriptions that were read before stay in force: ")
                            + e.getMessage());
        }
        nextReadNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(source.nextReadMs());
        readOwed = false;
        if (Thread.interrupted() && closed) {
            // Else it is the provider's, and the calls to the cluster are not to be ended by it.
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Logs what is new in the judgement of a set: at its change, and when the clients have doubled. A warning that is
     * known is not repeated until it has been gone.
     */
    private void judge(SubscriptionSet inForce) {
        // Clients spread over the brokers alike. While there are none, no number of them is assumed.
        long pushing = Math.max(1, clients.getAsLong() * Math.max(1, liveBrokers));
        boolean changedSet = !inForce.equals(judged);
        boolean otherNumber = pushing >= 2 * judgedClients || pushing <= judgedClients / 2;
        if (!changedSet && pushing < 2 * judgedClients) {
            return;
        }
        // The number is part of some warnings' text: about the same is taken for the same.
        long judgedBy = otherNumber ? pushing : judgedClients;
        List<SubscriptionWarning> found = SubscriptionReview.of(
                inForce,
                new SubscriptionReview.Circumstances(
                        SubscriptionReview.Circumstances.boundsDecompressedPushes(RunningKafka.version()), judgedBy),
                JUDGING_LIMIT,
                System::nanoTime);
        for (SubscriptionWarning warning : found) {
            boolean known = warnings.stream()
                    .anyMatch(w -> w.equals(warning)
                            || !changedSet
                                    && w.subscription().equals(warning.subscription())
                                    && w.kind() == warning.kind());
            if (!known) {
                LOG.warn("{}", warning);
            }
        }
        judged = inForce;
        judgedClients = judgedBy;
        warnings = found;
    }

    private static String names(SubscriptionSet set) {
        return Quoted.text(String.join(", ", set.byName().keySet()));
    }

    private boolean synchronize(int nodeId) throws ClusterException {
        SortedSet<Integer> live = cluster.liveBrokers();
        liveBrokers = live.size();
        boolean lowest = !live.isEmpty() && live.first() == nodeId;
        if (lowest != acting) {
            acting = lowest;
            LOG.info(
                    lowest
                            ? "This broker has the lowest id among the live ones: it applies subscriptions"
                            : "Broker {} applies subscriptions, not this one",
                    live.isEmpty() ? "?" : live.first());
        }
        if (!lowest) {
            driftedCount = Instrument.NOT_KNOWN;
            return true;
        }
        Map<String, Map<String, String>> present = cluster.read();
        List<SubscriptionChange> changes = SubscriptionChange.between(supplied, present, prune);
        driftedCount = changes.size();
        boolean complete = changes.isEmpty() || apply(changes);
        // Last, since it may take a second for a large set.
        judge(prune ? supplied : supplied.with(present));
        return complete;
    }

    private boolean apply(List<SubscriptionChange> changes) throws ClusterException {
        Map<String, String> refused = cluster.apply(changes);
        for (SubscriptionChange change : changes) {
            if (!refused.containsKey(change.name())) {
                applied.increment();
                LOG.info("Subscription {}: {}", Quoted.text(change.name()), described(change));
            }
        }
        driftedCount = refused.size();
        if (!refused.isEmpty()) {
            failed(
                    clusterLog,
                    "The cluster refused " + refused.size()
                            + (refused.size() == 1 ? " subscription, " : " subscriptions, ")
                            + String.join("; ", Refusals.lines(refused)));
        }
        return refused.isEmpty();
    }

    private static String described(SubscriptionChange change) {
        StringBuilder text = new StringBuilder(
                switch (change.kind()) {
                    case CREATE -> "created";
                    case UPDATE -> "changed";
                    case DELETE -> "deleted";
                });
        if (change.kind() != SubscriptionChange.Kind.DELETE) {
            for (SubscriptionChange.Field field : change.fields()) {
                text.append(", ").append(field.key());
                text.append(field.to() == null ? " removed" : " = " + Quoted.text(field.to()));
            }
        }
        return text.toString();
    }

    private void failed(StateLog log, String message) {
        lastErrorNanos = now();
        log.bad(message);
    }

    private long now() {
        return TimeUnit.MILLISECONDS.toNanos(epochMillis.getAsLong());
    }

    private long backoff() {
        long wait = backoffMs;
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
        return wait;
    }

    private long untilNextRead() {
        long untilRead = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nextReadNanos - System.nanoTime()));
        return Math.min(refreshMs, untilRead);
    }

    private void closeCluster() {
        if (cluster != null) {
            cluster.close();
            cluster = null;
        }
    }

    /** Stops the thread, and with it the Admin client and the provider; waits for at most a second. Repeatable. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            running = thread;
        }
        if (running == null) {
            source.close();
            return;
        }
        synchronized (wake) {
            wake.notifyAll();
        }
        running.interrupt();
        try {
            running.join(CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Instrument instrument : List.of(
                Instrument.SUBSCRIPTIONS_SUPPLIED,
                Instrument.SUBSCRIPTIONS_APPLIED,
                Instrument.SUBSCRIPTIONS_DRIFTED,
                Instrument.SUBSCRIPTIONS_LAST_SUCCESS,
                Instrument.SUBSCRIPTIONS_LAST_ERROR)) {
            metrics.withdraw(instrument);
        }
    }
}
