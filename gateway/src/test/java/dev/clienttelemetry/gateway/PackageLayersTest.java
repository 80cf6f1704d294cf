/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The host's types stay in the package that is named after it, and the protocol knows nothing of what is above it. */
class PackageLayersTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.clienttelemetry.gateway");

    @Test
    void onlyTheKroxyliciousPackageKnowsTheHost() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.clienttelemetry.gateway.kroxylicious")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.kroxylicious..", "io.micrometer..", "com.fasterxml..", "io.netty..")
                .check(CLASSES);
    }

    @Test
    void theProtocolKnowsNothingAboveIt() {
        noClasses()
                .that()
                .resideInAPackage("dev.clienttelemetry.gateway.protocol")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.clienttelemetry.gateway",
                        "dev.clienttelemetry.gateway.exporter",
                        "dev.clienttelemetry.gateway.kroxylicious",
                        "dev.clienttelemetry.reporter",
                        "dev.clienttelemetry.pipeline",
                        "dev.clienttelemetry.export",
                        "dev.clienttelemetry.otlp")
                .check(CLASSES);
    }

    @Test
    void nothingNeedsTheBrokersOwnClasses() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.yammer..", "kafka..", "org.apache.kafka.server.metrics..")
                .check(CLASSES);
    }
}
