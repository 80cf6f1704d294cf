/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import dev.clienttelemetry.subscription.SubscriptionChange;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an operator is told. */
class ExplainedClusterTest {
    /** No address, so that nothing is looked at. */
    private static final String SERVERS = "b1";

    private static final String CANNOT_REACH = "Cannot reach the cluster at b1: ";

    /** A cluster at which everything fails in the same way. */
    private record Failing(Exception cause) implements ClusterSubscriptions {
        private ClusterException failure() {
            return new ClusterException("It failed", cause);
        }

        @Override
        public SortedSet<Integer> liveBrokers() throws ClusterException {
            throw failure();
        }

        @Override
        public Map<String, Map<String, String>> read() throws ClusterException {
            throw failure();
        }

        @Override
        public Map<String, String> apply(List<SubscriptionChange> changes) throws ClusterException {
            throw failure();
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(
                        new ClusterAuthorizationException("Cluster authorization failed."),
                        "The cluster does not allow it: Cluster authorization failed. The principal needs"
                                + " DESCRIBE_CONFIGS, and to apply ALTER_CONFIGS, on the resource Cluster."),
                Arguments.of(
                        new UnsupportedVersionException("The node does not support LIST_CONFIG_RESOURCES"),
                        "The cluster has no client metrics subscriptions, which Kafka 3.7 and later have in KRaft mode;"
                                + " or b1 is a controller's listener, and only a broker's answers (The node does not"
                                + " support LIST_CONFIG_RESOURCES)."),
                Arguments.of(
                        new SslAuthenticationException("handshake failed"),
                        "The TLS handshake with b1 failed: handshake failed. What begins with ssl. in --command-config"
                                + " says whom to trust, and who this is."),
                Arguments.of(
                        new SaslAuthenticationException("wrong password"),
                        "Authentication failed at b1: wrong password. What begins with sasl. in --command-config says"
                                + " how to log in."),
                Arguments.of(new TimeoutException("No node"), CANNOT_REACH + "No node"),
                Arguments.of(new java.util.concurrent.TimeoutException("too late"), CANNOT_REACH + "too late"),
                Arguments.of(new DisconnectException("gone"), CANNOT_REACH + "gone"),
                Arguments.of(
                        new KafkaException("outer", new IllegalStateException("the real one")),
                        "It failed: the real one"),
                Arguments.of(new InvalidRequestException("told already"), "It failed"),
                Arguments.of(null, "It failed"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailureSaysWhatCanBeDoneAboutIt(Exception cause, String message) {
        ExplainedCluster cluster = new ExplainedCluster(
                new Failing(cause), SERVERS, "SASL_PLAINTEXT", new ListenerProbe(Duration.ofSeconds(20)));

        for (Throwable told : List.of(
                catchThrowable(cluster::liveBrokers),
                catchThrowable(cluster::read),
                catchThrowable(() -> cluster.apply(List.of())))) {
            assertThat(told)
                    .isInstanceOf(ClusterException.class)
                    .hasMessage(message)
                    .hasCause(cause);
        }
    }

    private static String told(String servers, String securityProtocol, Exception cause) {
        ExplainedCluster cluster = new ExplainedCluster(
                new Failing(cause), servers, securityProtocol, new ListenerProbe(Duration.ofSeconds(20)));
        return catchThrowable(cluster::read).getMessage();
    }

    @Test
    void aListenerThatSpeaksTlsIsToldSoOnlyToWhoDoesNot() throws IOException {
        try (ServerSocket server = new ServerSocket(0)) {
            Thread listener = new Thread(() -> answerInTls(server));
            listener.setDaemon(true);
            listener.start();
            String address = "localhost:" + server.getLocalPort();

            assertThat(told(address, "SASL_PLAINTEXT", new TimeoutException("No node")))
                    .isEqualTo("Cannot reach the cluster at " + address + ": " + address + " speaks TLS, and"
                            + " security.protocol is SASL_PLAINTEXT. SSL or SASL_SSL in --command-config is right.");
            assertThat(told(address, "SASL_SSL", new SslAuthenticationException("unknown authority")))
                    .startsWith("The TLS handshake with " + address + " failed: unknown authority.");
        }
    }

    private static void answerInTls(ServerSocket server) {
        while (true) {
            try (Socket socket = server.accept()) {
                socket.getInputStream().readNBytes(5);
                socket.getOutputStream().write(new byte[] {0x16, 3, 3, 0, 1});
            } catch (IOException e) {
                if (server.isClosed()) {
                    return;
                }
            }
        }
    }

    @Test
    void ofSeveralAddressesEachSaysWhyItTakesNoConnection() {
        TimeoutException cause = new TimeoutException("No node");

        assertThat(told("localhost:1", "PLAINTEXT", cause))
                .isEqualTo("Cannot reach the cluster at localhost:1: Connection refused");
        assertThat(told("localhost:1,localhost:2", "PLAINTEXT", cause))
                .isEqualTo("Cannot reach the cluster at localhost:1,localhost:2: localhost:1 Connection refused;"
                        + " localhost:2 Connection refused");
    }
}
