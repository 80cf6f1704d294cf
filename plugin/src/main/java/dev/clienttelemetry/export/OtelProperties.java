/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.NearestName;
import dev.clienttelemetry.message.Quoted;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.kafka.common.config.ConfigException;

/**
 * The {@code otel.*} settings: {@code server.properties} over system properties over environment variables. A setting in
 * {@code server.properties}, in its general form ({@code otel.exporter.otlp.endpoint}) or in that for metrics ({@code
 * otel.exporter.otlp.metrics.endpoint}), wins over both forms from elsewhere; an empty one there counts as unset and
 * hides them too. Only the settings of the OTLP metrics exporter, {@code otel.resource.attributes} and {@code
 * otel.metric.export.interval} are seen: what is meant for an OpenTelemetry agent in the same process ({@code
 * otel.sdk.disabled}, {@code otel.metrics.exporter}, {@code otel.config.file} and so on) has no effect. Immutable.
 *
 * <p>The getters throw {@link ConfigException}, naming the key and what would be right, for a value that is not of the
 * asked type.
 */
public final class OtelProperties implements ConfigProperties {
    static final String GENERAL = "otel.exporter.otlp.";
    static final String METRICS = "otel.exporter.otlp.metrics.";
    static final String TEMPORALITY = METRICS + "temporality.preference";
    private static final String RESOURCE_ATTRIBUTES = "otel.resource.attributes";
    private static final String EXPORT_INTERVAL = "otel.metric.export.interval";

    private static final Duration DEFAULT_EXPORT_INTERVAL = Duration.ofMinutes(1);
    private static final Duration MAX_EXPORT_INTERVAL = Duration.ofDays(1);

    /** What has a general form and one for metrics. */
    private static final Set<String> OPTIONS = Set.of(
            "endpoint",
            "protocol",
            "headers",
            "timeout",
            "compression",
            "certificate",
            "client.key",
            "client.certificate");

    private static final Set<String> OTHERS = Set.of(TEMPORALITY, RESOURCE_ATTRIBUTES, EXPORT_INTERVAL);

    private static final Set<String> TEMPORALITIES = Set.of("cumulative", "delta", "lowmemory");

    /**
     * A value and where it is from.
     *
     * @param value as it is written there, without blanks around it
     * @param origin for messages: empty, or where else than in {@code server.properties} it was found
     */
    private record Setting(String value, String origin) {}

    private final Map<String, Setting> server;
    private final Map<String, Setting> elsewhere;

    private OtelProperties(Map<String, Setting> server, Map<String, Setting> elsewhere) {
        this.server = server;
        this.elsewhere = elsewhere;
    }

    /**
     * Puts the settings together.
     *
     * @param serverProperties the broker's settings; keys other than {@code otel.*} are ignored
     * @param systemProperties system properties
     * @param environment environment variables under their own names, such as {@code OTEL_EXPORTER_OTLP_ENDPOINT}
     */
    public static OtelProperties of(
            Map<String, ?> serverProperties, Map<?, ?> systemProperties, Map<String, String> environment) {
        Map<String, Setting> server = new LinkedHashMap<>();
        serverProperties.forEach((key, value) -> {
            String name = normalized(key);
            if (name.startsWith("otel.")) {
                server.put(
                        name, new Setting(value == null ? "" : value.toString().strip(), ""));
            }
        });
        Map<String, Setting> elsewhere = new HashMap<>();
        environment.forEach((key, value) -> {
            String name = normalized(key).replace('_', '.');
            if (isKnown(name) && value != null && !value.isBlank()) {
                elsewhere.put(name, new Setting(value.strip(), " (from the environment variable " + key + ")"));
            }
        });
        systemProperties.forEach((key, value) -> {
            String name = normalized(String.valueOf(key));
            if (isKnown(name) && value instanceof String text && !text.isBlank()) {
                elsewhere.put(name, new Setting(text.strip(), " (from the system property " + key + ")"));
            }
        });
        return new OtelProperties(server, elsewhere);
    }

