/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

class PackagedJarIT {
    private static final Path JAR = Path.of(System.getProperty("gateway.jar"));

    @Test
    void theJarHoldsThePluginAndTheFilterAndNothingOfTheHosts() throws Exception {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            List<String> classes = jar.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .collect(Collectors.toList());

            assertThat(classes)
                    .contains(
                            "dev/clienttelemetry/gateway/kroxylicious/ClientTelemetryGateway.class",
                            "dev/clienttelemetry/reporter/ClientTelemetryReceiverReporter.class",
                            "dev/clienttelemetry/shaded/okhttp3/OkHttpClient.class")
                    .allSatisfy(name -> assertThat(name).startsWith("dev/clienttelemetry/"));
            assertThat(jar.stream().map(ZipEntry::getName)).contains("META-INF/LICENSE", "META-INF/NOTICE");
            ZipEntry service = jar.getEntry("META-INF/services/io.kroxylicious.proxy.filter.FilterFactory");
            assertThat(new String(jar.getInputStream(service).readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualToIgnoringNewLines("dev.clienttelemetry.gateway.kroxylicious.ClientTelemetryGateway");
            assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
                    .isNotBlank();
        }
    }
}
