/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import dev.clienttelemetry.message.OncePerMinute;
import dev.clienttelemetry.message.Quoted;
import java.util.function.LongSupplier;
import org.apache.kafka.common.protocol.ApiKeys;
import org.slf4j.Logger;

/**
 * Tells of requests that break KIP-1313's rule for client instance ids in headers. A client may break it with every
 * request, so a line a minute is all that the log gets. Thread-safe.
 */
public final class HeaderViolations {
    private final Logger log;
    private final OncePerMinute limit;

    /**
     * Creates an account of violations, of which there was none.
     *
     * @param log where they are told, at WARN
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public HeaderViolations(Logger log, LongSupplier nanoClock) {
        this.log = log;
        this.limit = new OncePerMinute(nanoClock);
    }

    /**
     * Logs a violation, or counts it until one may be logged again.
     *
     * @param clientId what the client says its id is; may be null
     * @param api the request's
     * @param version the request's
     * @param outcome what becomes of it
     */
    public void happened(String clientId, ApiKeys api, short version, String outcome) {
        long times = limit.happened();
        if (times > 0) {
            log.warn(
                    "A request breaks the rule for client instance ids in headers (KIP-1313): client id {}, {} version {},"
                            + " {} (violations since this was last logged: {})",
                    clientId == null ? "none" : Quoted.text(clientId),
                    api.name,
                    version,
                    outcome,
                    times);
        }
    }
}
