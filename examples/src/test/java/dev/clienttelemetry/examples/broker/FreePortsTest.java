/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreePortsTest {
    /** More than a block has. */
    private static final int PORTS = 150;

    private static final String DONE = "done";

    @TempDir
    private Path directory;

    @Test
    void noTwoProcessesGetOnePort() throws Exception {
        JavaProcess first = taker("first");
        JavaProcess second = taker("second");
        try {
            assertThat(first.awaitOutput(DONE, Duration.ofMinutes(2)))
                    .as(first.err())
                    .isTrue();
            assertThat(second.awaitOutput(DONE, Duration.ofMinutes(2)))
                    .as(second.err())
                    .isTrue();

            assertThat(Stream.of(first.out(), second.out())
                            .flatMap(String::lines)
                            .filter(line -> !line.equals(DONE)))
                    .hasSize(2 * PORTS)
                    .doesNotHaveDuplicates();
        } finally {
            first.kill();
            second.kill();
        }
    }

    private JavaProcess taker(String name) throws IOException {
        return JavaProcess.start(
                directory,
                name,
                List.of(JavaProcess.javaCommand(), "-cp", System.getProperty("java.class.path"), Taker.class.getName()),
                Map.of());
    }

    /** Takes ports and lives until it is killed. */
    static final class Taker {
        private Taker() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            for (int i = 0; i < PORTS; i++) {
                System.out.println(FreePorts.next());
            }
            System.out.println(DONE);
            Thread.currentThread().join();
        }
    }
}
