/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.subscription.ClientMetricNames.ClientType;
import dev.clienttelemetry.subscription.SubscriptionWarning.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Judges a whole set of subscriptions, as it would be in force: what Kafka accepts and what hurts clients or brokers all
 * the same.
 *
 * <p>The work grows with the set's size and not with its square, and the same expression is tried once. Trying
 * expressions ends after a time; what comes after it is judged without, and a warning says so.
 */
public final class SubscriptionReview {
    /** Pushes per second, of all brokers together, beyond which an interval is called too short. */
    static final int MAX_PUSHES_PER_SECOND = 200;
    /** How many clients are assumed where nobody says. */
    static final int ASSUMED_CLIENTS = 1_000;
    /** The most warnings of one kind; the last of them tells how many more there are. */
    static final int MAX_OF_A_KIND = 50;

    private static final Duration TIME_LIMIT = Duration.ofSeconds(10);

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

    private static final String JAVA_NAME = "apache-kafka-java";
    private static final List<String> JAVA_VERSIONS = List.of("3.7.0", "3.9.2", "4.0.0", "4.2.2", "4.4.0");
    /** What the masks of {@link #matched} have a bit for, from the lowest on. */
    private static final List<String> SOFTWARE_NAMES = joined(LIBRDKAFKA_NAMES, List.of(JAVA_NAME));

    private static final List<String> LIBRDKAFKA_VERSIONS = joined(ABORTING, DISCONNECTED);
    private static final List<String> SOFTWARE_VERSIONS = joined(
            joined(
                    LIBRDKAFKA_VERSIONS,
                    LIBRDKAFKA_VERSIONS.stream()
                            .map(version -> "1.0.0-librdkafka-" + version)
                            .toList()),
            JAVA_VERSIONS);
    /** Bits of a mask of clients: for each of librdkafka's names, one for each version. */
    private static final int VERSIONS = LIBRDKAFKA_VERSIONS.size();

    private static final long NO_CLIENT = 0;
    private static final long EVERY_CLIENT = (1L << LIBRDKAFKA_NAMES.size() * VERSIONS) - 1;
    private static final int MAX_SUBSETS_OF = 6;

    private final SubscriptionSet set;
    private final Circumstances circumstances;
    private final Duration limit;
    private final LongSupplier nanoTime;
    private final long startNanos;
    private final ClientMetricNames names;
    private final List<SubscriptionWarning> warnings = new ArrayList<>();
    private final Map<Kind, List<Integer>> places = new EnumMap<>(Kind.class);
    private final Map<Kind, Integer> notShown = new EnumMap<>(Kind.class);

    private final Map<MatchSelector, Optional<Boolean>> impossible = new HashMap<>();
    private final Map<MatchSelector, Optional<PatternTree.Repeated>> slow = new HashMap<>();
    private final Map<MatchSelector, Optional<Boolean>> wide = new HashMap<>();
    private final Map<MatchSelector, Optional<Integer>> matched = new HashMap<>();
    /** What librdkafka clients are asked for by subscriptions whose other selectors are these. */
    private final Map<Set<MatchSelector>, Supply> supplies = new HashMap<>();

    private final Set<String> untried = new LinkedHashSet<>();
    private Subscription judged;

    /** The clients, as a mask, that are asked for a metric that a producer, or a consumer, of librdkafka has. */
    private record Supply(long producers, long consumers) {
        static final Supply NONE = new Supply(NO_CLIENT, NO_CLIENT);

        Supply and(Supply other) {
            return new Supply(producers | other.producers, consumers | other.consumers);
        }
    }

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

    private SubscriptionReview(
            SubscriptionSet set, Circumstances circumstances, Duration limit, LongSupplier nanoTime) {
        this.set = set;
        this.circumstances = circumstances;
        this.limit = limit;
        this.nanoTime = nanoTime;
        this.startNanos = nanoTime.getAsLong();
        this.names = ClientMetricNames.load();
    }

    /**
     * Judges a set, trying expressions for at most ten seconds.
     *
     * @param set all subscriptions that would be in force together
     * @param circumstances what is known of the cluster
     * @return the warnings, by subscription name; of one kind at most {@value #MAX_OF_A_KIND}
     */
    public static List<SubscriptionWarning> of(SubscriptionSet set, Circumstances circumstances) {
        return of(set, circumstances, TIME_LIMIT, System::nanoTime);
    }

    /** As {@link #of(SubscriptionSet, Circumstances)}, with another limit of time, which is kept to some tenths of a second. */
    static List<SubscriptionWarning> of(
            SubscriptionSet set, Circumstances circumstances, Duration limit, LongSupplier nanoTime) {
        SubscriptionReview review = new SubscriptionReview(set, circumstances, limit, nanoTime);
        review.supplies();
        set.subscriptions().forEach(review::judge);
        return review.result();
    }

    private static List<String> joined(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return List.copyOf(all);
    }

