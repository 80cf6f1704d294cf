/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

class HeaderViolationsTest {
    private final List<String> lines = new ArrayList<>();

    @Test
    void aLineAMinuteNamesClientAndRequestAndCountsTheRest() {
        AtomicLong clock = new AtomicLong();
        HeaderViolations violations = new HeaderViolations(log(), clock::get);

        violations.happened("a\nb", ApiKeys.METADATA, (short) 12, "answered INVALID_REQUEST");
        violations.happened(null, ApiKeys.FETCH, (short) 13, "answered INVALID_REQUEST");
        clock.set(TimeUnit.MINUTES.toNanos(1));
        violations.happened(null, ApiKeys.PRODUCE, (short) 9, "connection closed");

        assertThat(lines)
                .satisfiesExactly(
                        first -> assertThat(first)
                                .contains(
                                        "client id a\\nb, Metadata version 12, answered INVALID_REQUEST",
                                        "last logged: 1)"),
                        second -> assertThat(second)
                                .contains("client id none, Produce version 9, connection closed", "last logged: 2)"));
    }

    private Logger log() {
        return (Logger) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("warn");
                    lines.add(MessageFormatter.arrayFormat((String) arguments[0], (Object[]) arguments[1])
                            .getMessage());
                    return null;
                });
    }
}
