/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import dev.clienttelemetry.message.NearestName;
import dev.clienttelemetry.otlp.Label;
import dev.clienttelemetry.pipeline.PipelineSettings;
import dev.clienttelemetry.subscription.ConfigText;
import dev.clienttelemetry.subscription.SynchronizerSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;

/**
 * The plugin's keys in the host's configuration: their defaults, what they mean, and the check of their values. Immutable.
 *
 * <p>Kafka hands a reporter the host's whole configuration: Strings at start, and the types that Kafka parsed when the
 * reporter is added to a running broker. Both are taken. The keys that begin with {@code otel.} are only passed on.
 */
final class ClientTelemetryConfig {
    /** What all keys of this class begin with. */
    static final String PREFIX = "client.telemetry.";

    /** Which labels the broker adds. */
    static final String LABELS = PREFIX + "labels";

    /** What becomes {@code service.name}. */
    static final String SERVICE_NAME = PREFIX + "service.name";

    /** Memory that payloads may hold. */
    static final String BUFFER_MAX_BYTES = PREFIX + "buffer.max.bytes";

    /** The largest request. */
    static final String BATCH_MAX_BYTES = PREFIX + "batch.max.bytes";

    /** How long a push may wait for company. */
    static final String BATCH_LINGER_MS = PREFIX + "batch.linger.ms";

    /** After what time an undelivered batch is dropped. */
    static final String BATCH_MAX_AGE_MS = PREFIX + "batch.max.age.ms";

    /** Parallel requests. */
    static final String REQUESTS_IN_FLIGHT_MAX = PREFIX + "requests.in.flight.max";

    /** Client instances remembered. */
    static final String INSTANCES_MAX = PREFIX + "instances.max";

    /** Series with cumulative state. */
    static final String SERIES_MAX = PREFIX + "series.max";

    /** Series with cumulative state of one client instance. */
    static final String SERIES_MAX_PER_INSTANCE = PREFIX + "series.max.per.instance";

    /** What becomes of gauges that are NaN. */
    static final String NAN_GAUGES = PREFIX + "nan.gauges";

    /** The ConfigProvider that supplies subscriptions. */
    static final String SUBSCRIPTIONS_PROVIDER = PREFIX + "subscriptions.provider";

    /** The path handed to that provider. */
    static final String SUBSCRIPTIONS_PATH = PREFIX + "subscriptions.path";

    /** Whether subscriptions that are not supplied are deleted. */
    static final String SUBSCRIPTIONS_PRUNE = PREFIX + "subscriptions.prune";

    /** How often a provider without a TTL is read again. */
    static final String SUBSCRIPTIONS_REFRESH_MS = PREFIX + "subscriptions.refresh.ms";

    private static final String ADMIN = "admin";

    /** What the settings of the Admin client that applies subscriptions begin with. */
    static final String ADMIN_PREFIX = PREFIX + ADMIN + '.';

