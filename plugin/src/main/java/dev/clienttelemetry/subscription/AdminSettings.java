/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Causes;
import dev.clienttelemetry.message.NearestName;
import dev.clienttelemetry.message.Quoted;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * The settings of the Admin client with which a broker reaches its own cluster: the advertised address and the security
 * of its inter-broker listener, and over these what {@code client.telemetry.admin.*} says.
 */
final class AdminSettings {
    private static final String PREFIX = "client.telemetry.admin.";
    private static final String INTER_BROKER_LISTENER = "inter.broker.listener.name";
    private static final String INTER_BROKER_PROTOCOL = "security.inter.broker.protocol";
    private static final String PROTOCOL_MAP = "listener.security.protocol.map";
    private static final String ADVERTISED_LISTENERS = "advertised.listeners";
    private static final String LISTENERS = "listeners";
    private static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    private static final String SECURITY_PROTOCOL = "security.protocol";
    private static final String CONFIG_PROVIDERS = "config.providers";
    private static final String REQUEST_TIMEOUT = "request.timeout.ms";
    private static final String API_TIMEOUT = "default.api.timeout.ms";
    private static final Set<String> PROTOCOLS = Set.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

    private final Map<String, ?> broker;
    private final Map<String, Object> own;

    private AdminSettings(Map<String, ?> broker) {
        this.broker = broker;
        Map<String, Object> written = new HashMap<>();
        broker.forEach((key, value) -> {
            if (key.startsWith(PREFIX) && value != null) {
                written.put(key.substring(PREFIX.length()), value);
            }
        });
        this.own = provided(written);
    }

    /** Kafka's client asks the config providers that its settings name, so a value may be a placeholder for another. */
    private static Map<String, Object> provided(Map<String, Object> written) {
        if (!written.containsKey(CONFIG_PROVIDERS)) {
            return written;
        }
        try {
            return new HashMap<>(new AbstractConfig(new ConfigDef(), written, false).originals());
        } catch (RuntimeException e) {
            throw new ConfigException(
                    "What " + PREFIX + CONFIG_PROVIDERS + " names does not supply the values: " + Causes.text(e));
        }
    }

    /**
     * Derives the settings.
     *
     * @param broker the broker's whole configuration, values as Strings or parsed
     * @param clientId the client id that the client gets
     * @return the settings
     * @throws ConfigException where the inter-broker listener cannot be found, a key looks like a slip, there is no such
     *     security protocol, or it is one with SASL and nothing says how to log in, or a config provider named for this
     *     client fails
     */
    static Map<String, Object> of(Map<String, ?> broker, String clientId) {
        return new AdminSettings(broker).derive(clientId);
    }

    /**
     * Derives the settings and checks them, as far as that can be done before anything listens and without waiting for
     * anything: unlike {@link #of} for use at the broker's start only, since files are looked into.
     *
     * @param broker the broker's whole configuration, values as Strings or parsed
     * @param clientId the client id that the client gets
     * @throws ConfigException as of {@link #of}, and where a value is one with which no client can be made
     */
    static void check(Map<String, ?> broker, String clientId) {
        AdminSettings settings = new AdminSettings(broker);
        AdminSettingsCheck.check(settings.derive(clientId), settings.own, PREFIX);
    }

    private Map<String, Object> derive(String clientId) {
        refuseSlips();
        Map<String, Object> settings = new HashMap<>();
        settings.put("client.id", clientId);
        putTimeouts(settings);
        settings.put("reconnect.backoff.max.ms", "10000");
        String listener = listenerName();
        String protocol = protocol(listener);
        if (!own.containsKey(BOOTSTRAP_SERVERS)) {
            settings.put(BOOTSTRAP_SERVERS, address(listener));
            settings.put(SECURITY_PROTOCOL, protocol);
        }
        requireLogin(listener, ownProtocol(), (String) settings.get(SECURITY_PROTOCOL));
        if (protocol.endsWith("SSL")) {
            putSsl(settings, listener);
        }
        settings.putAll(own);
        // A reporter of the broker's in this client would be a second one of the same kind; and its pushes would come
        // from
        // the plugin that they go to.
        settings.put("metric.reporters", List.of());
        putIfKnown(settings, "enable.metrics.push", "false");
        putIfKnown(settings, "auto.include.jmx.reporter", "false");
        return settings;
    }

    /** Classes that settings name may have keys of their own, so only what looks like a known key is refused. */
    private void refuseSlips() {
        for (String key : own.keySet()) {
            String meant = NearestName.slipOf(key, AdminClientConfig.configNames());
            if (meant != null) {
                throw new ConfigException(
                        "Unknown key " + PREFIX + key + ": the Admin client knows " + PREFIX + meant + ".");
            }
        }
    }

