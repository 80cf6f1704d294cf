/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TableTest {
    private static final int WIDE = 200;

    @Test
    void showsWhatIsKnownOfAClient() {
        ReceivedClient client = new ReceivedClient(
                "orders",
                "AAAAAAAAAAAAAAAAAAAAAQ",
                "apache-kafka-java 4.4.0",
                Set.of("a", "b"),
                40,
                10_000,
                99.96,
                Double.NaN,
                Double.NaN,
                1.25);

        List<String> lines = Table.lines(List.of(client), 11_500, WIDE);

        assertThat(lines).hasSize(2);
        assertThat(lines.get(1).split(" {2,}"))
                .containsExactly(
                        "orders",
                        "AAAAAAAAAAAAAAAAAAAAAQ",
                        "apache-kafka-java 4.4.0",
                        "2",
                        "40",
                        "1.5 s ago",
                        "100.0",
                        "-",
                        "-",
                        "1.3");
    }

    @Test
    void isNoWiderThanTheTerminal() {
        assertThat(Table.lines(List.of(named("orders")), 0, 30)).allMatch(line -> line.length() <= 30);
    }

    @Test
    void anEightyColumnTerminalShowsWhatAClientDoesAndSaysWhatItHides() {
        ReceivedClient client = new ReceivedClient(
                "demo-consumer", "A".repeat(22), "apache-kafka-java 4.4.0", Set.of("a"), 4000, 0, 99.9, 100.2, 3, 1.25);

        List<String> lines = Table.lines(List.of(client), 1_500, 80);

        assertThat(lines).allMatch(line -> line.length() <= 80);
        assertThat(lines.get(0)).contains("CLIENT ID", "LAST PUSH", "SENT/S", "CONSUMED/S", "LAG", "LATENCY MS");
        assertThat(lines.get(1))
                .contains("demo-consumer", "99.9", "100.2", "3.0")
                .endsWith("1.3");
        assertThat(lines.get(2)).contains("SOFTWARE");
    }

    @Test
    void passesNoControlCharactersOfAClientOn() {
        assertThat(Table.lines(List.of(named("\u001b[2Jgone\n")), 0, WIDE).get(1))
                .startsWith("?[2Jgone?  ");
        assertThat(Table.lines(List.of(named("x".repeat(500))), 0, WIDE).get(1)).startsWith("x".repeat(31) + "~ ");
    }

    private static ReceivedClient named(String clientId) {
        return new ReceivedClient(clientId, "id", "", Set.of(), 0, 0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }
}
