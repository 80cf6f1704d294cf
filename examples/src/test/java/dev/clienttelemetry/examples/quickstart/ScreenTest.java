/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    @Test
    void refreshesInPlaceOnATerminal() {
        Screen screen = screen(true);

        screen.refresh(List.of("one", "two"));
        screen.refresh(List.of("three"));

        assertThat(text()).isEqualTo("one\ntwo\n\u001b[2A\u001b[Jthree\n");
    }

    @Test
    void keepsWhatWasSaidBeforeARefresh() {
        Screen screen = screen(true);

        screen.refresh(List.of("one"));
        screen.say("stays");
        screen.refresh(List.of("two"));

        assertThat(text()).isEqualTo("one\nstays\ntwo\n");
    }

    @Test
    void appendsWithoutControlSequencesElsewhere() {
        Screen screen = screen(false);

        screen.progress("1 downloaded");
        screen.refresh(List.of("one"));
        screen.refresh(List.of("two"));

        assertThat(text()).isEqualTo("one\ntwo\n");
    }

    private Screen screen(boolean terminal) {
        return new Screen(new PrintStream(written, true, StandardCharsets.UTF_8), terminal, 80);
    }

    private String text() {
        return written.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }
}