    /** Returns the protocol that was set for this client, in capitals, or null. */
    private String ownProtocol() {
        if (!own.containsKey(SECURITY_PROTOCOL)) {
            return null;
        }
        String text = ConfigText.of(own.get(SECURITY_PROTOCOL));
        String protocol = text.toUpperCase(Locale.ROOT);
        if (!PROTOCOLS.contains(protocol)) {
            throw new ConfigException(
                    PREFIX + SECURITY_PROTOCOL,
                    Quoted.text(text),
                    "must be one of " + String.join(", ", new TreeSet<>(PROTOCOLS)));
        }
        return protocol;
    }

    private void requireLogin(String listener, String ownProtocol, String listenersProtocol) {
        String protocol = ownProtocol != null ? ownProtocol : listenersProtocol;
        boolean login = own.containsKey("sasl.jaas.config")
                || own.keySet().stream().anyMatch(key -> key.startsWith("sasl.login."))
                || own.containsKey("sasl.client.callback.handler.class")
                // The JVM's own login configuration will do where a mechanism is chosen for this client.
                || own.containsKey("sasl.mechanism") && System.getProperty("java.security.auth.login.config") != null;
        if (protocol != null && protocol.startsWith("SASL") && !login) {
            throw new ConfigException((ownProtocol != null
                            ? PREFIX + SECURITY_PROTOCOL + " is " + protocol
                            : "The inter-broker listener " + listener + " uses " + protocol)
                    + ", so applying subscriptions needs to know how to log in: set " + PREFIX + "sasl.mechanism and "
                    + PREFIX + "sasl.jaas.config, or name another listener by " + PREFIX + BOOTSTRAP_SERVERS + " and "
                    + PREFIX + SECURITY_PROTOCOL + ".");
        }
    }

    /** Kafka makes no client for whose calls there is less time than for one request: the one that is set leads. */
    private void putTimeouts(Map<String, Object> settings) {
        settings.put(REQUEST_TIMEOUT, Long.toString(Math.min(10_000, ownMillis(API_TIMEOUT, 10_000))));
        settings.put(API_TIMEOUT, Long.toString(Math.max(20_000, ownMillis(REQUEST_TIMEOUT, 20_000))));
    }

    private long ownMillis(String key, long otherwise) {
        try {
            return own.containsKey(key) ? Integer.parseInt(ConfigText.of(own.get(key))) : otherwise;
        } catch (NumberFormatException refusedElsewhere) {
            return otherwise;
        }
    }

    private String listenerName() {
        String name = text(INTER_BROKER_LISTENER);
        if (name != null) {
            return name;
        }
        String protocol = text(INTER_BROKER_PROTOCOL);
        return protocol == null ? "PLAINTEXT" : protocol;
    }

    private String protocol(String listener) {
        String map = text(PROTOCOL_MAP);
        if (map != null) {
            for (String entry : map.split(",")) {
                int colon = entry.lastIndexOf(':');
                if (colon > 0 && entry.substring(0, colon).trim().equalsIgnoreCase(listener)) {
                    return entry.substring(colon + 1).trim().toUpperCase(Locale.ROOT);
                }
            }
        }
        String asProtocol = listener.toUpperCase(Locale.ROOT);
        if (!PROTOCOLS.contains(asProtocol)) {
            throw new ConfigException(
                    PROTOCOL_MAP,
                    map,
                    "The security protocol of the inter-broker listener " + listener + " is missing.");
        }
        return asProtocol;
    }

    private String address(String listener) {
        String key = text(ADVERTISED_LISTENERS) == null ? LISTENERS : ADVERTISED_LISTENERS;
        String value = text(key);
        for (String entry : (value == null ? "PLAINTEXT://:9092" : value).split(",")) {
            int scheme = entry.indexOf("://");
            int colon = entry.lastIndexOf(':');
            if (scheme > 0
                    && colon > scheme
                    && entry.substring(0, scheme).trim().equalsIgnoreCase(listener)) {
                String host = entry.substring(scheme + 3, colon).trim();
                return (host.isEmpty() ? localHost() : host) + ":"
                        + entry.substring(colon + 1).trim();
            }
        }
        throw new ConfigException(
                key,
                value,
                "The inter-broker listener " + listener + " is not among them; " + PREFIX + BOOTSTRAP_SERVERS
                        + " can name the address at which this broker reaches the cluster.");
    }

    // What Kafka advertises where a listener names no host.
    private static String localHost() {
        try {
            return InetAddress.getLocalHost().getCanonicalHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private void putSsl(Map<String, Object> settings, String listener) {
        String listenerPrefix = "listener.name." + listener.toLowerCase(Locale.ROOT) + ".";
        for (String key : AdminClientConfig.configNames()) {
            if (!key.startsWith("ssl.")) {
                continue;
            }
            Object value = broker.get(listenerPrefix + key);
            if (value == null) {
                value = broker.get(key);
            }
            if (value != null) {
                settings.put(key, value);
            }
        }
    }

    private static void putIfKnown(Map<String, Object> settings, String key, Object value) {
        if (AdminClientConfig.configNames().contains(key)) {
            settings.put(key, value);
        }
    }

    /** Returns a value as text, null where it is absent or empty. */
    private String text(String key) {
        String text = ConfigText.of(broker.get(key));
        return text == null || text.isEmpty() ? null : text;
    }
}
