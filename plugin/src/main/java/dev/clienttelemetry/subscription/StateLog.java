/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import org.slf4j.Logger;

/** Logs a condition when it begins, when it becomes another one, and when it ends; not while it lasts. For one thread. */
final class StateLog {
    private final Logger log;
    private String bad;
    private int times;

    StateLog(Logger log) {
        this.log = log;
    }

    void bad(String message) {
        times++;
        if (!message.equals(bad)) {
            bad = message;
            log.warn("{}", message);
        }
    }

    void good(String message) {
        if (bad != null) {
            log.info("{} (after {} attempts that failed)", message, times);
            bad = null;
            times = 0;
        }
    }
}