    private static final String METRIC_REPORTERS = "metric.reporters";
    private static final String JMX_REPORTER = "org.apache.kafka.common.metrics.JmxReporter";
    // By name: the first of these classes cannot be loaded before Kafka 4.2.
    private static final String EXPORTER_REPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReporter";
    private static final String RECEIVER_REPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter";
    private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]+");
    private static final int TELEMETRY_MAX_BYTES_DEFAULT = 1_048_576;

    private static final List<Label> DEFAULT_LABELS = List.of(
            Label.CLIENT_INSTANCE_ID,
            Label.CLIENT_ID,
            Label.CLIENT_SOFTWARE_NAME,
            Label.CLIENT_SOFTWARE_VERSION,
            Label.CLIENT_SOURCE_ADDRESS,
            Label.PRINCIPAL,
            Label.BROKER_ID);

    private static final List<String> LABEL_KEYS =
            Arrays.stream(Label.values()).map(Label::key).toList();

    private static final ConfigDef DEFINITION = new ConfigDef()
            .define(
                    LABELS,
                    Type.LIST,
                    DEFAULT_LABELS.stream().map(Label::key).toList(),
                    new KnownLabels(),
                    Importance.HIGH,
                    "The labels that the broker adds to each push, as resource attributes.")
            .define(
                    SERVICE_NAME,
                    Type.STRING,
                    Label.CLIENT_ID.key(),
                    allowed(
                            "one of " + String.join(", ", LABEL_KEYS)
                                    + ", or = and a literal, for example =kafka-client",
                            ClientTelemetryConfig::isServiceName),
                    Importance.HIGH,
                    "What becomes service.name: the value of a label, or a literal after =. unknown_service where it is"
                            + " empty.")
            .define(
                    BUFFER_MAX_BYTES,
                    Type.LONG,
                    64L * 1024 * 1024,
                    between(1024 * 1024, Long.MAX_VALUE, "bytes"),
                    Importance.MEDIUM,
                    "Memory that payloads may hold, all stages together, at most half of the heap. 1/8 of it is reserved"
                            + " for pushes that are not yet converted.")
            .define(
                    BATCH_MAX_BYTES,
                    Type.INT,
                    2 * 1024 * 1024,
                    between(1024, 1024 * 1024 * 1024, "bytes"),
                    Importance.MEDIUM,
                    "The largest request before compression. A push that is larger goes alone. Collectors accept 4 MiB"
                            + " over gRPC by default. Where it is not set, no more than client.telemetry.buffer.max.bytes.")
            .define(
                    BATCH_LINGER_MS,
                    Type.INT,
                    500,
                    between(0, 60_000, "milliseconds"),
                    Importance.LOW,
                    "How long a push may wait for others to share its request.")
            .define(
                    BATCH_MAX_AGE_MS,
                    Type.LONG,
                    900_000L,
                    between(1000, Long.MAX_VALUE / 1_000_000, "milliseconds"),
                    Importance.LOW,
                    "A batch that could not be delivered for so long is dropped and counted.")
            .define(
                    REQUESTS_IN_FLIGHT_MAX,
                    Type.INT,
                    8,
                    between(1, 1024, "requests"),
                    Importance.LOW,
                    "How many requests to the backend may be under way at once.")
            .define(
                    INSTANCES_MAX,
                    Type.INT,
                    16_384,
                    between(1, Integer.MAX_VALUE, "client instances"),
                    Importance.LOW,
                    "How many client instances are remembered. Beyond it the one that has not pushed for longest goes"
                            + " first, and its series start anew when it comes back.")
            .define(
                    SERIES_MAX,
                    Type.INT,
                    1_000_000,
                    between(1, Integer.MAX_VALUE, "series"),
                    Importance.MEDIUM,
                    "How many series may have cumulative state. Beyond it new series are dropped and counted.")
            .define(
                    SERIES_MAX_PER_INSTANCE,
                    Type.INT,
                    5000,
                    between(1, Integer.MAX_VALUE, "series"),
                    Importance.LOW,
                    "The same for the series of one client instance, so that no client instance can use up the whole."
                            + " A client that keeps changing its instance id can: find it by its client_id or principal in the"
                            + " backend and stop it at the broker.")
            .define(
                    NAN_GAUGES,
                    Type.STRING,
                    "drop",
                    allowed("drop or pass", value -> "drop".equals(value) || "pass".equals(value)),
                    Importance.LOW,
                    "Whether gauges without a measurement (NaN) are left out (drop) or sent (pass). Sent ones turn sums"
                            + " over clients into NaN.")
            .define(
                    SUBSCRIPTIONS_PROVIDER,
                    Type.STRING,
                    null,
                    allowed("a name listed in config.providers", value -> value == null || !isBlank(value)),
                    Importance.MEDIUM,
                    "The name in config.providers of the provider that subscriptions come from. None: the cluster's"
                            + " subscriptions are left alone.")
            .define(
                    SUBSCRIPTIONS_PATH,
                    Type.STRING,
                    null,
                    allowed("a path that the provider understands", value -> value == null || !isBlank(value)),
                    Importance.MEDIUM,
                    "The path handed to that provider, for example a file.")
            .define(
                    SUBSCRIPTIONS_PRUNE,
                    Type.BOOLEAN,
                    false,
                    allowed("true or false", value -> value instanceof Boolean),
                    Importance.MEDIUM,
                    "Whether subscriptions of the cluster that the provider does not supply are deleted.")
            .define(
                    SUBSCRIPTIONS_REFRESH_MS,
                    Type.LONG,
                    30_000L,
                    between(100, Long.MAX_VALUE / 1_000_000, "milliseconds"),
                    Importance.LOW,
                    "How often the subscriptions are read again where the provider gives no time to live.");

    private final Map<String, ?> host;
    private final Map<String, Object> values;

    /**
     * Reads and checks the plugin's keys.
     *
     * @param host the host's whole configuration, of which all other keys are ignored; null values count as absent
     * @throws ConfigException where a value is wrong, a key that begins with {@code client.telemetry.} is unknown, or
     *     {@code metric.reporters} names this plugin more than once; the message says what would be right
     */
    ClientTelemetryConfig(Map<String, ?> host) {
        this.host = Collections.unmodifiableMap(new LinkedHashMap<>(host));
        refuseUnknownKeys();
        refuseSecondReporter();
        this.values = parse();
        refuseContradictions();
        refuseMoreThanTheHeap(Runtime.getRuntime().maxMemory());
    }

    /** A bound on memory that is not there is none: the broker would end with an OutOfMemoryError. */
    void refuseMoreThanTheHeap(long heapBytes) {
        long bytes = (Long) values.get(BUFFER_MAX_BYTES);
        if (isSet(BUFFER_MAX_BYTES) && bytes > heapBytes / 2) {
            throw new ConfigException(
                    BUFFER_MAX_BYTES,
                    bytes,
                    "must be at most half of the heap, which is " + heapBytes + " bytes (-Xmx): " + heapBytes / 2);
        }
    }

    /** Returns whether the default of the buffer's bound is more than half of the heap. */
    boolean isBufferLargeForHeap() {
        return (Long) values.get(BUFFER_MAX_BYTES) > Runtime.getRuntime().maxMemory() / 2;
    }

    private boolean isSet(String key) {
        return host.get(key) != null;
    }

    /** Returns the definition of the keys, for documentation. Keys under {@link #ADMIN_PREFIX} are not in it. */
    static ConfigDef definition() {
        return new ConfigDef(DEFINITION);
    }

    PipelineSettings pipelineSettings() {
        return new PipelineSettings(
                labels(),
                string(SERVICE_NAME),
                (Long) values.get(BUFFER_MAX_BYTES),
                batchMaxBytes(),
                integer(BATCH_LINGER_MS),
                (Long) values.get(BATCH_MAX_AGE_MS),
                integer(REQUESTS_IN_FLIGHT_MAX),
                integer(INSTANCES_MAX),
                integer(SERIES_MAX),
                integer(SERIES_MAX_PER_INSTANCE),
                "drop".equals(string(NAN_GAUGES)),
                synchronizerSettings(),
                withPrefix("otel."));
    }

    /** Null where no provider is set, and on a node that is no broker of a KRaft cluster: it has no subscriptions. */
    private SynchronizerSettings synchronizerSettings() {
        String provider = string(SUBSCRIPTIONS_PROVIDER);
        if (provider == null || isControllerOnly() || isZooKeeperMode()) {
            return null;
        }
        return new SynchronizerSettings(
                provider,
                string(SUBSCRIPTIONS_PATH),
                (Boolean) values.get(SUBSCRIPTIONS_PRUNE),
                (Long) values.get(SUBSCRIPTIONS_REFRESH_MS),
                host);
    }

    /** Returns the largest payload, decompressed, that the broker accepts, in bytes. */
    int telemetryMaxBytes() {
        Object value = host.get("telemetry.max.bytes");
        return value == null
                ? TELEMETRY_MAX_BYTES_DEFAULT
                : (Integer) ConfigDef.parseType("telemetry.max.bytes", ConfigText.of(value), Type.INT);
    }

    /** Returns the node's id as the configuration has it, or null. */
    String nodeId() {
        Object id = host.get("node.id");
        if (id == null || "-1".equals(ConfigText.of(id))) {
            id = host.get("broker.id");
        }
        return id == null || "-1".equals(ConfigText.of(id)) ? null : ConfigText.of(id);
    }

    /** Returns whether this node is a KRaft controller and no broker, so that no client ever pushes to it. */
    boolean isControllerOnly() {
        List<String> roles = list("process.roles");
        return roles.contains("controller") && !roles.contains("broker");
    }

    /** Returns whether this is a broker in ZooKeeper mode, which knows no client telemetry. */
    boolean isZooKeeperMode() {
        return !list("zookeeper.connect").isEmpty() && list("process.roles").isEmpty();
    }

    /** Returns whether {@code metric.reporters} is set and JmxReporter is not in it. */
    boolean isJmxReporterMissing() {
        List<String> reporters = list(METRIC_REPORTERS);
        return !reporters.isEmpty() && !reporters.contains(JMX_REPORTER);
    }

    private Set<Label> labels() {
        EnumSet<Label> labels = EnumSet.noneOf(Label.class);
        for (Object key : (List<?>) values.get(LABELS)) {
            labels.add(Label.valueOf(((String) key).toUpperCase(Locale.ROOT)));
        }
        return Collections.unmodifiableSet(labels);
    }

    /** A default must not refuse what is set beside it. */
    private int batchMaxBytes() {
        int bytes = integer(BATCH_MAX_BYTES);
        return isSet(BATCH_MAX_BYTES) ? bytes : (int) Math.min(bytes, (Long) values.get(BUFFER_MAX_BYTES));
    }

    private String string(String key) {
        return (String) values.get(key);
    }

    private int integer(String key) {
        return (Integer) values.get(key);
    }

    private Map<String, String> withPrefix(String prefix) {
        Map<String, String> found = new TreeMap<>();
        host.forEach((key, value) -> {
            if (key.startsWith(prefix) && value != null) {
                found.put(key, ConfigText.of(value));
            }
        });
        return Collections.unmodifiableMap(found);
    }

    private List<String> list(String key) {
        return ConfigText.list(host.get(key));
    }

    private Map<String, Object> parse() {
        Map<String, Object> parsed = new LinkedHashMap<>();
        for (ConfigDef.ConfigKey key : DEFINITION.configKeys().values()) {
            Object given = host.get(key.name);
            if (given == null) {
                parsed.put(key.name, key.defaultValue);
                continue;
            }
            Object value;
            try {
                value = ConfigDef.parseType(key.name, ConfigText.of(given), key.type);
            } catch (ConfigException wrongType) {
                String text = ConfigText.of(given);
                boolean tooLarge = WHOLE_NUMBER.matcher(text).matches();
                throw new ConfigException(
                        key.name,
                        text,
                        "must be "
                                + (key.validator instanceof WholeNumber range ? range.right(tooLarge) : key.validator));
            }
            key.validator.ensureValid(key.name, value);
            parsed.put(key.name, value);
        }
        return parsed;
    }

    private void refuseUnknownKeys() {
        for (String key : host.keySet()) {
            boolean known = !isOurs(key)
                    || DEFINITION.names().contains(key)
                    || key.startsWith(ADMIN_PREFIX) && key.length() > ADMIN_PREFIX.length();
            if (!known) {
                throw new ConfigException("Unknown configuration " + key + ": " + expected(key));
            }
        }
    }

    private static String expected(String key) {
        List<String> known = List.copyOf(DEFINITION.names());
        // What all keys have in common says nothing of which was meant.
        List<String> names = new ArrayList<>(
                known.stream().map(name -> name.substring(PREFIX.length())).toList());
        String name = key.substring(Math.min(key.length(), PREFIX.length()));
        int dot = name.indexOf('.');
        String group = dot < 0 ? name : name.substring(0, dot);
        if (NearestName.of(group, List.of(ADMIN)) != null) {
            names.add(ADMIN + '.' + (dot < 0 || dot == name.length() - 1 ? "*" : name.substring(dot + 1)));
        }
        String nearest = NearestName.of(name, names);
        return nearest != null
                ? "the nearest known key is " + PREFIX + nearest
                : "no known key is near it; they are " + String.join(", ", known) + ", " + ADMIN_PREFIX + "*";
    }

    /** In any case of letters and with any separator: what differs from a key only in that was meant to be it. */
    private static boolean isOurs(String key) {
        String folded = key.replace('-', '.').replace('_', '.') + '.';
        return folded.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
    }

    private void refuseSecondReporter() {
        List<String> ours = list(METRIC_REPORTERS).stream()
                .filter(name -> name.equals(EXPORTER_REPORTER) || name.equals(RECEIVER_REPORTER))
                .toList();
        if (ours.size() > 1) {
            throw new ConfigException(
                    METRIC_REPORTERS,
                    String.join(",", list(METRIC_REPORTERS)),
                    "must name this plugin once, since each of its instances sends every push: keep "
                            + EXPORTER_REPORTER + " on Kafka 4.2 and later, " + RECEIVER_REPORTER + " before");
        }
    }

    private void refuseContradictions() {
        if (batchMaxBytes() > (Long) values.get(BUFFER_MAX_BYTES)) {
            throw new ConfigException(
                    BATCH_MAX_BYTES,
                    values.get(BATCH_MAX_BYTES),
                    "must be at most " + BUFFER_MAX_BYTES + ", which is " + values.get(BUFFER_MAX_BYTES));
        }
        String provider = string(SUBSCRIPTIONS_PROVIDER);
        List<String> providers = list("config.providers");
        if (provider != null && !providers.contains(provider)) {
            throw new ConfigException(
                    SUBSCRIPTIONS_PROVIDER,
                    provider,
                    "must be a name listed in config.providers, which "
                            + (providers.isEmpty() ? "is not set" : "has " + String.join(", ", providers)));
        }
        if (provider != null && string(SUBSCRIPTIONS_PATH) == null) {
            throw new ConfigException(
                    SUBSCRIPTIONS_PATH + " must be set, since " + SUBSCRIPTIONS_PROVIDER + " is " + provider);
        }
        if (provider == null && string(SUBSCRIPTIONS_PATH) != null) {
            throw new ConfigException(SUBSCRIPTIONS_PATH + " is set, but " + SUBSCRIPTIONS_PROVIDER
                    + " is not: it must be a name listed in config.providers");
        }
        if (provider == null) {
            // Not with its value, which may be a password.
            host.keySet().stream()
                    .filter(this::isSet)
                    .filter(key -> key.startsWith(ADMIN_PREFIX))
                    .sorted()
                    .findFirst()
                    .ifPresent(key -> {
                        throw new ConfigException(key + " is set, but without " + SUBSCRIPTIONS_PROVIDER
                                + " nothing uses it: set that to a name listed in config.providers, or remove " + key);
                    });
        }
    }

    private static boolean isBlank(Object value) {
        return ((String) value).isBlank();
    }

    private static boolean isServiceName(Object value) {
        String name = (String) value;
        return LABEL_KEYS.contains(name)
                || name.startsWith("=") && !name.substring(1).isBlank();
    }

    private static ConfigDef.Validator between(long least, long most, String unit) {
        return new WholeNumber(least, most, unit);
    }

    private static ConfigDef.Validator allowed(String description, Predicate<Object> test) {
        return new Allowed(description, test);
    }

    private record Allowed(String description, Predicate<Object> test) implements ConfigDef.Validator {
        @Override
        public void ensureValid(String name, Object value) {
            if (!test.test(value)) {
                Object shown = value instanceof List<?> list
                        ? list.stream().map(String::valueOf).collect(Collectors.joining(", "))
                        : value;
                throw new ConfigException(name, shown, "must be " + description);
            }
        }

        @Override
        public String toString() {
            return description;
        }
    }

    /** A number within bounds; the upper one is told only to whoever is beyond it where it is just what a number can be. */
    private record WholeNumber(long least, long most, String unit) implements ConfigDef.Validator {
        @Override
        public void ensureValid(String name, Object value) {
            long number = ((Number) value).longValue();
            if (number < least || number > most) {
                throw new ConfigException(name, value, "must be " + right(number > most));
            }
        }

        String right(boolean tooLarge) {
            String range = most < Integer.MAX_VALUE
                    ? "from " + least + " to " + most
                    : tooLarge ? "of at most " + most : "of at least " + least;
            return "a whole number " + range + " (" + unit + ")";
        }

        @Override
        public String toString() {
            return right(false);
        }
    }

    /** A list of labels' names. */
    private static final class KnownLabels implements ConfigDef.Validator {
        @Override
        public void ensureValid(String name, Object value) {
            for (Object label : (List<?>) value) {
                if (!LABEL_KEYS.contains(label)) {
                    String text = String.valueOf(label);
                    String nearest = NearestName.of(text, LABEL_KEYS);
                    throw new ConfigException(
                            name,
                            '\'' + text + '\'',
                            "is no label" + (nearest == null ? "" : ", the nearest is " + nearest) + ": must be "
                                    + this);
                }
            }
        }

        @Override
        public String toString() {
            return "a list of " + String.join(", ", LABEL_KEYS);
        }
    }
}
