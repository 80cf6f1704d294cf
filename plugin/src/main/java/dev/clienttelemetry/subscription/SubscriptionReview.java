/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.subscription.ClientMetricNames.ClientType;
import dev.clienttelemetry.subscription.SubscriptionWarning.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Judges a whole set of subscriptions, as it would be in force: what Kafka accepts and what hurts clients or brokers all
 * the same.
 */
public final class SubscriptionReview {
    /** Pushes per second, of all brokers together, beyond which an interval is called too short. */
    public static final int MAX_PUSHES_PER_SECOND = 200;
    /** How many clients are assumed where nobody says. */
    public static final int ASSUMED_CLIENTS = 1_000;

    private static final String STREAMS_PREFIX = "org.apache.kafka.stream.";
    private static final List<String> ABORTING = List.of("2.5.0", "2.5.1", "2.5.2");
    private static final List<String> DISCONNECTED =
            List.of("2.5.3", "2.6.0", "2.6.1", "2.7.0", "2.8.0", "2.9.0", "2.10.0");
    private static final List<String> LIBRDKAFKA_NAMES = List.of(
            "librdkafka",
            "confluent-kafka-python",
            "confluent-kafka-go",
            "confluent-kafka-dotnet",
            "confluent-kafka-javascript");

    private final SubscriptionSet set;
    private final Circumstances circumstances;
    private final ClientMetricNames names;
    private final List<SubscriptionWarning> warnings = new ArrayList<>();

    /**
     * What is known of the cluster.
     *
     * @param boundsDecompressedPushes whether its brokers hold {@code telemetry.max.bytes} against the decompressed push,
     *     as 4.2.2, 4.3.1 and 4.4.0 and later do; true where it is not known
     * @param clients how many clients it has, 0 where that is not known
     */
    public record Circumstances(boolean boundsDecompressedPushes, long clients) {
        /** Nothing is known. */
        public static final Circumstances UNKNOWN = new Circumstances(true, 0);

        /**
         * Returns whether a broker of a version holds {@code telemetry.max.bytes} against the decompressed push.
         *
         * @param version a Kafka version such as 4.2.1; true where it is none
         */
        public static boolean boundsDecompressedPushes(String version) {
            String[] parts = version == null ? new String[0] : version.split("[.-]");
            if (parts.length < 3) {
                return true;
            }
            try {
                int minor = Integer.parseInt(parts[0]) * 1000 + Integer.parseInt(parts[1]);
                int patch = Integer.parseInt(parts[2]);
                return minor >= 4004 || minor == 4003 && patch >= 1 || minor == 4002 && patch >= 2;
            } catch (NumberFormatException e) {
                return true;
            }
        }
    }

    private SubscriptionReview(SubscriptionSet set, Circumstances circumstances) {
        this.set = set;
        this.circumstances = circumstances;
        this.names = ClientMetricNames.load();
    }

    /**
     * Judges a set.
     *
     * @param set all subscriptions that would be in force together
     * @param circumstances what is known of the cluster
     * @return the warnings, by subscription name
     */
    public static List<SubscriptionWarning> of(SubscriptionSet set, Circumstances circumstances) {
        SubscriptionReview review = new SubscriptionReview(set, circumstances);
        set.subscriptions().forEach(review::judge);
        return List.copyOf(review.warnings);
    }

    private void judge(Subscription subscription) {
        boolean never = neverMatches(subscription);
        patterns(subscription);
        interval(subscription);
        metrics(subscription);
        if (!never) {
            librdkafka(subscription);
            streams(subscription);
            load(subscription);
        }
    }

    private void warn(Subscription subscription, Kind kind, String reason, String remedy) {
        warnings.add(new SubscriptionWarning(subscription.name(), kind, reason, remedy));
    }

