/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PackagedJarIT {
    private static final String SHADED = "dev.clienttelemetry.shaded.";

    private static JarFile jar;

    @BeforeAll
    static void open() throws IOException {
        jar = new JarFile(BrokerWithPlugin.pluginJar().toFile());
    }

    @AfterAll
    static void close() throws IOException {
        jar.close();
    }

    @Test
    void holdsNoClassOutsideItsOwnPackages() {
        assertThat(names(".class"))
                .isNotEmpty()
                .allMatch(name -> name.startsWith("dev/clienttelemetry/"))
                .noneMatch(name -> name.endsWith("module-info.class"));
        assertThat(names(""))
                .allMatch(name -> name.startsWith("dev/")
                        || name.matches("META-INF/(MANIFEST\\.MF|LICENSE|NOTICE|services/.*)?"));
    }

    @Test
    void holdsNothingThatTheBrokerBrings() {
        assertThat(names(".class"))
                .noneMatch(name -> name.contains("/org/apache/kafka/")
                        || name.contains("/slf4j/")
                        || name.contains("/yammer/")
                        || name.contains("/examples/"));
    }

    @Test
    void holdsItsLicenceAndNamesAllThatItBundles() throws Exception {
        assertThat(text("META-INF/LICENSE")).contains("Apache License").contains("Version 2.0");
        assertThat(text("META-INF/NOTICE"))
                .contains("OpenTelemetry Java " + versionOf(OpenTelemetry.class))
                .contains("OkHttp " + versionOf(okhttp3.OkHttpClient.class))
                .contains("Okio " + versionOf(okio.Buffer.class))
                .contains("Kotlin Standard Library " + versionOf(kotlin.Unit.class))
                .contains("picocli " + versionOf(picocli.CommandLine.class))
                .contains("SnakeYAML Engine " + versionOf(org.snakeyaml.engine.v2.api.Load.class));
        assertThat(bundledPackages())
                .as("bundled packages, each of a work that NOTICE names")
                .containsExactlyInAnyOrder("io.opentelemetry", "kotlin", "okhttp3", "okio", "org.snakeyaml", "picocli");
    }

    @Test
    void saysItsVersion() throws Exception {
        String version = jar.getManifest().getMainAttributes().getValue("Implementation-Version");

        assertThat(jar.getName()).endsWith("kafka-client-telemetry-" + version + ".jar");
    }

    @Test
    void findsEveryServiceItNames() throws Exception {
        List<String> services = names("").stream()
                .filter(name -> name.matches("META-INF/services/.+"))
                .toList();
        assertThat(services)
                .contains("META-INF/services/" + SHADED
                        + "io.opentelemetry.sdk.autoconfigure.spi.metrics.ConfigurableMetricExporterProvider");
        try (URLClassLoader loader = brokerLoader()) {
            for (String file : services) {
                Class<?> service = loader.loadClass(file.substring("META-INF/services/".length()));
                List<String> providers =
                        text(file).lines().filter(line -> !line.isBlank()).toList();
                assertThat(providers).as(file).isNotEmpty();
                for (String provider : providers) {
                    assertThat(loader.loadClass(provider)
                                    .getDeclaredConstructor()
                                    .newInstance())
                            .isInstanceOf(service);
                }
            }
        }
    }

    @Test
    void linksWithNothingButWhatABrokerHas() throws Exception {
        try (URLClassLoader loader = brokerLoader()) {
            for (String name : names(".class")) {
                if (!name.startsWith("dev/clienttelemetry/shaded/")) {
                    Class<?> loaded = Class.forName(className(name), true, loader);
                    assertThat(loaded.getDeclaredMethods()).as(name).isNotNull();
                    assertThat(loaded.getClassLoader()).isSameAs(loader);
                }
            }
            for (String reporter : List.of(BrokerWithPlugin.REPORTER, BrokerWithPlugin.RECEIVER_REPORTER)) {
                assertThat(loader.loadClass(reporter).getDeclaredConstructor().newInstance())
                        .isNotNull();
            }
        }
    }

    /**
     * Shade changes every string that begins like a package it renames. That is right for the names of classes and of
     * properties, and wrong for what goes over the wire.
     */
    @Test
    void renamesNoStringButNamesOfClassesAndProperties() throws Exception {
        Set<String> renamed = new TreeSet<>();
        Set<String> kept = new TreeSet<>();
        for (String name : names(".class")) {
            if (name.startsWith("dev/clienttelemetry/shaded/kotlin/")
                    || name.startsWith("dev/clienttelemetry/shaded/picocli/")) {
                // Of these, no string reaches the wire.
                continue;
            }
            for (String text : strings(name)) {
                if (text.startsWith(SHADED) && jar.getEntry(text.replace('.', '/') + ".class") == null) {
                    renamed.add(text.substring(SHADED.length()));
                } else if (text.startsWith("io.opentelemetry.")) {
                    kept.add(text);
                }
            }
        }

        assertThat(renamed)
                .as("renamed strings that name no class of the jar; is the new one a name on the wire?")
                .containsExactlyInAnyOrder(
                        // Classes that are looked for and may be missing.
                        "io.opentelemetry.api.incubator.ExtendedOpenTelemetry",
                        "io.opentelemetry.api.incubator.internal.ObfuscatedExtendedOpenTelemetry",
                        "io.opentelemetry.api.incubator.logs.ExtendedDefaultLoggerProvider",
                        "io.opentelemetry.api.incubator.metrics.ExtendedDefaultMeterProvider",
                        "io.opentelemetry.api.incubator.trace.ExtendedDefaultTracerProvider",
                        "io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk",
                        "io.opentelemetry.sdk.testing.context.SettableContextStorageProvider",
                        // Prefixes of classes in stack traces and of threads.
                        "io.opentelemetry.api.",
                        "io.opentelemetry.context.",
                        "okhttp3.",
                        // A logger and system properties: those of an agent in the same JVM are not meant for us.
                        "io.opentelemetry.usage",
                        "io.opentelemetry.context.contextStorageProvider",
                        "io.opentelemetry.context.contextStorageProvider property set but no matching class could be"
                                + " found, requested: ",
                        "io.opentelemetry.context.enableStrictContext");
        assertThat(kept)
                .containsExactlyInAnyOrder(
                        "io.opentelemetry.exporters.",
                        "io.opentelemetry.sdk.logs",
                        "io.opentelemetry.sdk.metrics",
                        "io.opentelemetry.sdk.trace");
    }

    private static List<String> names(String suffix) {
        return jar.stream()
                .map(JarEntry::getName)
                .filter(name -> name.endsWith(suffix))
                .toList();
    }

    private static Set<String> bundledPackages() {
        Set<String> packages = new TreeSet<>();
        Pattern first = Pattern.compile("dev/clienttelemetry/shaded/((?:(?:io|org|com|net|dev)/)?[^/]+)/.*");
        for (String name : names(".class")) {
            Matcher matcher = first.matcher(name);
            if (matcher.matches()) {
                packages.add(matcher.group(1).replace('/', '.'));
            }
        }
        return packages;
    }

    private static List<String> strings(String entry) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getEntry(entry))) {
            return ClassFileStrings.read(in);
        }
    }

    private static String text(String entry) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getEntry(entry))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String className(String entry) {
        return entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
    }

    /** The version in the name of the jar that a class of the tests' own class path comes from. */
    private static String versionOf(Class<?> bundled) throws URISyntaxException {
        String file = new File(bundled.getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .getName();
        Matcher version = Pattern.compile(".+?-(\\d.*)\\.jar").matcher(file);
        assertThat(version.matches()).as(file).isTrue();
        return version.group(1);
    }

    /** A class loader with the packaged jar, Kafka with its codecs and SLF4J, and nothing else but the JDK. */
    private static URLClassLoader brokerLoader() throws Exception {
        List<URL> path = new ArrayList<>();
        path.add(Path.of(jar.getName()).toUri().toURL());
        for (String broker : List.of(
                "org.apache.kafka.common.metrics.MetricsReporter",
                "org.apache.kafka.server.metrics.KafkaYammerMetrics",
                "com.yammer.metrics.core.MetricsRegistry",
                "com.github.luben.zstd.Zstd",
                "net.jpountz.lz4.LZ4Factory",
                "org.xerial.snappy.Snappy",
                "org.slf4j.Logger")) {
            path.add(Class.forName(broker).getProtectionDomain().getCodeSource().getLocation());
        }
        return new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