    private List<SubscriptionWarning> result() {
        notShown.forEach((kind, more) -> {
            int last = places.get(kind).get(MAX_OF_A_KIND - 1);
            SubscriptionWarning warning = warnings.get(last);
            warnings.set(
                    last,
                    new SubscriptionWarning(
                            warning.subscription(),
                            kind,
                            warning.reason() + " (and " + more + " more warnings of this kind)",
                            warning.remedy()));
        });
        if (!untried.isEmpty()) {
            int more = untried.size() - 1;
            warnings.add(new SubscriptionWarning(
                    untried.iterator().next(),
                    Kind.NOT_JUDGED,
                    "its expressions" + (more == 0 ? "" : " and those of " + more + " more subscriptions")
                            + " were not all tried, since trying those before them took " + limit.toMillis() + " ms",
                    "Use fewer different expressions, or validate these by themselves."));
        }
        return List.copyOf(warnings);
    }

    private void judge(Subscription subscription) {
        judged = subscription;
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
        List<Integer> shown = places.computeIfAbsent(kind, k -> new ArrayList<>());
        if (shown.size() == MAX_OF_A_KIND) {
            notShown.merge(kind, 1, Integer::sum);
            return;
        }
        shown.add(warnings.size());
        warnings.add(new SubscriptionWarning(subscription.name(), kind, reason, remedy));
    }

    private boolean isShown(Kind kind) {
        return !places.containsKey(kind) || places.get(kind).size() < MAX_OF_A_KIND;
    }

    /** Tries a selector that has not been tried yet; null where there is no time left, or nothing was found. */
    private <T> T tried(
            Map<MatchSelector, Optional<T>> answers, MatchSelector selector, Function<MatchSelector, T> trial) {
        Optional<T> answer = answers.get(selector);
        if (answer == null) {
            if (nanoTime.getAsLong() - startNanos > limit.toNanos()) {
                untried.add(judged.name());
                return null;
            }
            answer = Optional.ofNullable(trial.apply(selector));
            answers.put(selector, answer);
        }
        return answer.orElse(null);
    }

