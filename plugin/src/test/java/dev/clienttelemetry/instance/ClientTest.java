/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ClientTest {
    @Test
    void noComponentIsLongerThanALabelMayBe() {
        String tooLong = "x".repeat(32_767);
        Client client = new Client(tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong);

        assertThat(List.of(
                        client.clientId(),
                        client.softwareName(),
                        client.softwareVersion(),
                        client.sourceAddress(),
                        client.sourcePort(),
                        client.principal(),
                        client.listenerName(),
                        client.securityProtocol()))
                .allMatch(component -> component.equals("x".repeat(1024)));
    }

    static Stream<String> aValueIsCutAtTheEndOfACharacter() {
        return Stream.of("\u00e9", "\u20ac", "\ud83d\ude00", "a\u20ac", "ab\ud83d\ude00", "\ud83d", "\u20aca")
                .map(pattern -> pattern.repeat(1025));
    }

    @ParameterizedTest
    @MethodSource
    void aValueIsCutAtTheEndOfACharacter(String value) {
        String kept = withId(value).clientId();
        int next = value.codePointAt(kept.length());

        assertThat(value).startsWith(kept);
        assertThat(size(kept)).isLessThanOrEqualTo(1024);
        assertThat(size(kept) + size(Character.toString(next))).isGreaterThan(1024);
        assertThat(Client.isKeptOf(kept, value)).isTrue();
    }

    @Test
    void whatFitsIsKeptAsItIs() {
        for (String value : List.of("", "app", "x".repeat(1024), "\u20ac".repeat(341))) {
            assertThat(withId(value).clientId()).isSameAs(value);
            assertThat(Client.isKeptOf(value, value)).isTrue();
        }
    }

    @Test
    void anotherValueIsToldApart() {
        String kept = withId("x".repeat(5000)).clientId();

        assertThat(Client.isKeptOf(kept, "x".repeat(2000))).isTrue();
        assertThat(Client.isKeptOf(kept, "x".repeat(1023))).isFalse();
        assertThat(Client.isKeptOf(kept, "y" + "x".repeat(4999))).isFalse();
        assertThat(Client.isKeptOf("app", "app2")).isFalse();
        assertThat(Client.isKeptOf("app2", "app")).isFalse();
        assertThat(Client.isKeptOf(null, "")).isFalse();
        assertThat(Client.isKeptOf("", null)).isFalse();
        assertThat(Client.isKeptOf(null, null)).isTrue();
    }

    private static int size(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static Client withId(String id) {
        return new Client(id, null, null, null, null, null, null, null);
    }
}
