/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.examples.broker.JavaProcess;
import dev.clienttelemetry.examples.broker.KafkaDistribution;
import dev.clienttelemetry.examples.quickstart.GatewayQuickstart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code examples/gateway/run.sh} runs, with the files beside it and the packaged jar. */
class ExampleIT {
    @Test
    void theExampleSeesTheMetricsOfBothClients(@TempDir Path directory) throws Exception {
        List<String> command = new ArrayList<>(List.of(JavaProcess.javaCommand(), "-Xmx256m"));
        String distributions = System.getProperty(KafkaDistribution.DIRECTORY_PROPERTY);
        if (distributions != null) {
            command.add("-D" + KafkaDistribution.DIRECTORY_PROPERTY + "=" + distributions);
        }
        command.addAll(List.of(
                "-Dquickstart.gateway.jar=" + Path.of(System.getProperty("gateway.jar")),
                "-Dquickstart.gateway.directory="
                        + Path.of("..", "examples", "gateway").toAbsolutePath(),
                "-cp",
                System.getProperty("java.class.path"),
                GatewayQuickstart.class.getName(),
                "--duration",
                "15s"));
        JavaProcess example = JavaProcess.start(directory, "example", command, Map.of());
        try {
            boolean finished = example.awaitOutput("received ", Duration.ofMinutes(5));

            assertThat(finished).as(example.out() + example.err()).isTrue();
            assertThat(example.out()).contains("from 2 client instances");
        } finally {
            example.stop(Duration.ofSeconds(30));
            example.kill();
        }
    }
}
