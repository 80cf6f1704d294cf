/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;

/** Makes an instance of our own of a provider that the broker's {@code config.providers} names. */
public final class NamedConfigProvider {
    /** Kafka's list of provider names. */
    public static final String CONFIG_PROVIDERS = "config.providers";
    /** The system property by which an operator restricts the provider classes that Kafka instantiates. */
    static final String ALLOWED_CLASSES_PROPERTY = "org.apache.kafka.automatic.config.providers";

    private NamedConfigProvider() {}

    /**
     * Makes and configures a provider. Reads the same keys as the broker: {@code config.providers},
     * {@code config.providers.<name>.class} and {@code config.providers.<name>.param.*}, and obeys the system property
     * {@value #ALLOWED_CLASSES_PROPERTY}.
     *
     * @param key the key by which the provider was chosen, for messages
     * @param name the provider's name
     * @param configs the broker's configs
     * @return the configured provider, which the caller closes
     * @throws ConfigException if the name is not known, the class is not allowed, cannot be made or refuses its parameters
     */
    public static ConfigProvider create(String key, String name, Map<String, ?> configs) {
        List<String> names = ConfigText.list(configs.get(CONFIG_PROVIDERS));
        if (!names.contains(name)) {
            throw new ConfigException(
                    key,
                    name,
                    names.isEmpty()
                            ? "It must be a name in " + CONFIG_PROVIDERS + ", which is not set."
                            : "It must be one of " + CONFIG_PROVIDERS + ": " + String.join(", ", names) + ".");
        }
        String classKey = CONFIG_PROVIDERS + "." + name + ".class";
        Object className = configs.get(classKey);
        if (className == null) {
            throw new ConfigException(key, name, "The provider's class must be set: " + classKey + ".");
        }
        Class<?> providerClass = providerClass(classKey, className);
        requireAllowed(providerClass.getName());
        ConfigProvider provider;
        try {
            provider = providerClass
                    .asSubclass(ConfigProvider.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (Throwable e) {
            // A class or a constructor that needs a library which is not there throws an Error.
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            throw failure(classKey, providerClass, "It cannot be made: ", cause);
        }
        try {
            provider.configure(params(CONFIG_PROVIDERS + "." + name + ".param.", configs));
            return provider;
        } catch (Throwable e) {
            try {
                provider.close();
            } catch (Throwable suppressed) {
                if (e != suppressed) {
                    e.addSuppressed(suppressed);
                }
            }
            if (e instanceof ConfigException refusal) {
                throw refusal;
            }
            throw failure(classKey, providerClass, "It cannot be configured: ", e);
        }
    }

    private static ConfigException failure(String key, Class<?> provider, String what, Throwable cause) {
        Thrown.unlessOfTheJvm(cause);
        ConfigException failure = new ConfigException(key, provider.getName(), what + Thrown.text(cause));
        failure.initCause(cause);
        return failure;
    }

    private static Class<?> providerClass(String classKey, Object className) {
        if (className instanceof Class<?> known) {
            return known;
        }
        String name = className.toString().trim();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            return Class.forName(name, true, context == null ? NamedConfigProvider.class.getClassLoader() : context);
        } catch (Throwable e) {
            Thrown.unlessOfTheJvm(e);
            throw new ConfigException(classKey, name, "The class cannot be loaded: " + Thrown.text(e));
        }
    }

    private static void requireAllowed(String className) {
        String allowed = System.getProperty(ALLOWED_CLASSES_PROPERTY);
        if (allowed == null) {
            return;
        }
        if (Arrays.stream(allowed.split(",")).map(String::trim).noneMatch(className::equals)) {
            throw new ConfigException(className + " is not allowed. The system property '" + ALLOWED_CLASSES_PROPERTY
                    + "' must name it.");
        }
    }

    private static Map<String, Object> params(String prefix, Map<String, ?> configs) {
        Map<String, Object> params = new HashMap<>();
        configs.forEach((configKey, value) -> {
            if (configKey.startsWith(prefix)) {
                params.put(configKey.substring(prefix.length()), value);
            }
        });
        return params;
    }
}
