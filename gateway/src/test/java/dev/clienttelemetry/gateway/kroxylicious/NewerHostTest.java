/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.kroxylicious;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The compiled filter on the newest Kroxylicious API on Maven Central, with the newest kafka-clients that it goes with,
 * and the protocol's rules on the newest of all. Later runtimes are not there to be run; this is what can be known of
 * them.
 */
class NewerHostTest {
    private static final Path NEWER_HOST = Path.of("target", "newer-host");
    private static final Path NEWEST_KAFKA = Path.of("target", "newest-kafka");

    @TempDir
    Path directory;

    @Test
    void theSameClassesServeANewerHost() throws Exception {
        try (URLClassLoader host = with(NEWER_HOST, 2)) {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(host);
            try {
                Object told = host.loadClass(NewerHostProbe.class.getName())
                        .getMethod("run", Path.class)
                        .invoke(null, directory);

                assertThat(told).isEqualTo(List.of("offered 2", "subscribed 0 [*]", "pushed 0 1", "answers true true"));
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }

    @Test
    void everyAnswerCanBeMadeWithTheNewestKafka() throws Exception {
        try (URLClassLoader kafka = with(NEWEST_KAFKA, 1)) {
            Object told = kafka.loadClass(NewerHostProbe.class.getName())
                    .getMethod("answers")
                    .invoke(null);

            assertThat(told).isEqualTo("answers true true");
        }
    }

    @Test
    void theFactoryImplementsTheNewerInterface() throws Exception {
        try (URLClassLoader host = with(NEWER_HOST, 2)) {
            Class<?> factory = host.loadClass(ClientTelemetryGateway.class.getName());
            Class<?> filter = host.loadClass(ClientTelemetryFilter.class.getName());
            for (Class<?> type : List.of(factory, filter)) {
                for (Class<?> implemented : type.getInterfaces()) {
                    for (var method : implemented.getMethods()) {
                        var found = type.getMethod(method.getName(), method.getParameterTypes());
                        assertThat(Modifier.isAbstract(found.getModifiers()))
                                .as(found.toString())
                                .isFalse();
                    }
                }
            }
            // Kroxylicious from 0.19 on calls five parameters; the interface's own would throw.
            for (String name : List.of("onRequest", "onResponse")) {
                assertThat(Stream.of(filter.getDeclaredMethods())
                                .filter(method -> method.getName().equals(name) && !method.isSynthetic())
                                .map(method -> method.getParameterCount()))
                        .containsExactlyInAnyOrder(4, 5);
            }
        }
    }

    /** This test's class path, with other jars for Kroxylicious' API and kafka-clients. */
    private static URLClassLoader with(Path newer, int jarCount) throws IOException {
        List<URL> urls = new ArrayList<>();
        try (Stream<Path> jars = Files.list(newer)) {
            for (Path jar : jars.toList()) {
                urls.add(jar.toUri().toURL());
            }
        }
        assertThat(urls).hasSize(jarCount);
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            String name = path.getFileName().toString();
            if (!name.startsWith("kroxylicious-api-") && !name.startsWith("kafka-clients-")) {
                urls.add(path.toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
