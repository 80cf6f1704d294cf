/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import okhttp3.Connection;
import org.junit.jupiter.api.Test;

class CallTraceTest {
    private final AtomicReference<Connection> silent = new AtomicReference<>();

    private static Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> null);
    }

    private Answer failed(Connection connection, IOException failure) {
        CallTrace trace = new CallTrace(silent);
        trace.connectionAcquired(null, connection);
        return trace.failed(failure, OtlpProtocol.GRPC, 2000);
    }

    @Test
    void whatFailsOnAConnectionThatWasGivenUpAfterATimeoutFailedForThat() {
        Connection hung = connection();
        assertThat(failed(hung, new InterruptedIOException("timeout")).outcome())
                .isEqualTo(Answer.Outcome.TIMEOUT);

        assertThat(failed(hung, new IOException()))
                .isEqualTo(Answer.of(
                        Answer.Outcome.STALE_CONNECTION,
                        "timeout",
                        "the connection was given up, as an earlier request on it got no answer within 2000 ms"));
        assertThat(failed(connection(), new IOException()).errorType()).isEqualTo("java.io.IOException");
    }

    /** TLS wraps what the socket below it throws. */
    @Test
    void aTimeoutBelowTlsIsOneToo() {
        Answer answer = failed(connection(), new SSLException("fatal", new SocketTimeoutException("nothing was read")));

        assertThat(answer.outcome()).isEqualTo(Answer.Outcome.TIMEOUT);
        assertThat(answer.errorType()).isEqualTo("timeout");
    }
}
