/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.pipeline.CapturedLog;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginJarsTest {
    @TempDir
    private Path dir;

    @Test
    void twoJarsOfThePluginAreWarnedOfWithTheOneInForceFirst() throws Exception {
        URL old = jar("kafka-client-telemetry-0.1.0.jar", "BrokerReporter");
        URL other = jar("other.jar", "Other");
        URL present = jar("kafka-client-telemetry-0.2.0.jar", "BrokerReporter");

        try (URLClassLoader loader = new URLClassLoader(new URL[] {old, other, present}, null);
                CapturedLog log = new CapturedLog()) {
            BrokerReporter.warnOfJars(loader);

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .contains(old + ", " + present)
                    .doesNotContain("other.jar");
        }
    }

    @Test
    void oneIsRight() throws Exception {
        URL present = jar("kafka-client-telemetry-0.2.0.jar", "BrokerReporter");
        try (URLClassLoader twice = new URLClassLoader(new URL[] {present, present}, null);
                CapturedLog log = new CapturedLog()) {
            BrokerReporter.warnOfJars(twice);
            BrokerReporter.warnOfJars(getClass().getClassLoader());
            assertThat(log.lines()).isEmpty();
        }
    }

    private URL jar(String name, String simpleName) throws Exception {
        Path jar = dir.resolve(name);
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            entries.putNextEntry(new JarEntry("dev/clienttelemetry/reporter/" + simpleName + ".class"));
        }
        return jar.toUri().toURL();
    }
}
