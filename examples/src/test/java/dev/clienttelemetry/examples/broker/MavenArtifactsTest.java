/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MavenArtifactsTest {
    @TempDir
    private Path kept;

    private String keptBefore;
    private String mavenBefore;

    @BeforeEach
    void setProperties() {
        keptBefore = System.getProperty(KafkaDistribution.DIRECTORY_PROPERTY);
        mavenBefore = System.getProperty(KafkaDistribution.MAVEN_PROPERTY);
        System.setProperty(KafkaDistribution.DIRECTORY_PROPERTY, kept.toString());
    }

    @AfterEach
    void restoreProperties() {
        restore(KafkaDistribution.DIRECTORY_PROPERTY, keptBefore);
        restore(KafkaDistribution.MAVEN_PROPERTY, mavenBefore);
    }

    @Test
    void whatCannotBeFetchedLeavesNothingOfItsNameBehind() {
        System.setProperty(KafkaDistribution.MAVEN_PROPERTY, "false");

        assertThatThrownBy(() -> MavenArtifacts.layOut("9.9.9", "<project/>", "Kafka 9.9.9", List.of(), artifact -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("Maven could not fetch Kafka 9.9.9");
        assertThat(kept.toFile().list()).noneMatch(file -> file.contains("9.9.9"));
    }

    private static void restore(String property, String value) {
        if (value == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, value);
        }
    }
}