    private boolean neverMatches(Subscription subscription) {
        boolean never = false;
        for (MatchSelector selector : subscription.match()) {
            if (PossibleMatch.isImpossible(selector)) {
                never = true;
                warn(
                        subscription,
                        Kind.NEVER_MATCHES,
                        "no client can match it, since no "
                                + selector.attribute().key() + " matches '" + Quoted.text(selector.regex())
                                + "' as a whole",
                        switch (selector.attribute()) {
                            case CLIENT_INSTANCE_ID -> "A client instance id is 22 characters of URL-safe Base64.";
                            case CLIENT_SOURCE_ADDRESS ->
                                "An address is written 10.0.0.7 or, all eight groups, 2001:db8:0:0:0:0:0:1; a host name"
                                        + " is never looked up.";
                            case CLIENT_SOURCE_PORT -> "A port is a decimal number up to 65535.";
                            case CLIENT_ID ->
                                "'^' matches only before and '$' only after the whole value; \\\\^ and \\\\$ are the characters"
                                        + " themselves.";
                            default -> "A client may use only letters, digits, dots and hyphens there.";
                        });
            }
        }
        return never;
    }

    private void patterns(Subscription subscription) {
        for (MatchSelector selector : subscription.match()) {
            PatternTree.Repeated open = OpenPattern.slowPiece(selector);
            if (open != null) {
                warn(
                        subscription,
                        Kind.OPEN_PATTERN,
                        "a client can keep a broker's thread busy, or exhaust its stack, with a "
                                + selector.attribute().key() + " that repeats '" + Quoted.text(open.piece()) + "'"
                                + (open.prefix().isEmpty() ? "" : " after '" + Quoted.text(open.prefix()) + "'") + ": '"
                                + Quoted.text(selector.regex()) + "' backtracks too much",
                        "Write it without repetitions inside or next to each other, or with possessive ones (*+, ++).");
            }
        }
    }

    private void interval(Subscription subscription) {
        if (subscription.intervalMs().orElse(0) > Subscription.DEFAULT_INTERVAL_MS) {
            warn(
                    subscription,
                    Kind.LONG_INTERVAL,
                    "an interval of " + subscription.intervalMs().getAsInt() + " ms never takes effect",
                    "Brokers ask for " + Subscription.DEFAULT_INTERVAL_MS + " ms (5m) at most.");
        }
    }

    private void metrics(Subscription subscription) {
        if (subscription.metrics().isEmpty()) {
            warn(
                    subscription,
                    Kind.NO_METRICS,
                    "it asks for no metrics, yet its interval counts for every client that it matches",
                    "Name metrics, or remove it.");
        }
        for (String prefix : subscription.metrics()) {
            if (names.askedFor(prefix).isEmpty()) {
                String nearest = names.nearest(prefix);
                warn(
                        subscription,
                        Kind.UNKNOWN_METRIC,
                        "no known client has a metric that begins with '" + Quoted.text(prefix) + "'",
                        (nearest == null ? "" : "Did you mean '" + nearest + "'? ")
                                + "'client-metrics list-metrics' shows the names; metrics that an application registers"
                                + " itself are not in it.");
            }
        }
    }

    private void librdkafka(Subscription subscription) {
        if (subscription.metrics().isEmpty()) {
            return;
        }
        boolean aborts = false;
        boolean disconnects = false;
        Set<String> starving = new TreeSet<>();
        for (String name : LIBRDKAFKA_NAMES) {
            for (String version : ABORTING) {
                aborts |= starves(subscription, name, version, starving);
            }
            for (String version : DISCONNECTED) {
                disconnects |= starves(subscription, name, version, starving);
            }
        }
        if (!aborts && !disconnects) {
            return;
        }
        List<String> effects = new ArrayList<>();
        if (aborts) {
            effects.add("aborts the process of librdkafka 2.5.0 to 2.5.2");
        }
        if (disconnects) {
            effects.add("costs librdkafka 2.5.3 to 2.10.0 its connection at every push");
        }
        String metric = names.of(
                        starving.contains("producer") ? ClientType.LIBRDKAFKA_PRODUCER : ClientType.LIBRDKAFKA_CONSUMER)
                .first();
        warn(
                subscription,
                Kind.LIBRDKAFKA,
                "it asks librdkafka's " + String.join("s and ", starving)
                        + "s only for metrics that they do not have, which " + String.join(" and ", effects),
                "Add the selector 'client_software_name: apache-kafka-java', or a metric that they have, such as "
                        + metric + ".");
    }

