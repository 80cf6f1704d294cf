/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Causes;
import dev.clienttelemetry.message.Quoted;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/**
 * What can be said of an Admin client's settings without making one: that resolves names, and logs in with some mechanisms,
 * for which a broker's start must not wait. Each refusal has the key as the operator wrote it, and no secret.
 */
final class AdminSettingsCheck {
    private static final String JAAS_CONFIG = "sasl.jaas.config";
    private static final String JAAS_EXAMPLE =
            "a login module, a flag, options and a semicolon are right, such as org.apache.kafka.common.security.scram."
                    + "ScramLoginModule required username=\"...\" password=\"...\";";
    /** What Kafka quotes of a login configuration may be part of a password. */
    private static final Pattern QUOTED = Pattern.compile("'.*'", Pattern.DOTALL);

    private final Map<String, Object> settings;
    private final Map<String, Object> own;
    private final String prefix;

    private AdminSettingsCheck(Map<String, Object> settings, Map<String, Object> own, String prefix) {
        this.settings = settings;
        this.own = own;
        this.prefix = prefix;
    }

    /** Parses without the list of all values that the client logs when it is made. */
    private static final class Parsed extends AdminClientConfig {
        private Parsed(Map<?, ?> settings) {
            super(settings, false);
        }
    }

    /**
     * Checks settings.
     *
     * @param settings all that the client gets
     * @param own those of them that the operator gave for it, by their names without the prefix
     * @param prefix what the operator writes before these names
     * @throws ConfigException for the first that is wrong, saying what would be right
     */
    static void check(Map<String, Object> settings, Map<String, Object> own, String prefix) {
        new AdminSettingsCheck(settings, own, prefix).check();
    }

    private void check() {
        if (own.containsKey(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            checkAddresses();
        }
        ConfigDef definition = AdminClientConfig.configDef();
        own.keySet().stream()
                .sorted()
                .map(definition.configKeys()::get)
                .filter(key -> key != null)
                .forEach(this::checkValue);
        AdminClientConfig parsed = parsed();
        checkTimeouts(parsed);
        String protocol =
                parsed.getString(AdminClientConfig.SECURITY_PROTOCOL_CONFIG).toUpperCase(Locale.ROOT);
        Map<String, Object> values = new HashMap<>(parsed.originals());
        values.putAll(parsed.values());
        try {
            // What is only inherited is the broker's own, and the broker's to refuse.
            if (protocol.endsWith("SSL") && own.keySet().stream().anyMatch(key -> key.startsWith("ssl."))) {
                checkStores(values);
            }
            if (protocol.startsWith("SASL")) {
                checkLogin(values);
            }
        } catch (LinkageError elsewhere) {
            // A Kafka that has these classes in another place: its client says itself what it does not like.
        }
    }

    private void checkValue(ConfigDef.ConfigKey key) {
        String text = ConfigText.of(own.get(key.name));
        Object value;
        try {
            value = ConfigDef.parseType(key.name, text, key.type);
        } catch (ConfigException wrongType) {
            throw wrong(key, text, right(key, wrongType));
        }
        if (key.validator == null) {
            return;
        }
        try {
            key.validator.ensureValid(key.name, value);
        } catch (ConfigException refused) {
            String message = refused.getMessage();
            int reason = message.indexOf(key.name + ": ");
            throw wrong(key, text, reason < 0 ? message : message.substring(reason + key.name.length() + 2));
        }
    }

    private static String right(ConfigDef.ConfigKey key, ConfigException wrongType) {
        return switch (key.type) {
            case INT, LONG, SHORT ->
                "must be a whole number" + (key.validator instanceof ConfigDef.Range range ? ", " + range : "");
            case BOOLEAN -> "must be true or false";
            case CLASS -> "there is no such class on the broker's class path";
            default -> "must be of type " + key.type + ": " + Quoted.text(wrongType.getMessage());
        };
    }

    private ConfigException wrong(ConfigDef.ConfigKey key, String text, String right) {
        return key.type == ConfigDef.Type.PASSWORD
                ? new ConfigException("Invalid value for configuration " + prefix + key.name + ": " + right)
                : new ConfigException(prefix + key.name, Quoted.text(text), right);
    }

    private void checkAddresses() {
        String key = AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG;
        if (BootstrapAddresses.of(own.get(key)) == null) {
            throw new ConfigException(
                    prefix + key,
                    Quoted.text(ConfigText.of(own.get(key))),
                    "must be host:port, several separated by commas, for example broker1:9092,broker2:9092");
        }
    }

    private AdminClientConfig parsed() {
        try {
            return new Parsed(settings);
        } catch (KafkaException e) {
            throw new ConfigException("The Admin client that applies subscriptions does not take its settings ("
                    + prefix + "*, and of the inter-broker listener what these do not say): " + Causes.text(e));
        }
    }

    /** Kafka finds this only when it makes the client. */
    private void checkTimeouts(AdminClientConfig parsed) {
        int call = parsed.getInt(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG);
        int request = parsed.getInt(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG);
        if (call < request) {
            throw new ConfigException(
                    prefix + AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                    call,
                    "must be at least " + prefix + AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG + ", which is "
                            + request);
        }
    }

    private void checkStores(Map<String, Object> values) {
        if (values.get("ssl.engine.factory.class") != null) {
            // Its stores need not be files, and to make one may do anything.
            return;
        }
        for (String key : List.of("ssl.keystore.location", "ssl.truststore.location")) {
            if (own.containsKey(key)) {
                checkFile(key, ConfigText.of(own.get(key)));
            }
        }
        try (DefaultSslEngineFactory factory = new DefaultSslEngineFactory()) {
            factory.configure(values);
        } catch (RuntimeException e) {
            throw new ConfigException("The settings " + prefix + "ssl.* are wrong: " + Causes.text(e));
        }
    }

    private void checkFile(String key, String text) {
        Path file;
        try {
            file = Path.of(text);
        } catch (InvalidPathException e) {
            throw new ConfigException(prefix + key, Quoted.text(text), "must be a file's path: " + e.getReason());
        }
        if (!Files.exists(file)) {
            throw new ConfigException(prefix + key, Quoted.text(text), "there is no such file");
        }
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new ConfigException(prefix + key, Quoted.text(text), "must be a file that the broker may read");
        }
    }

    private void checkLogin(Map<String, Object> values) {
        JaasContext login;
        try {
            login = JaasContext.loadClientContext(values);
        } catch (RuntimeException e) {
            String reason = QUOTED.matcher(Causes.text(e)).replaceAll("'...'");
            throw own.containsKey(JAAS_CONFIG)
                    ? new ConfigException("Invalid value for configuration " + prefix + JAAS_CONFIG + ": " + reason
                            + "; " + JAAS_EXAMPLE)
                    : new ConfigException(prefix + JAAS_CONFIG
                            + " must be set: the JVM's login configuration does not serve the Admin client (" + reason
                            + "); " + JAAS_EXAMPLE);
        }
        if (values.get("sasl.login.class") != null) {
            // Whether it loads modules is its own affair.
            return;
        }
        for (AppConfigurationEntry entry : login.configurationEntries()) {
            checkModule(entry.getLoginModuleName());
        }
    }

    private void checkModule(String name) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            Class.forName(name, false, context == null ? AdminSettingsCheck.class.getClassLoader() : context);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new ConfigException("Invalid value for configuration " + prefix + JAAS_CONFIG + ": the login module "
                    + Quoted.text(name) + " cannot be loaded; " + JAAS_EXAMPLE);
        }
    }
}
