/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** The messages that are logged at WARN or ERROR while a test runs. */
public final class CapturedWarnings extends AbstractAppender implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final LoggerContext context = (LoggerContext) LogManager.getContext(false);

    /** Begins to capture. */
    public CapturedWarnings() {
        super("captured warnings", null, null, true, Property.EMPTY_ARRAY);
        start();
        context.getRootLogger().addAppender(this);
    }

    /** Returns them, as far as they have come. */
    public List<String> lines() {
        return lines;
    }

    @Override
    public void append(LogEvent event) {
        if (event.getLevel().isMoreSpecificThan(Level.WARN)) {
            lines.add(event.getMessage().getFormattedMessage());
        }
    }

    @Override
    public void close() {
        context.getRootLogger().removeAppender(this);
        stop();
    }
}
