/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** What is logged under the plugin's name while a test runs, one text per event: level, message, cause. */
public final class CapturedLog implements AutoCloseable {
    private static final String PLUGIN = "dev.clienttelemetry";

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
    private final Appender appender = new Appender();

    /** Begins to capture. */
    public CapturedLog() {
        appender.start();
        Configuration configuration = context.getConfiguration();
        LoggerConfig logger = new LoggerConfig(PLUGIN, Level.INFO, true);
        logger.addAppender(appender, Level.INFO, null);
        configuration.addLogger(PLUGIN, logger);
        context.updateLoggers();
    }

    /** Returns everything so far. */
    public List<String> lines() {
        return lines;
    }

    /** Returns everything so far that contains a text. */
    public List<String> lines(String containing) {
        return lines.stream().filter(line -> line.contains(containing)).toList();
    }

    @Override
    public void close() {
        context.getConfiguration().removeLogger(PLUGIN);
        context.updateLoggers();
        appender.stop();
    }

    private final class Appender extends AbstractAppender {
        Appender() {
            super("captured", null, null, true, Property.EMPTY_ARRAY);
        }

        @Override
        public void append(LogEvent event) {
            Throwable cause = event.getThrown();
            lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage()
                    + (cause == null ? "" : " " + cause));
        }
    }
}
