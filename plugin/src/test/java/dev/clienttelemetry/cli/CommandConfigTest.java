/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CommandConfigTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    @TempDir
    private Path dir;

    /** As a shell's {@code <(...)} is one: it can be read once, and says that it ends by being closed. */
    @Test
    void readsAPipeToItsEnd() throws Exception {
        Path pipe = pipe();
        CompletableFuture<Map<String, String>> read =
                CompletableFuture.supplyAsync(() -> new CommandConfig(pipe, LONG).read());
        try (OutputStream out = Files.newOutputStream(pipe)) {
            out.write("security.protocol=".getBytes(StandardCharsets.UTF_8));
            out.flush();
            assertThat(read).isNotDone();
            out.write("SSL\nssl.protocol=TLSv1.3".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(read.get()).isEqualTo(Map.of("security.protocol", "SSL", "ssl.protocol", "TLSv1.3"));
    }

    @Test
    void waitsForAPipeNoLongerThanItsPatience() throws Exception {
        Path pipe = pipe();
        assertThatThrownBy(() -> new CommandConfig(pipe, Duration.ofMillis(100)).read())
                .isInstanceOf(SettingsException.class)
                .hasMessage("--command-config " + pipe
                        + " is no regular file, and did not end within 100 ms; what writes" + " to it must close it");
        // Lets the thread end that waits for somebody who writes.
        Files.newOutputStream(pipe).close();
    }

    @Test
    void readsNoMoreThanItsBoundOfWhatNeverEnds() {
        assertThatThrownBy(() -> new CommandConfig(Path.of("/dev/zero"), LONG).read())
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/dev/zero has more than 1048576 bytes");
        assertThat(new CommandConfig(Path.of("/dev/null"), LONG).read()).isEmpty();
    }

    private Path pipe() throws Exception {
        Path pipe = dir.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }
}
