/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;

/**
 * The subscriptions that a ConfigProvider supplies at a path, read again on demand. Works with every provider that
 * supplies {@code names} and {@code <name>.metrics}, {@code .interval.ms}, {@code .match}. For one thread, but for the
 * provider's call back.
 */
public final class SubscriptionSource implements AutoCloseable {
    private static final int MAX_PROBLEMS_IN_MESSAGE = 20;
    /** After how long a provider that threw is asked again for the first time; doubled up to the refresh. */
    private static final long FIRST_RETRY_MS = 500;

    private final ConfigProvider provider;
    private final String path;
    private final long refreshMs;
    private final Runnable changed;
    private final SourceListener callback = new Callback();
    private boolean subscribed;
    private long nextReadMs;
    private long retryMs = FIRST_RETRY_MS;

    /** The data itself is not looked at but asked for again: only {@code get} tells of errors. */
    private final class Callback implements SourceListener {
        @Override
        public void onChange(String changedPath, ConfigData data) {
            changed.run();
        }

        @Override
        public void onTurn() {
            changed.run();
        }
    }

    /**
     * Creates a source; the provider is not asked yet.
     *
     * @param provider the configured provider; closed with the source
     * @param path the path that is handed to it
     * @param refreshMs after how many milliseconds to read again where the provider gives no TTL
     * @param changed called on a thread of the provider's when it calls back
     */
    public SubscriptionSource(ConfigProvider provider, String path, long refreshMs, Runnable changed) {
        this.provider = provider;
        this.path = path;
        this.refreshMs = refreshMs;
        this.changed = changed;
        this.nextReadMs = refreshMs;
    }

    /**
     * Asks the provider. The first call also subscribes to changes, where the provider can tell them.
     *
     * @return the complete set
     * @throws InvalidSourceException if the provider throws anything, or supplies nothing, no {@code names} or wrong
     *     values: the set that was read before then stays in force
     * @throws VirtualMachineError if the provider throws one, other than a StackOverflowError
     */
    public SubscriptionSet read() throws InvalidSourceException {
        subscribe();
        nextReadMs = refreshMs;
        Map<String, String> data;
        Long ttl;
        try {
            ConfigData answer = provider.get(path);
            // Copied here, since the provider's map is its code too. A null key would be nobody's.
            data = new HashMap<>(answer == null || answer.data() == null ? Map.of() : answer.data());
            ttl = answer == null ? null : answer.ttl();
        } catch (Throwable e) {
            // An answer to a call back may be lost in this, so it is asked for again soon.
            nextReadMs = Math.min(refreshMs, retryMs);
            retryMs = nextReadMs * 2;
            Thrown.unlessOfTheJvm(e);
            throw new InvalidSourceException(messageOf(e), e);
        }
        retryMs = FIRST_RETRY_MS;
        if (data.isEmpty()) {
            throw new InvalidSourceException("The provider supplies nothing for " + path
                    + ": a path that is missing or not allowed, or a source without the key 'names'.");
        }
        if (ttl != null) {
            // A TTL of zero would make reading a busy loop.
            nextReadMs = Math.max(100, ttl);
        }
        return parse(data);
    }

    private void subscribe() {
        if (subscribed) {
            return;
        }
        try {
            provider.subscribe(path, Set.of(), callback);
            subscribed = true;
        } catch (UnsupportedOperationException e) {
            // Kafka's own providers: the refresh is what there is.
            subscribed = true;
        } catch (Throwable e) {
            // Whatever it is, the source can be read without; the next reading tries again.
        }
    }

    private SubscriptionSet parse(Map<String, String> data) throws InvalidSourceException {
        List<String> problems = new ArrayList<>();
        List<Subscription> subscriptions = SubscriptionData.parse(data, (key, keyItself, found, expected) -> {
            problems.add((keyItself ? "" : Quoted.text(key) + ": ") + "found " + found + ", expected " + expected);
        });
        int left = problems.size() - MAX_PROBLEMS_IN_MESSAGE;
        if (left > 0) {
            problems.subList(MAX_PROBLEMS_IN_MESSAGE, problems.size()).clear();
            problems.add("and " + left + " more");
        }
        if (!problems.isEmpty()) {
            throw new InvalidSourceException(path + ": " + String.join("; ", problems));
        }
        return new SubscriptionSet(subscriptions);
    }

    /** Returns after how many milliseconds from the last {@link #read} to read again. */
    public long nextReadMs() {
        return nextReadMs;
    }

    /** Ends the subscription to changes and closes the provider. */
    @Override
    public void close() {
        try {
            provider.unsubscribeAll();
        } catch (Throwable e) {
            // UnsupportedOperationException from Kafka's own; whatever else there is, closing goes on.
        }
        try {
            provider.close();
        } catch (Throwable e) {
            // Nothing is left to read from it.
        }
    }

    private static String messageOf(Throwable e) {
        // Our own provider's message says it all.
        return e instanceof ConfigException && e.getMessage() != null ? e.getMessage() : Thrown.text(e);
    }
}
