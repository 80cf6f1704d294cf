/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What ARCHITECTURE.md says of the packages. */
class LayersTest {
    private static final String ROOT = "dev.clienttelemetry";

    /** Each may use only those after it. */
    private static final List<String> LAYERS = List.of(
            "reporter",
            "pipeline",
            "cli",
            "subscription",
            "otlp",
            "export",
            "instance",
            "metrics",
            "compression",
            "message");

    private static final JavaClasses PLUGIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(LAYERS.stream().map(LayersTest::within).toArray(String[]::new));

    static Stream<String> eachLayerUsesOnlyThoseBelow() {
        return LAYERS.stream();
    }

    @ParameterizedTest
    @MethodSource
    void eachLayerUsesOnlyThoseBelow(String layer) {
        List<String> allowed = new ArrayList<>(LAYERS.subList(LAYERS.indexOf(layer), LAYERS.size()));
        if (layer.equals("otlp")) {
            allowed.remove("export");
        }
        String[] packages = allowed.stream().map(LayersTest::within).toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(within(layer))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(packages).or(not(resideInAPackage(ROOT + ".."))))
                .check(PLUGIN);
    }

    @Test
    void everyClassIsInALayerAndEveryLayerHasClasses() {
        assertThat(PLUGIN).allSatisfy(type -> assertThat(LAYERS)
                .contains(type.getPackageName().substring(ROOT.length() + 1)));
        assertThat(IntStream.range(0, LAYERS.size()).mapToObj(LAYERS::get).filter(layer -> PLUGIN.stream()
                        .noneMatch(type -> type.getPackageName().equals(ROOT + "." + layer))))
                .isEmpty();
    }

    @Test
    void thereAreNoCycles() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(PLUGIN);
    }

    @Test
    void onlyExportAndMetricsKnowOpenTelemetryAndOnlyExportItsTransport() {
        noClasses()
                .that()
                .resideOutsideOfPackages(within("export"), within("metrics"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.opentelemetry..")
                .check(PLUGIN);
        noClasses()
                .that()
                .resideOutsideOfPackage(within("export"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("okhttp3..", "okio..", "kotlin..")
                .check(PLUGIN);
    }

    @Test
    void thePayloadAndTheInstancesKnowNothingOfKafka() {
        noClasses()
                .that()
                .resideInAnyPackage(within("otlp"), within("instance"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.kafka..")
                .check(PLUGIN);
    }

    /** Kafka before 4.2 does not have KIP-1217's types, and some later one will not have KIP-714's. */
    @Test
    void eachReportersInterfaceIsKnownToItAlone() {
        String reporter = ROOT + ".reporter.ClientTelemetryReporter";
        String receiver = ROOT + ".reporter.ClientTelemetryReceiverReporter";
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(reporter)
                .should()
                .dependOnClassesThat()
                .haveNameMatching("org\\.apache\\.kafka\\.server\\.telemetry\\.ClientTelemetry(Exporter.*|Context)")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName(reporter)
                .check(PLUGIN);
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(receiver)
                .should()
                .dependOnClassesThat()
                .haveNameMatching("org\\.apache\\.kafka\\.server\\.telemetry\\.ClientTelemetry(Receiver)?")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName(receiver)
                .check(PLUGIN);
    }

    private static String within(String layer) {
        return ROOT + "." + layer;
    }
}
