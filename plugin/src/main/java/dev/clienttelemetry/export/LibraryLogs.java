/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.internal.GrpcExporter;
import io.opentelemetry.exporter.otlp.internal.HttpExporter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import okhttp3.OkHttpClient;
import okio.Okio;
import org.slf4j.LoggerFactory;

/**
 * Sends what the bundled libraries log by java.util.logging, which a broker prints to stderr with stack traces, to SLF4J:
 * one line each, and the same one at most once a minute. The exporter's own failures go to DEBUG, since {@link
 * Reachability} tells of them.
 *
 * <p>Packages are named by their classes: relocation changes both. Several of these at once, from plugins that come and
 * go, do not disturb each other: one of those on a logger speaks, and the last one to leave gives the logger back.
 */
final class LibraryLogs implements AutoCloseable {
    private static final int MAX_KIND_LENGTH = 80;

    private final Route route;
    /** Held strongly: java.util.logging forgets loggers, with their handlers, that nobody refers to. */
    private final List<Logger> routed = new ArrayList<>();

    private LibraryLogs(Route route) {
        this.route = route;
    }

    /** Routes the records until {@link #close}. */
    static LibraryLogs install(LongSupplier nanoClock) {
        LibraryLogs logs = new LibraryLogs(new Route(nanoClock));
        logs.route(parent(ComponentLoader.class.getPackageName()));
        logs.route(OkHttpClient.class.getPackageName());
        logs.route(Okio.class.getPackageName());
        return logs;
    }

    private static String parent(String packageName) {
        return packageName.substring(0, packageName.lastIndexOf('.'));
    }

    private void route(String name) {
        Logger logger = Logger.getLogger(name);
        synchronized (logger) {
            logger.addHandler(route);
            logger.setUseParentHandlers(false);
        }
        routed.add(logger);
    }

    /** Gives the loggers back. Repeatable. */
    @Override
    public void close() {
        for (Logger logger : routed) {
            synchronized (logger) {
                logger.removeHandler(route);
                if (speaker(logger) == null) {
                    logger.setUseParentHandlers(true);
                }
            }
        }
        routed.clear();
    }

    private static Handler speaker(Logger logger) {
        for (Handler handler : logger.getHandlers()) {
            if (handler instanceof Route) {
                return handler;
            }
        }
        return null;
    }

    private static final class Route extends Handler {
        private final Formatter formatter = new SimpleFormatter();
        private final Notices limit;

        private Route(LongSupplier nanoClock) {
            this.limit = new Notices(LoggerFactory.getLogger(LibraryLogs.class), nanoClock);
        }

        @Override
        public void publish(LogRecord logged) {
            if (logged == null || !isLoggable(logged) || !speaks(logged)) {
                return;
            }
            String logger = String.valueOf(logged.getLoggerName());
            String message = Quoted.line(formatter.formatMessage(logged));
            Throwable thrown = logged.getThrown();
            String line = thrown == null ? message : message + " (" + Quoted.line(thrown.toString()) + ")";
            org.slf4j.Logger target = LoggerFactory.getLogger(logger);
            boolean told = logger.equals(HttpExporter.class.getName()) || logger.equals(GrpcExporter.class.getName());
            if (told || logged.getLevel().intValue() < Level.INFO.intValue()) {
                target.debug("{}", line);
                return;
            }
            String kind = logger + message.substring(0, Math.min(MAX_KIND_LENGTH, message.length()));
            String admitted = limit.admitted(kind, line);
            if (admitted == null) {
                return;
            }
            if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
                target.warn("{}", admitted);
            } else {
                target.info("{}", admitted);
            }
        }

        /** With several plugins in one process only one repeats what the shared loggers say. */
        private boolean speaks(LogRecord logged) {
            Logger logger = Logger.getLogger(String.valueOf(logged.getLoggerName()));
            for (Logger at = logger; at != null; at = at.getParent()) {
                Handler speaker = speaker(at);
                if (speaker != null) {
                    return speaker == this;
                }
            }
            return true;
        }

        @Override
        public void flush() {
            // SLF4J's business.
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
