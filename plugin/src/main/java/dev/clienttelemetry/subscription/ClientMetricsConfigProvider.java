/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.NearestName;
import dev.clienttelemetry.message.Quoted;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.ConfigChangeCallback;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supplies CLIENT_METRICS subscriptions from a YAML file, a Java properties file or a directory of such files
 * ({@link SubscriptionFiles}). The keys: {@code names}, the complete list, and for each name {@code <name>.metrics},
 * {@code <name>.interval.ms} and {@code <name>.match} in Kafka's syntax, absent where the file does not say.
 *
 * <p>Parameters ({@code config.providers.<provider>.param.*}), all optional:
 *
 * <ul>
 *   <li>{@code allowed.paths}: as in Kafka's FileConfigProvider: comma-separated absolute paths that exist; what is
 *       outside is answered with empty data and a warning.
 *   <li>{@code ttl.ms}: the TTL of the data in milliseconds, at least 1; without it the data has none.
 *   <li>{@code poll.ms}: how often the files are compared for subscribers, at least 100, by default
 *       {@value #DEFAULT_POLL_MS} milliseconds.
 * </ul>
 *
 * <p>The broker makes, configures and closes an instance each time it builds a config. So {@code configure} reads no
 * file and starts no thread; one thread starts with the first subscription and ends with the last. Thread-safe.
 */
public final class ClientMetricsConfigProvider implements ConfigProvider {
    /** The default of {@code poll.ms}. */
    private static final long DEFAULT_POLL_MS = 5_000;

    /** What the operator writes before a parameter; the provider is not told its name. */
    static final String PARAM_PREFIX = "config.providers.<name>.param.";

    private static final String TTL_MS = "ttl.ms";
    private static final String POLL_MS = "poll.ms";
    private static final List<String> PARAMETERS = List.of(AllowedPaths.CONFIG, POLL_MS, TTL_MS);

    private static final Logger LOG = LoggerFactory.getLogger(ClientMetricsConfigProvider.class);

    private final Object lock = new Object();
    private final List<Watch> watches = new ArrayList<>();
    private ScheduledExecutorService poller;
    private volatile AllowedPaths allowedPaths;
    /** The path that the log has a warning of; asked for again and again, it is not to fill it. */
    private volatile String warnedPath;

    private volatile Long ttlMs;
    private volatile long pollMs = DEFAULT_POLL_MS;

    /** One subscription of a caller, and what it was told last. */
    private static final class Watch {
        private final String path;
        private final Set<String> keys;
        private final ConfigChangeCallback callback;
        private SubscriptionFiles.Contents seen;
        private Map<String, String> told;
        private String problem;

        private Watch(String path, Set<String> keys, ConfigChangeCallback callback) {
            this.path = path;
            this.keys = keys == null ? Set.of() : Set.copyOf(keys);
            this.callback = callback;
        }

        private boolean is(String otherPath, Set<String> otherKeys, ConfigChangeCallback otherCallback) {
            return path.equals(otherPath)
                    && keys.equals(otherKeys == null ? Set.of() : otherKeys)
                    && callback.equals(otherCallback);
        }
    }

    /** Creates a provider; {@link #configure} comes next. */
    public ClientMetricsConfigProvider() {}

    /**
     * Takes the parameters.
     *
     * @param configs the parameters, without their prefix
     * @throws ConfigException for a wrong value, or a parameter that there is not; files are not looked into
     */
    @Override
    public void configure(Map<String, ?> configs) {
        refuseUnknown(configs.keySet());
        ttlMs = milliseconds(configs, TTL_MS, 1);
        Long poll = milliseconds(configs, POLL_MS, 100);
        pollMs = poll == null ? DEFAULT_POLL_MS : poll;
        Object paths = configs.get(AllowedPaths.CONFIG);
        allowedPaths = AllowedPaths.of(paths == null ? null : paths.toString());
    }

    private static void refuseUnknown(Set<String> keys) {
        for (String key : keys) {
            if (!PARAMETERS.contains(key)) {
                String nearest = NearestName.of(key, PARAMETERS);
                throw new ConfigException("Unknown parameter " + PARAM_PREFIX + Quoted.text(key) + ": "
                        + (nearest != null
                                ? "the nearest known one is " + PARAM_PREFIX + nearest
                                : "known are " + String.join(", ", PARAMETERS)));
            }
        }
    }

    private static Long milliseconds(Map<String, ?> configs, String key, long least) {
        Object value = configs.get(key);
        if (value == null) {
            return null;
        }
        long ms;
        try {
            ms = Long.parseLong(value.toString().trim());
        } catch (NumberFormatException e) {
            throw new ConfigException(
                    PARAM_PREFIX + key, value, "A whole number of milliseconds, at least " + least + ", is right.");
        }
        if (ms < least) {
            throw new ConfigException(PARAM_PREFIX + key, value, "At least " + least + " milliseconds are right.");
        }
        return ms;
    }

    /**
     * Returns all keys of a file or directory.
     *
     * @param path the file or directory; null and empty give empty data
     * @return the data; empty where the path is not allowed
     * @throws ConfigException naming every error of the files, or that there is nothing to read
     * @throws IllegalStateException before {@link #configure}
     */
    @Override
    public ConfigData get(String path) {
        return data(read(path));
    }

    /**
     * Returns some keys of a file or directory.
     *
     * @param path the file or directory; null and empty give empty data
     * @param keys the keys wanted; those that are not supplied are left out
     * @return the data; empty where the path is not allowed
     * @throws ConfigException naming every error of the files, or that there is nothing to read
     * @throws IllegalStateException before {@link #configure}
     */
    @Override
    public ConfigData get(String path, Set<String> keys) {
        return data(select(read(path), keys));
    }

    private ConfigData data(Map<String, String> values) {
        Long ttl = ttlMs;
        return ttl == null ? new ConfigData(values) : new ConfigData(values, ttl);
    }

    private static Map<String, String> select(Map<String, String> data, Set<String> keys) {
        Map<String, String> selected = new HashMap<>(data);
        selected.keySet().retainAll(keys);
        return selected;
    }

    private Map<String, String> read(String path) {
        Path file = resolve(path);
        if (file == null) {
            return Map.of();
        }
        try {
            return SubscriptionData.of(SubscriptionFiles.parse(SubscriptionFiles.contents(file, allowedPaths)));
        } catch (InvalidSourceException e) {
            throw new ConfigException(problem(path, e));
        }
    }

    private static String problem(String path, InvalidSourceException e) {
        return "Cannot take subscriptions from " + path + ":\n" + e.getMessage();
    }

    private Path resolve(String path) {
        AllowedPaths allowed = allowedPaths;
        if (allowed == null) {
            throw new IllegalStateException("The provider has not been configured yet.");
        }
        if (path == null || path.isEmpty()) {
            return null;
        }
        try {
            Path file = allowed.resolve(path);
            if (file == null && !path.equals(warnedPath)) {
                warnedPath = path;
                LOG.warn("The path {} is not within allowed.paths or does not exist; nothing is supplied.", path);
            }
            return file;
        } catch (InvalidPathException e) {
            throw new ConfigException("'" + Quoted.text(path) + "' is no path: " + e.getReason());
        }
    }

    /**
     * Calls back whenever the values of some keys change. Files that cannot be read or are wrong are logged, and the
     * callback waits until they are right again: it has no way to tell of an error.
     *
     * @param path the file or directory
     * @param keys the keys watched; empty for all
     * @param callback called with the path and the present values, on the provider's thread
     */
    @Override
    public void subscribe(String path, Set<String> keys, ConfigChangeCallback callback) {
        resolve(path);
        Watch watch = new Watch(path, keys, callback);
        try {
            Map<String, String> now = read(path);
            watch.told = watch.keys.isEmpty() ? now : select(now, watch.keys);
        } catch (ConfigException e) {
            // Whoever subscribes also asks, and is told so.
            watch.problem = e.getMessage();
        }
        synchronized (lock) {
            watches.add(watch);
            if (poller == null) {
                poller = Executors.newSingleThreadScheduledExecutor(task -> {
                    Thread thread = new Thread(task, "client-metrics-config-provider");
                    thread.setDaemon(true);
                    return thread;
                });
                poller.scheduleWithFixedDelay(this::poll, pollMs, pollMs, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void poll() {
        List<Watch> present;
        synchronized (lock) {
            present = List.copyOf(watches);
        }
        for (Watch watch : present) {
            try {
                poll(watch);
            } catch (RuntimeException | Error e) {
                // The thread has to outlive it: nothing else looks at the files.
                LOG.warn("The callback for changes of {} failed.", watch.path, e);
            }
        }
    }

    private void poll(Watch watch) {
        Map<String, String> now;
        boolean mended;
        try {
            SubscriptionFiles.Contents before = watch.seen;
            // What cannot be read is not seen: when it is back, unchanged, it is looked at again.
            watch.seen = null;
            Path file = resolve(watch.path);
            if (file == null) {
                turnedBad(watch, "The path " + watch.path + " is not within allowed.paths or does not exist.");
                return;
            }
            watch.seen = SubscriptionFiles.contents(file, allowedPaths);
            if (watch.seen.sameAs(before)) {
                return;
            }
            now = SubscriptionData.of(SubscriptionFiles.parse(watch.seen));
            mended = watch.problem != null;
            watch.problem = null;
        } catch (InvalidSourceException e) {
            turnedBad(watch, problem(watch.path, e));
            return;
        }
        Map<String, String> selected = watch.keys.isEmpty() ? now : select(now, watch.keys);
        if (!selected.equals(watch.told)) {
            watch.told = selected;
            watch.callback.onChange(watch.path, data(selected));
        } else if (mended && watch.callback instanceof SourceListener listener) {
            listener.onTurn();
        }
    }

    private static void turnedBad(Watch watch, String problem) {
        if (problem.equals(watch.problem)) {
            return;
        }
        watch.problem = problem;
        if (watch.callback instanceof SourceListener listener) {
            // It asks, is told, and logs it with what comes of it: once is enough.
            listener.onTurn();
        } else {
            LOG.warn("{}", problem);
        }
    }

    /** Ends one subscription; does nothing where there is none. */
    @Override
    public void unsubscribe(String path, Set<String> keys, ConfigChangeCallback callback) {
        synchronized (lock) {
            watches.removeIf(watch -> watch.is(path, keys, callback));
            stopIfIdle();
        }
    }

    /** Ends all subscriptions. */
    @Override
    public void unsubscribeAll() {
        synchronized (lock) {
            watches.clear();
            stopIfIdle();
        }
    }

    private void stopIfIdle() {
        if (watches.isEmpty() && poller != null) {
            poller.shutdownNow();
            poller = null;
        }
    }

    /** Ends all subscriptions; a callback that runs just now ends by itself. */
    @Override
    public void close() {
        unsubscribeAll();
    }
}
