/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.subscription.ClientAttribute;
import dev.clienttelemetry.subscription.InvalidSourceException;
import dev.clienttelemetry.subscription.MatchSelector;
import dev.clienttelemetry.subscription.NamedConfigProvider;
import dev.clienttelemetry.subscription.Subscription;
import dev.clienttelemetry.subscription.SubscriptionReview;
import dev.clienttelemetry.subscription.SubscriptionSet;
import dev.clienttelemetry.subscription.SubscriptionSource;
import dev.clienttelemetry.subscription.SubscriptionWarning;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The set of subscriptions in force, read again when its source changes. A source that has become wrong leaves the last
 * good set in force.
 */
final class PresentSubscriptions implements Supplier<SubscriptionSet>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PresentSubscriptions.class);
    private static final String PROVIDER_NAME = "gateway";
    private static final long CLOSE_SECONDS = 2;
    private static final Set<ClientAttribute> NOT_KNOWN =
            Set.of(ClientAttribute.CLIENT_SOURCE_ADDRESS, ClientAttribute.CLIENT_SOURCE_PORT);

    /** A push that grows too large is no end of its client's pushes here; and no number of clients is assumed. */
    private static final SubscriptionReview.Circumstances CIRCUMSTANCES =
            new SubscriptionReview.Circumstances(false, 1);

    private final ScheduledExecutorService scheduler;
    private final SubscriptionSource source;
    private final String path;
    private final AtomicBoolean askedToRead = new AtomicBoolean();
    private volatile SubscriptionSet present;
    private volatile boolean closed;
    private String lastError;
    private List<SubscriptionWarning> warnings = List.of();

    private PresentSubscriptions(GatewaySettings.Subscriptions settings, ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
        this.path = settings.path();
        this.source = new SubscriptionSource(
                NamedConfigProvider.create("subscriptions.provider", PROVIDER_NAME, providerConfig(settings)),
                settings.path(),
                settings.refreshMs(),
                this::changed);
    }

    /**
     * Reads the subscriptions for the first time and goes on watching them.
     *
     * @param scheduler where they are read again; one thread
     * @throws ConfigException where the provider cannot be made or its data are wrong
     */
    static PresentSubscriptions read(GatewaySettings.Subscriptions settings, ScheduledExecutorService scheduler) {
        PresentSubscriptions subscriptions = new PresentSubscriptions(settings, scheduler);
        try {
            subscriptions.readFirst();
            subscriptions.scheduleNext();
            return subscriptions;
        } catch (InvalidSourceException e) {
            subscriptions.close();
            throw new ConfigException("subscriptions.path", settings.path(), e.getMessage());
        } catch (RuntimeException | Error e) {
            subscriptions.close();
            throw e;
        }
    }

    private static Map<String, String> providerConfig(GatewaySettings.Subscriptions settings) {
        String prefix = NamedConfigProvider.CONFIG_PROVIDERS + '.' + PROVIDER_NAME;
        Map<String, String> config = new HashMap<>();
        config.put(NamedConfigProvider.CONFIG_PROVIDERS, PROVIDER_NAME);
        config.put(prefix + ".class", settings.provider());
        settings.parameters().forEach((key, value) -> config.put(prefix + ".param." + key, value));
        return config;
    }

    @Override
    public SubscriptionSet get() {
        return present;
    }

    /** Called by the provider, however often it wants. */
    private void changed() {
        if (askedToRead.compareAndSet(false, true)) {
            try {
                scheduler.execute(() -> {
                    askedToRead.set(false);
                    readAgain();
                });
            } catch (RejectedExecutionException e) {
                // The end has begun; the provider is about to be told.
            }
        }
    }

    private void scheduleNext() {
        scheduler.schedule(
                () -> {
                    try {
                        readAgain();
                    } finally {
                        // Whatever this reading threw, the next may be good.
                        scheduleNext();
                    }
                },
                source.nextReadMs(),
                TimeUnit.MILLISECONDS);
    }

    /** Under the lock, too: a provider may call back while it is being subscribed to, and the source is for one thread. */
    private synchronized void readFirst() throws InvalidSourceException {
        take(source.read());
    }

    private synchronized void readAgain() {
        if (closed) {
            return;
        }
        try {
            take(source.read());
            if (lastError != null) {
                lastError = null;
                LOG.info("The subscriptions at {} are good again", path);
            }
        } catch (InvalidSourceException e) {
            // Every refresh meets the same error until someone mends the source.
            if (!e.getMessage().equals(lastError)) {
                lastError = e.getMessage();
                LOG.warn("The subscriptions read last stay in force: {}", lastError);
            }
        } catch (RuntimeException e) {
            LOG.error("The subscriptions at {} could not be read; those read last stay in force", path, e);
        }
    }

    private void take(SubscriptionSet read) {
        // An equal set must stay the same object: another one makes every client's subscription anew.
        if (read.equals(present)) {
            return;
        }
        LOG.info(
                "{} subscriptions from {}: {}",
                read.byName().size(),
                path,
                Quoted.text(String.join(", ", read.byName().keySet())));
        for (Subscription subscription : read.subscriptions()) {
            for (MatchSelector selector : subscription.match()) {
                if (NOT_KNOWN.contains(selector.attribute())) {
                    LOG.warn(
                            "Subscription {} matches no client: it selects by {}, which the proxy does not tell",
                            Quoted.text(subscription.name()),
                            selector.attribute().key());
                }
            }
        }
        List<SubscriptionWarning> found = SubscriptionReview.of(read, CIRCUMSTANCES);
        found.stream().filter(warning -> !warnings.contains(warning)).forEach(warning -> LOG.warn("{}", warning));
        warnings = found;
        present = read;
    }

    /**
     * Closes the provider. Waits no longer than {@value #CLOSE_SECONDS} s where it hangs, which it may do whatever
     * interrupts it: it is closed when it has given its answer.
     */
    @Override
    public void close() {
        closed = true;
        Thread closing = new Thread(this::closeSource, "client-telemetry-gateway-subscriptions-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (closing.isAlive()) {
            LOG.warn(
                    "The provider of the subscriptions at {} hangs, so it is left open: see what it waits for in a thread"
                            + " dump, or name another one in subscriptions.provider",
                    path);
        }
    }

    private synchronized void closeSource() {
        source.close();
    }
}