    private boolean neverMatches(Subscription subscription) {
        boolean never = false;
        for (MatchSelector selector : subscription.match()) {
            if (Boolean.TRUE.equals(tried(impossible, selector, PossibleMatch::isImpossible))) {
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
                            case CLIENT_ID -> remedyOfContradiction(selector.regex());
                            default -> "A client may use only letters, digits, dots and hyphens there.";
                        });
            }
        }
        return never;
    }

    private static String remedyOfContradiction(String regex) {
        if (regex.contains("&&")) {
            return "'&&' within brackets leaves the characters that both sides have.";
        }
        if (regex.indexOf('^') >= 0 || regex.indexOf('$') >= 0) {
            return "'^' matches only before and '$' only after the whole value; \\\\^ and \\\\$ are the characters"
                    + " themselves.";
        }
        return "What it asks for at one place, by a look ahead or behind or a border, contradicts what stands there.";
    }

    private void patterns(Subscription subscription) {
        for (MatchSelector selector : subscription.match()) {
            PatternTree.Repeated open = tried(slow, selector, OpenPattern::slowPiece);
            if (open != null) {
                warn(
                        subscription,
                        Kind.OPEN_PATTERN,
                        "a client can keep a broker's thread busy, or exhaust its stack, with a "
                                + selector.attribute().key()
                                + (OpenPattern.triesWholeValues(selector) ? " such as '" : " that repeats '")
                                + Quoted.text(open.piece()) + "'"
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
            if (!names.has(prefix)) {
                String nearest = isShown(Kind.UNKNOWN_METRIC) ? names.nearest(prefix) : null;
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
        Long allowed = librdkafkaClients(subscription);
        if (allowed == null || allowed == NO_CLIENT) {
            return;
        }
        Supply supply = supplyOf(subscription);
        long starvedProducers = allowed & ~supply.producers();
        long starvedConsumers = allowed & ~supply.consumers();
        Set<String> starving = new TreeSet<>();
        if (starvedProducers != NO_CLIENT) {
            starving.add("producer");
        }
        if (starvedConsumers != NO_CLIENT) {
            starving.add("consumer");
        }
        boolean aborts = false;
        boolean disconnects = false;
        for (int i = 0; i < LIBRDKAFKA_NAMES.size() * VERSIONS; i++) {
            boolean starves = ((starvedProducers | starvedConsumers) >> i & 1) == 1;
            aborts |= starves && i % VERSIONS < ABORTING.size();
            disconnects |= starves && i % VERSIONS >= ABORTING.size();
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

    /** Notes for all subscriptions which librdkafka clients they ask for metrics that these have. */
    private void supplies() {
        for (Subscription subscription : set.subscriptions()) {
            judged = subscription;
            boolean producer = false;
            boolean consumer = false;
            for (String prefix : subscription.metrics()) {
                producer |= names.has(ClientType.LIBRDKAFKA_PRODUCER, prefix);
                consumer |= names.has(ClientType.LIBRDKAFKA_CONSUMER, prefix);
            }
            if (producer || consumer) {
                Long allowed = librdkafkaClients(subscription);
                // Where that is not known nobody is warned for it.
                long clients = allowed == null ? EVERY_CLIENT : allowed;
                supplies.merge(
                        Set.copyOf(otherSelectors(subscription)),
                        new Supply(producer ? clients : NO_CLIENT, consumer ? clients : NO_CLIENT),
                        Supply::and);
            }
        }
    }

    /** What is certainly asked, all subscriptions together, of every client that matches this one. */
    private Supply supplyOf(Subscription subscription) {
        List<MatchSelector> selectors = otherSelectors(subscription);
        Supply supply = Supply.NONE;
        if (selectors.size() > MAX_SUBSETS_OF) {
            for (Map.Entry<Set<MatchSelector>, Supply> entry : supplies.entrySet()) {
                if (selectors.containsAll(entry.getKey())) {
                    supply = supply.and(entry.getValue());
                }
            }
            return supply;
        }
        // Another subscription matches those clients too where each of its selectors is one of this one's.
        for (int subset = 0; subset < 1 << selectors.size(); subset++) {
            Set<MatchSelector> some = new HashSet<>();
            for (int i = 0; i < selectors.size(); i++) {
                if ((subset >> i & 1) == 1) {
                    some.add(selectors.get(i));
                }
            }
            supply = supply.and(supplies.getOrDefault(some, Supply.NONE));
        }
        return supply;
    }

    /** The selectors that choose among the clients of one software. */
    private static List<MatchSelector> otherSelectors(Subscription subscription) {
        return subscription.match().stream()
                .filter(selector -> !isOnSoftware(selector) && !selector.regex().equals(".*"))
                .distinct()
                .toList();
    }

    private static boolean isOnSoftware(MatchSelector selector) {
        return selector.attribute() == ClientAttribute.CLIENT_SOFTWARE_NAME
                || selector.attribute() == ClientAttribute.CLIENT_SOFTWARE_VERSION;
    }

    /** Which librdkafka clients the software selectors let through, as a mask; null where there was no time to try. */
    private Long librdkafkaClients(Subscription subscription) {
        Integer softwareNames = matched(subscription, ClientAttribute.CLIENT_SOFTWARE_NAME);
        Integer softwareVersions = matched(subscription, ClientAttribute.CLIENT_SOFTWARE_VERSION);
        if (softwareNames == null || softwareVersions == null) {
            return null;
        }
        int versions = (softwareVersions | softwareVersions >> VERSIONS) & (1 << VERSIONS) - 1;
        long clients = NO_CLIENT;
        for (int i = 0; i < LIBRDKAFKA_NAMES.size(); i++) {
            if ((softwareNames >> i & 1) == 1) {
                clients |= (long) versions << i * VERSIONS;
            }
        }
        return clients;
    }

    /** Which known values of an attribute its selectors match, as a mask; null where there was no time to try. */
    private Integer matched(Subscription subscription, ClientAttribute attribute) {
        List<String> values = attribute == ClientAttribute.CLIENT_SOFTWARE_NAME ? SOFTWARE_NAMES : SOFTWARE_VERSIONS;
        int mask = (1 << values.size()) - 1;
        for (MatchSelector selector : subscription.match()) {
            if (selector.attribute() == attribute) {
                Integer some = tried(matched, selector, untriedYet -> matched(untriedYet, values));
                if (some == null) {
                    return null;
                }
                mask &= some;
            }
        }
        return mask;
    }

    private static int matched(MatchSelector selector, List<String> values) {
        int mask = 0;
        for (int i = 0; i < values.size(); i++) {
            if (selector.test(values.get(i), MatchSelector.MAX_STEPS) == MatchSelector.Outcome.MATCH) {
                mask |= 1 << i;
            }
        }
        return mask;
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

    private boolean allowsJava(Subscription subscription) {
        Integer softwareNames = matched(subscription, ClientAttribute.CLIENT_SOFTWARE_NAME);
        Integer softwareVersions = matched(subscription, ClientAttribute.CLIENT_SOFTWARE_VERSION);
        return softwareNames != null
                && softwareVersions != null
                && softwareNames >> LIBRDKAFKA_NAMES.size() != 0
                && softwareVersions >> 2 * VERSIONS != 0;
    }

    private void load(Subscription subscription) {
        boolean someClients = subscription.match().stream()
                .anyMatch(selector ->
                        !isOnSoftware(selector) && !Boolean.TRUE.equals(tried(wide, selector, WideMatch::isWide)));
        if (someClients) {
            return;
        }
        long clients = circumstances.clients() > 0 ? circumstances.clients() : ASSUMED_CLIENTS;
        double pushes = clients * 1000.0 / subscription.effectiveIntervalMs();
        if (pushes > MAX_PUSHES_PER_SECOND) {
            long bearable = (long) Math.ceil(clients * 1000.0 / MAX_PUSHES_PER_SECOND);
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