    /**
     * Returns a line for the log for each {@code otel.*} key of {@code server.properties} that has no effect, with what was
     * perhaps meant.
     */
    public List<String> ineffective() {
        List<String> found = new ArrayList<>();
        for (String name : server.keySet()) {
            if (!isKnown(name)) {
                String nearest = nearestKnown(name);
                found.add(Quoted.line(name) + " has no effect here"
                        + (nearest != null ? "; did you mean " + nearest + "?" : ": " + whatHasAnEffect(name)));
            }
        }
        return found;
    }

    /**
     * Returns each setting in force that is not from {@code server.properties}: its key and where it is from, without its
     * value. What is meant for an OpenTelemetry agent in the same process is in force here too.
     */
    public List<String> fromElsewhere() {
        Set<String> keys = new TreeSet<>(OTHERS);
        for (String option : OPTIONS) {
            keys.add(keyOf(option));
        }
        return keys.stream()
                .filter(key -> getString(key) != null && !origin(key).isEmpty())
                .map(key -> key + origin(key))
                .toList();
    }

    /**
     * Returns {@code otel.exporter.otlp.metrics.temporality.preference}: {@code cumulative} (also where it is not set),
     * {@code delta} or {@code lowmemory}.
     *
     * @throws ConfigException for anything else
     */
    public String temporalityPreference() {
        String value = getString(TEMPORALITY);
        if (value == null) {
            return "cumulative";
        }
        String preference = value.toLowerCase(Locale.ROOT);
        if (!TEMPORALITIES.contains(preference)) {
            throw invalid(TEMPORALITY, value, "must be cumulative, delta or lowmemory");
        }
        return preference;
    }

    /**
     * Returns {@code otel.metric.export.interval}, how often the plugin's own metrics are sent: from 1 ms to a day, one minute
     * where it is not set.
     *
     * @throws ConfigException for anything else
     */
    public Duration exportInterval() {
        Duration interval = duration(EXPORT_INTERVAL, MAX_EXPORT_INTERVAL);
        return interval == null ? DEFAULT_EXPORT_INTERVAL : interval;
    }

    /**
     * Returns {@code otel.resource.attributes}, values percent-encoded as they are written.
     *
     * @throws ConfigException where it is not key=value pairs
     */
    public Map<String, String> resourceAttributes() {
        return getMap(RESOURCE_ATTRIBUTES);
    }

    /** Returns a duration of at least 1 ms and at most so much, null where it is not set. */
    Duration duration(String key, Duration max) {
        Duration duration = getDuration(key);
        if (duration != null && (duration.compareTo(max) > 0 || duration.toMillis() < 1)) {
            throw invalid(key, getString(key), "must be between 1 ms and " + max.toHours() + " h");
        }
        return duration;
    }

    /** Returns the key under which an option of the exporter is set: that for metrics, else the general one. */
    String keyOf(String option) {
        return getString(METRICS + option) != null ? METRICS + option : GENERAL + option;
    }

    /** Returns an option's value, or null. */
    String option(String option) {
        return getString(keyOf(option));
    }

    /** A wrong value that may be shown. */
    ConfigException invalid(String key, String shown, String what) {
        return new ConfigException(key, shown, what + origin(key));
    }

    /** A wrong value that may be secret, so that only the key is named. */
    ConfigException invalid(String key, String what) {
        return new ConfigException("Invalid value for configuration " + key + ": " + what + origin(key));
    }

    @Override
    public String getString(String name) {
        Setting setting = find(name);
        return setting == null || setting.value().isEmpty() ? null : setting.value();
    }

