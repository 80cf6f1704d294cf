/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BootstrapAddressesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Test
    void nothingIsInTheWayWhereOneOfTheAddressesTakesAConnection() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            int closed = closedPort();
            assertThat(obstacle("localhost:" + listener.getLocalPort())).isNull();
            assertThat(obstacle("localhost:" + closed + ",localhost:" + listener.getLocalPort()))
                    .isNull();
            assertThat(obstacle("localhost:" + closed)).startsWith("localhost:" + closed + ": Connection refused");
        }
    }

    @Test
    void aHostThatDoesNotResolveIsLeftToKafkasClient() throws Exception {
        assertThat(obstacle("no-such-host.invalid:9092")).isNull();
        assertThat(obstacle("no-such-host.invalid:9092,localhost:" + closedPort()))
                .contains("Connection refused");
    }

    private static String obstacle(String addresses) {
        return BootstrapAddresses.of(addresses).obstacle(TIMEOUT);
    }

    private static int closedPort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
