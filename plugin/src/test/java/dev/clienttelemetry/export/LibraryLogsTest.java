/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import okhttp3.OkHttpClient;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.junit.jupiter.api.Test;

/** What the bundled libraries log by java.util.logging. */
@SuppressWarnings("try")
class LibraryLogsTest {
    private final SetClock clock = new SetClock();
    private final Logger okhttp = Logger.getLogger(OkHttpClient.class.getName());
    private final Logger openTelemetry = Logger.getLogger("io.opentelemetry.exporter.otlp.internal.OtlpConfigUtil");

    @Test
    void recordsGoToSlf4jAndNotToStderr() throws IOException {
        String[] lines = new String[1];
        String stderr = stderrOf(() -> lines[0] = slf4jOf(() -> {
            try (LibraryLogs logs = LibraryLogs.install(clock)) {
                openTelemetry.log(Level.WARNING, "first {0}\nsecond", "line");
                okhttp.log(Level.SEVERE, "broken", new IOException("why\u001b"));
            }
        }));

        assertThat(lines[0].lines())
                .containsExactly("WARN first line second", "WARN broken (java.io.IOException: why\\u001b)");
        assertThat(stderr).isEmpty();
    }

    @Test
    void theSameIsToldOnceAMinuteWithACount() {
        String lines = slf4jOf(() -> {
            try (LibraryLogs logs = LibraryLogs.install(clock)) {
                for (int i = 0; i < 100; i++) {
                    okhttp.warning("again");
                }
                clock.advanceMillis(60_000);
                okhttp.warning("again");
            }
        });

        assertThat(lines.lines())
                .containsExactly("WARN again", "WARN again (99 more like this since the last such line)");
    }

    @Test
    void withSeveralPluginsOneSpeaksAndTheLastGivesTheLoggersBack() {
        LibraryLogs first = LibraryLogs.install(clock);
        LibraryLogs second = LibraryLogs.install(clock);
        Logger root = Logger.getLogger("okhttp3");

        assertThat(slf4jOf(() -> okhttp.warning("one")).lines()).hasSize(1);
        first.close();
        assertThat(root.getUseParentHandlers()).isFalse();
        assertThat(slf4jOf(() -> okhttp.warning("two")).lines()).hasSize(1);
        second.close();
        second.close();

        assertThat(root.getUseParentHandlers()).isTrue();
        assertThat(root.getHandlers()).isEmpty();
    }

    private static String slf4jOf(Runnable action) {
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        StringBuilder all = new StringBuilder();
        for (String name : new String[] {"okhttp3", "io.opentelemetry"}) {
            context.getConfiguration()
                    .addLogger(name, new LoggerConfig(name, org.apache.logging.log4j.Level.INFO, false));
        }
        CapturedLibraries appender = new CapturedLibraries(all);
        appender.start();
        for (String name : new String[] {"okhttp3", "io.opentelemetry"}) {
            context.getConfiguration().getLoggerConfig(name).addAppender(appender, null, null);
        }
        context.updateLoggers();
        try {
            action.run();
        } finally {
            for (String name : new String[] {"okhttp3", "io.opentelemetry"}) {
                context.getConfiguration().removeLogger(name);
            }
            context.updateLoggers();
        }
        return all.toString();
    }

    private static String stderrOf(Runnable action) {
        PrintStream before = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
        return captured.toString(StandardCharsets.UTF_8);
    }

    /** One line for each event. */
    private static final class CapturedLibraries extends org.apache.logging.log4j.core.appender.AbstractAppender {
        private final StringBuilder all;

        private CapturedLibraries(StringBuilder all) {
            super("libraries", null, null, true, org.apache.logging.log4j.core.config.Property.EMPTY_ARRAY);
            this.all = all;
        }

        @Override
        public void append(org.apache.logging.log4j.core.LogEvent event) {
            all.append(event.getLevel())
                    .append(' ')
                    .append(event.getMessage().getFormattedMessage())
                    .append('\n');
        }
    }
}
