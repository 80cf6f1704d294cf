/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigChangeCallback;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.ConfigProvider;

/**
 * The subscriptions that a ConfigProvider supplies at a path, read again on demand. Works with every provider that
 * supplies {@code names} and {@code <name>.metrics}, {@code .interval.ms}, {@code .match}. For one thread, but for the
 * provider's call back.
 */
public final class SubscriptionSource implements AutoCloseable {
    private static final int MAX_PROBLEMS_IN_MESSAGE = 20;

    private final ConfigProvider provider;
    private final String path;
    private final long refreshMs;
    private final Runnable changed;
    private final ConfigChangeCallback callback = this::onChange;
    private boolean subscribed;
    private long nextReadMs;

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

    private void onChange(String changedPath, ConfigData data) {
        // The data is asked for again: only get() tells of errors.
        changed.run();
    }

    /**
     * Asks the provider. The first call also subscribes to changes, where the provider can tell them.
     *
     * @return the complete set
     * @throws InvalidSourceException if the provider fails, or supplies nothing, no {@code names} or wrong values: the set
     *     that was read before then stays in force
     */
    public SubscriptionSet read() throws InvalidSourceException {
        subscribe();
        nextReadMs = refreshMs;
        ConfigData answer;
        try {
            answer = provider.get(path);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            // A provider whose own libraries are missing throws an Error, and is a bad source like any other.
            throw new InvalidSourceException(messageOf(e), e);
        }
        if (answer == null || answer.data() == null || answer.data().isEmpty()) {
            throw new InvalidSourceException("The provider supplies nothing for " + path
                    + ": a path that is missing or not allowed, or a source without the key 'names'.");
        }
        if (answer.ttl() != null) {
            // A TTL of zero would make reading a busy loop.
            nextReadMs = Math.max(100, answer.ttl());
        }
        return parse(answer.data());
    }

    private void subscribe() {
        if (subscribed) {
            return;
        }
        subscribed = true;
        try {
            provider.subscribe(path, Set.of(), callback);
        } catch (UnsupportedOperationException e) {
            // Kafka's own providers: the refresh is what there is.
            return;
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            // A source that is missing now may come later.
            subscribed = false;
        }
    }

    private SubscriptionSet parse(Map<String, String> data) throws InvalidSourceException {
        List<String> problems = new ArrayList<>();
        List<Subscription> subscriptions = SubscriptionData.parse(data, (key, keyItself, found, expected) -> {
            if (problems.size() < MAX_PROBLEMS_IN_MESSAGE) {
                problems.add((keyItself ? "" : Quoted.text(key) + ": ") + "found " + found + ", expected " + expected);
            }
        });
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
        } catch (RuntimeException | LinkageError e) {
            // UnsupportedOperationException from Kafka's own; whatever else there is, closing goes on.
        }
        try {
            provider.close();
        } catch (java.io.IOException | RuntimeException | LinkageError e) {
            // Nothing is left to read from it.
        }
    }

    private static String messageOf(Throwable e) {
        return e.getMessage() == null || e instanceof Error ? e.toString() : e.getMessage();
    }
}