    @Override
    public Boolean getBoolean(String name) {
        String value = getString(name);
        if (value == null) {
            return null;
        }
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw invalid(name, value, "must be true or false");
        }
        return Boolean.valueOf(value);
    }

    @Override
    public Integer getInt(String name) {
        return number(name, Integer::valueOf, "an integer");
    }

    @Override
    public Long getLong(String name) {
        return number(name, Long::valueOf, "an integer");
    }

    @Override
    public Double getDouble(String name) {
        return number(name, Double::valueOf, "a number");
    }

    @Override
    public Duration getDuration(String name) {
        String value = getString(name);
        if (value == null) {
            return null;
        }
        int digits = 0;
        while (digits < value.length() && Character.isDigit(value.charAt(digits))) {
            digits++;
        }
        try {
            long amount = Long.parseLong(value.substring(0, digits));
            return switch (value.substring(digits).strip()) {
                case "", "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                case "d" -> Duration.ofDays(amount);
                default -> throw new NumberFormatException("unit");
            };
        } catch (NumberFormatException | ArithmeticException e) {
            throw invalid(name, value, "must be a number of milliseconds, or a number with ms, s, m or h behind it");
        }
    }

    @Override
    public List<String> getList(String name) {
        String value = getString(name);
        if (value == null) {
            return List.of();
        }
        List<String> list = new ArrayList<>();
        for (String element : value.split(",")) {
            if (!element.isBlank()) {
                list.add(element.strip());
            }
        }
        return Collections.unmodifiableList(list);
    }

    @Override
    public Map<String, String> getMap(String name) {
        Map<String, String> map = new LinkedHashMap<>();
        int position = 0;
        for (String element : getList(name)) {
            position++;
            int equals = element.indexOf('=');
            String key = equals < 0 ? "" : element.substring(0, equals).strip();
            String value = equals < 0 ? "" : element.substring(equals + 1).strip();
            if (key.isEmpty() || value.isEmpty()) {
                throw invalid(
                        name, "must be key=value pairs with commas between them; number " + position + " is not one");
            }
            map.put(key, value);
        }
        return Collections.unmodifiableMap(map);
    }

    private <T> T number(String name, Function<String, T> parser, String what) {
        String value = getString(name);
        if (value == null) {
            return null;
        }
        try {
            return parser.apply(value);
        } catch (NumberFormatException e) {
            throw invalid(name, value, "must be " + what);
        }
    }

    private Setting find(String key) {
        String name = normalized(key);
        if (!isKnown(name)) {
            return null;
        }
        String option = optionOf(name);
        boolean inServer = option == null
                ? server.containsKey(name)
                : server.containsKey(GENERAL + option) || server.containsKey(METRICS + option);
        return inServer ? server.get(name) : elsewhere.get(name);
    }

    private String origin(String key) {
        Setting setting = find(key);
        return setting == null ? "" : setting.origin();
    }

    private static boolean isKnown(String name) {
        return OTHERS.contains(name) || optionOf(name) != null;
    }

    private static String optionOf(String name) {
        String option;
        if (name.startsWith(METRICS)) {
            option = name.substring(METRICS.length());
        } else if (name.startsWith(GENERAL)) {
            option = name.substring(GENERAL.length());
        } else {
            return null;
        }
        return OPTIONS.contains(option) ? option : null;
    }

    /** As OpenTelemetry compares keys. */
    private static String normalized(String key) {
        return key.toLowerCase(Locale.ROOT).replace('-', '.');
    }

    private static String whatHasAnEffect(String name) {
        return name.startsWith(GENERAL)
                ? "of the settings of the OTLP exporter only " + String.join(", ", new TreeSet<>(OPTIONS))
                        + " (each also for metrics) and metrics.temporality.preference have"
                : "of the otel.* settings only those of the OTLP metrics exporter, " + RESOURCE_ATTRIBUTES + " and "
                        + EXPORT_INTERVAL + " have";
    }

    private static String nearestKnown(String name) {
        Set<String> known = new TreeSet<>(OTHERS);
        for (String option : OPTIONS) {
            known.add(GENERAL + option);
            known.add(METRICS + option);
        }
        return NearestName.slipOf(name, known);
    }
}
