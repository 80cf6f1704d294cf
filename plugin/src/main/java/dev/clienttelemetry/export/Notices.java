/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Warnings that may come in floods: each kind at most once a minute, then with the number that was held back. A log that
 * fails is no reason for what it tells of to fail too: what it throws is swallowed, as there is nowhere to say it.
 * Thread-safe.
 */
final class Notices {
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_KINDS = 64;

    private final Logger log;
    private final LongSupplier nanoClock;
    private final Map<String, Kind> kinds = new HashMap<>();

    private static final class Kind {
        private long lastNanos;
        private long heldBack;
    }

    Notices(Logger log, LongSupplier nanoClock) {
        this.log = log;
        this.nanoClock = nanoClock;
    }

    /**
     * Logs a warning, unless one of its kind was logged within the last minute.
     *
     * @param kind what is limited; from a small fixed set
     * @param message the line
     */
    void warn(String kind, String message) {
        try {
            String line = admitted(kind, message);
            if (line != null) {
                log.warn("{}", line);
            }
        } catch (RuntimeException | Error e) {
            // See the class comment.
        }
    }

    /** Logs a failure with its stack trace, for those who look for it. */
    void debug(String message, Throwable failure) {
        try {
            log.debug(message, failure);
        } catch (RuntimeException | Error e) {
            // See the class comment.
        }
    }

    /** Returns the line to log, with the number that was held back; null where it is to be held back itself. */
    String admitted(String kind, String message) {
        long heldBack = admit(kind);
        if (heldBack < 0) {
            return null;
        }
        return heldBack == 0 ? message : message + " (" + heldBack + " more like this since the last such line)";
    }

    private synchronized long admit(String kind) {
        long now = nanoClock.getAsLong();
        Kind seen = kinds.get(kind);
        if (seen == null) {
            if (kinds.size() >= MAX_KINDS) {
                kinds.clear();
            }
            seen = new Kind();
            kinds.put(kind, seen);
        } else if (now - seen.lastNanos < INTERVAL_NANOS) {
            seen.heldBack++;
            return -1;
        }
        long heldBack = seen.heldBack;
        seen.heldBack = 0;
        seen.lastNanos = now;
        return heldBack;
    }
}
