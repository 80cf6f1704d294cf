/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;

/** The page that documents the keys says of each what the code says, and documents no other. */
class ConfigurationPageTest {
    private static final Path PAGE = Path.of("..", "src", "site", "markdown", "configuration.md");

    @Test
    void theTableIsThatOfTheDefinition() throws IOException {
        List<String> documented = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `client.telemetry."))
                .toList();
        List<String> defined = ClientTelemetryConfig.definition().configKeys().values().stream()
                .map(ConfigurationPageTest::row)
                .toList();

        assertThat(documented).containsExactlyInAnyOrderElementsOf(defined);
    }

    private static String row(ConfigDef.ConfigKey key) {
        return "| `" + key.name + "` | " + shown(key.defaultValue) + " | " + key.validator + " | " + key.documentation
                + " |";
    }

    private static String shown(Object value) {
        if (value == null) {
            return "none";
        }
        Object text = value instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(", "))
                : value;
        return "`" + text + "`";
    }
}
