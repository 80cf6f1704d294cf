/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A host with Kafka's clients but without the broker's own libraries, as a gateway is. */
class OtherHostTest {
    private static final String REPORTER = "dev.clienttelemetry.reporter.ClientTelemetryReceiverReporter";
    private static final String JMX = "dev.clienttelemetry.metrics.JmxExposition";
    private static final String OPEN_TELEMETRY = "dev.clienttelemetry.metrics.OpenTelemetryExposition";

    private static final class Host extends URLClassLoader {
        Host(URL[] classPath) {
            super(classPath, ClassLoader.getPlatformClassLoader());
        }

        boolean hasLoaded(String className) {
            return findLoadedClass(className) != null;
        }
    }

    @Test
    void thePipelineRunsAndNothingThatNeedsABrokerIsLoaded() throws Exception {
        try (Host host = new Host(classPathWithout("kafka-server-common", "metrics-core"))) {
            Class<?> type = host.loadClass(REPORTER);
            Object reporter = type.getConstructor().newInstance();
            Class<?> kafkas = host.loadClass("org.apache.kafka.common.metrics.MetricsReporter");
            kafkas.getMethod("configure", Map.class)
                    .invoke(reporter, Map.of("otel.exporter.otlp.endpoint", "http://127.0.0.1:1"));
            try {
                type.getMethod("clientReceiver").invoke(reporter);

                assertThat(host.hasLoaded(OPEN_TELEMETRY)).isTrue();
                assertThat(host.hasLoaded(JMX)).isFalse();
            } finally {
                kafkas.getMethod("close").invoke(reporter);
            }
        }
    }

    private static URL[] classPathWithout(String... jars) throws MalformedURLException {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(entry).getFileName().toString();
            if (List.of(jars).stream().noneMatch(jar -> name.startsWith(jar + "-"))) {
                classPath.add(Path.of(entry).toUri().toURL());
            }
        }
        return classPath.toArray(new URL[0]);
    }
}
