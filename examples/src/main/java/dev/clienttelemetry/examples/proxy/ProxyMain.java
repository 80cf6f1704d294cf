/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.proxy;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Starts a proxy from a configuration file, as Kroxylicious' own application does, which is not on Maven Central. Knows
 * the runtime by name only, so that nothing of the examples depends on it.
 */
public final class ProxyMain {
    /** What the process writes once clients can connect. */
    public static final String STARTED = "The proxy has started";

    private static final String PACKAGE = "io.kroxylicious.proxy.";

    private ProxyMain() {}

    /**
     * Runs the proxy until the process is asked to end.
     *
     * @param arguments the configuration file
     * @throws Exception where the proxy does not start
     */
    public static void main(String[] arguments) throws Exception {
        Object parser =
                Class.forName(PACKAGE + "config.ConfigParser").getConstructor().newInstance();
        Object configuration;
        try (InputStream file = Files.newInputStream(Path.of(arguments[0]))) {
            configuration = parser.getClass()
                    .getMethod("parseConfiguration", InputStream.class)
                    .invoke(parser, file);
        }
        Class<?> features = Class.forName(PACKAGE + "internal.config.Features");
        Class<?> proxyClass = Class.forName(PACKAGE + "KafkaProxy");
        AutoCloseable proxy = (AutoCloseable) proxyClass
                .getConstructor(
                        Class.forName(PACKAGE + "config.PluginFactoryRegistry"), configuration.getClass(), features)
                .newInstance(
                        parser,
                        configuration,
                        features.getMethod("defaultFeatures").invoke(null));
        proxyClass.getMethod("startup").invoke(proxy);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            try {
                                proxy.close();
                            } catch (Exception e) {
                                e.printStackTrace();
                            }
                        },
                        "proxy-shutdown"));
        System.out.println(STARTED);
        proxyClass.getMethod("block").invoke(proxy);
    }
}