    /** Whether a librdkafka client would be asked for metrics and has none of them; tells which kind of client. */
    private boolean starves(Subscription subscription, String name, String version, Set<String> kinds) {
        if (!allows(subscription, name, version) && !allows(subscription, name, "1.0.0-librdkafka-" + version)) {
            return false;
        }
        boolean producer = false;
        boolean consumer = false;
        for (Subscription other : set.subscriptions()) {
            if (!certainlyToo(subscription, other, name, version)) {
                continue;
            }
            for (String prefix : other.metrics()) {
                producer |= names.has(ClientType.LIBRDKAFKA_PRODUCER, prefix);
                consumer |= names.has(ClientType.LIBRDKAFKA_CONSUMER, prefix);
            }
        }
        if (!producer) {
            kinds.add("producer");
        }
        if (!consumer) {
            kinds.add("consumer");
        }
        return !producer || !consumer;
    }

    private static boolean allows(Subscription subscription, String name, String version) {
        for (MatchSelector selector : subscription.match()) {
            String value =
                    switch (selector.attribute()) {
                        case CLIENT_SOFTWARE_NAME -> name;
                        case CLIENT_SOFTWARE_VERSION -> version;
                        default -> null;
                    };
            if (value != null && selector.test(value, MatchSelector.MAX_STEPS) != MatchSelector.Outcome.MATCH) {
                return false;
            }
        }
        return true;
    }

    /** Whether every client of this software that matches one subscription matches the other too. */
    private static boolean certainlyToo(Subscription one, Subscription other, String name, String version) {
        if (!allows(other, name, version) && !allows(other, name, "1.0.0-librdkafka-" + version)) {
            return false;
        }
        for (MatchSelector selector : other.match()) {
            boolean software = selector.attribute() == ClientAttribute.CLIENT_SOFTWARE_NAME
                    || selector.attribute() == ClientAttribute.CLIENT_SOFTWARE_VERSION;
            if (!software && !selector.regex().equals(".*") && !one.match().contains(selector)) {
                return false;
            }
        }
        return true;
    }

    private void streams(Subscription subscription) {
        if (!circumstances.boundsDecompressedPushes() || !allowsJava(subscription)) {
            return;
        }
        for (String prefix : subscription.metrics()) {
            if (prefix.equals(Subscription.ALL_METRICS) || STREAMS_PREFIX.startsWith(prefix)) {
                warn(
                        subscription,
                        Kind.BROAD,
                        "'" + Quoted.text(prefix)
                                + "' asks Kafka Streams for all of its metrics, and a push that is larger"
                                + " than telemetry.max.bytes (1 MiB by default) decompressed silences that client for"
                                + " good on Kafka 4.2.2, 4.3.1, 4.4.0 and later",
                        "Ask for the groups that you look at, such as org.apache.kafka.consumer., or raise"
                                + " telemetry.max.bytes.");
                return;
            }
        }
    }

    private static boolean allowsJava(Subscription subscription) {
        for (String version : List.of("3.7.0", "3.9.2", "4.0.0", "4.2.2", "4.4.0")) {
            if (allows(subscription, "apache-kafka-java", version)) {
                return true;
            }
        }
        return false;
    }

    private void load(Subscription subscription) {
        boolean someClients = subscription.match().stream()
                .anyMatch(selector -> selector.attribute() != ClientAttribute.CLIENT_SOFTWARE_NAME
                        && selector.attribute() != ClientAttribute.CLIENT_SOFTWARE_VERSION
                        && !selector.regex().equals(".*"));
        if (someClients) {
            return;
        }
        long clients = circumstances.clients() > 0 ? circumstances.clients() : ASSUMED_CLIENTS;
        double pushes = clients * 1000.0 / subscription.effectiveIntervalMs();
        if (pushes > MAX_PUSHES_PER_SECOND) {
            long bearable = (clients * 1000 + MAX_PUSHES_PER_SECOND - 1) / MAX_PUSHES_PER_SECOND;
            warn(
                    subscription,
                    Kind.LOAD,
                    String.format(
                            Locale.ROOT,
                            "%d clients%s that push every %d ms make %.0f pushes per second",
                            clients,
                            circumstances.clients() > 0 ? "" : " (assumed)",
                            subscription.effectiveIntervalMs(),
                            pushes),
                    "Take an interval of at least " + Math.min(bearable, Subscription.DEFAULT_INTERVAL_MS)
                            + " ms, or a selector for fewer clients.");
        }
    }
}
