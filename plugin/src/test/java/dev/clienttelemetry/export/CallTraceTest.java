/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.ProxySelector;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.net.SocketFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.Address;
import okhttp3.Authenticator;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.ConnectionSpec;
import okhttp3.Dns;
import okhttp3.Route;
import okhttp3.internal.http2.ErrorCode;
import okhttp3.internal.http2.StreamResetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class CallTraceTest {
    private final AtomicReference<Connection> silent = new AtomicReference<>();

    private static final Route ROUTE = new Route(
            new Address(
                    "backend.invalid",
                    4317,
                    Dns.SYSTEM,
                    SocketFactory.getDefault(),
                    null,
                    null,
                    null,
                    Authenticator.NONE,
                    null,
                    List.of(okhttp3.Protocol.H2_PRIOR_KNOWLEDGE),
                    List.of(ConnectionSpec.CLEARTEXT),
                    ProxySelector.getDefault()),
            java.net.Proxy.NO_PROXY,
            InetSocketAddress.createUnresolved("backend.invalid", 4317));

    private static Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> method.getName().equals("route") ? ROUTE : null);
    }

    private static Call call(boolean canceled) {
        return (Call) Proxy.newProxyInstance(
                Call.class.getClassLoader(), new Class<?>[] {Call.class}, (proxy, method, arguments) -> canceled);
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

    /** A call that came as far as the words say. */
    private CallTrace trace(String way, Connection connection) {
        CallTrace trace = new CallTrace(silent);
        for (String stage : way.split(" ")) {
            switch (stage) {
                case "" -> {}
                case "connecting" -> trace.connectStart(null, null, null);
                case "securing" -> trace.secureConnectStart(null);
                case "secured" -> trace.secureConnectEnd(null, null);
                case "refused" -> trace.connectFailed(call(false), null, null, null, new ConnectException("Refused"));
                case "unheard" -> trace.connectFailed(call(false), null, null, null, new SocketTimeoutException());
                case "canceled" ->
                    trace.connectFailed(call(true), null, null, null, new SocketException("Socket closed"));
                case "connected" -> trace.connectionAcquired(null, connection);
                case "sent" -> trace.requestBodyEnd(null, 7);
                case "answering" -> trace.responseHeadersEnd(null, null);
                default -> throw new IllegalArgumentException(stage);
            }
        }
        return trace;
    }

    private static Arguments row(
            String way, IOException failure, Answer.Outcome outcome, String errorType, String detail) {
        return Arguments.of(way, failure, Answer.of(outcome, errorType, detail));
    }

    private static Arguments retry(String way, IOException failure, String errorType, String detail) {
        return row(way, failure, Answer.Outcome.RETRY, errorType, detail);
    }

    private static Arguments stale(String way, IOException failure, String errorType, String detail) {
        return row(way, failure, Answer.Outcome.STALE_CONNECTION, errorType, detail);
    }

    private static Arguments timeout(String way, IOException failure, String detail) {
        return row(way, failure, Answer.Outcome.TIMEOUT, "timeout", detail + " within 2000 ms");
    }

    private static IOException because(IOException failure, Exception cause) {
        failure.initCause(cause);
        return failure;
    }

    static Stream<Arguments> failures() {
        String broke = "the connection broke";
        String before = broke + " before an answer";
        String speak = "; does the endpoint speak OTLP over gRPC (usually port 4317)?";
        String orTls = speak + " Or TLS? With it the endpoint begins with https://";
        String orCertificate = speak
                + " Or does it want a client certificate, or another one (otel.exporter.otlp.client.certificate)?";
        String wants = "; does the endpoint speak TLS, and does it want a client certificate, or another one"
                + " (otel.exporter.otlp.client.certificate)?";
        String tls = "connected, but the TLS handshake got no answer within 2000 ms; does the endpoint speak TLS?"
                + " Without it the endpoint begins with http://";
        InterruptedIOException timeout = new InterruptedIOException("timeout");
        IOException wrapped = new SSLException("fatal", new SocketTimeoutException("nothing was read"));
        IOException refused = new ProtocolException("Received HTTP_PROXY_AUTH (407) code while not using proxy");
        SocketException reset = new SocketException("Connection reset");
        IOException end = new IOException("unexpected end of stream", new EOFException("Not found"));
        StreamResetException canceled = new StreamResetException(ErrorCode.CANCEL);
        return Stream.of(
                // An answer that OkHttp takes for a proxy's.
                row(
                        "connected sent",
                        refused,
                        Answer.Outcome.ENDPOINT_REFUSES,
                        "407",
                        "HTTP 407; check the credentials in otel.exporter.otlp.headers"),
                retry(
                        "connecting connected sent answering",
                        new ProtocolException("no HTTP"),
                        "java.net.ProtocolException",
                        before + ": no HTTP" + speak),
                retry("connecting connected", new ProtocolException(), "java.net.ProtocolException", before + orTls),
                retry(
                        "connecting connected",
                        new EOFException("\\n not found: limit=7 content=15030300020246…"),
                        "java.io.EOFException",
                        before + ": it answers with an alert of TLS" + orTls),
                retry(
                        "connecting connected",
                        new EOFException("\\n not found: limit=3 content=deadbe…"),
                        "java.io.EOFException",
                        before + ": it answers with no line of HTTP" + orTls),
                // Closed without a byte.
                retry(
                        "connecting connected",
                        new EOFException("\\n not found: limit=0 content=…"),
                        "java.io.EOFException",
                        before + orTls),
                stale(
                        "connected sent",
                        new IOException("unexpected end", new EOFException("\\n not found: limit=0 content=…")),
                        "java.io.IOException",
                        before + speak),
                retry(
                        "connecting securing secured connected sent",
                        new EOFException("x"),
                        "java.io.EOFException",
                        before + ": x" + orCertificate),
                retry(
                        "connecting securing",
                        new SSLException("Unsupported or unrecognized SSL message"),
                        "javax.net.ssl.SSLException",
                        "TLS handshake failed: Unsupported or unrecognized SSL message; does the endpoint speak TLS?"
                                + " Without it the endpoint begins with http://"),
                retry(
                        "connecting securing secured connected",
                        new SSLException("Received fatal alert: bad_certificate"),
                        "javax.net.ssl.SSLException",
                        "TLS handshake failed: Received fatal alert: bad_certificate; does the endpoint want a client"
                                + " certificate, or another one (otel.exporter.otlp.client.certificate)?"),
                retry(
                        "connecting securing",
                        new SSLException("Received fatal alert: protocol_version"),
                        "javax.net.ssl.SSLException",
                        "TLS handshake failed: Received fatal alert: protocol_version"),
                retry(
                        "",
                        new IOException("HTTP_PROXY_AUTH (407)"),
                        "java.io.IOException",
                        "IOException: HTTP_PROXY_AUTH (407)"),
                // No answer in time.
                timeout("connecting connected", timeout, "the request could not be sent"),
                timeout("connected sent", timeout, "no answer"),
                timeout("connected sent answering", timeout, "the answer did not end"),
                timeout("connected sent", wrapped, "no answer"),
                // No connection in time.
                retry("", timeout, "timeout", "no connection within 2000 ms"),
                retry("connecting", timeout, "timeout", "no connection within 2000 ms"),
                retry("connecting securing", timeout, "timeout", tls),
                retry("connecting securing secured", timeout, "timeout", "no connection within 2000 ms"),
                retry("connecting unheard", timeout, "timeout", "no connection within 2000 ms"),
                // The call's end closes the socket under whatever goes on.
                retry("connecting canceled", timeout, "timeout", "no connection within 2000 ms"),
                retry("connecting securing canceled", timeout, "timeout", tls),
                retry("connecting refused canceled", timeout, "java.net.ConnectException", "refused"),
                retry("connecting refused", timeout, "java.net.ConnectException", "refused"),
                retry(
                        "connecting securing",
                        wrapped,
                        "javax.net.ssl.SSLException",
                        "TLS handshake failed: nothing was read"),
                // A connection that was kept, and one that was not.
                stale("connected sent", reset, "java.net.SocketException", broke + ": connection reset"),
                retry("connected sent answering", reset, "java.net.SocketException", broke + ": connection reset"),
                retry(
                        "connecting connected sent",
                        reset,
                        "java.net.SocketException",
                        before + ": connection reset" + orTls),
                retry(
                        "connecting connected sent answering",
                        reset,
                        "java.net.SocketException",
                        broke + ": connection reset"),
                retry(
                        "connecting securing",
                        reset,
                        "java.net.SocketException",
                        broke + " amid the TLS handshake: connection reset" + wants),
                retry(
                        "connecting securing",
                        new SSLException("readHandshakeRecord"),
                        "javax.net.ssl.SSLException",
                        "TLS handshake failed: readHandshakeRecord" + wants),
                retry(
                        "connecting securing",
                        new SSLException("Broken", reset),
                        "javax.net.ssl.SSLException",
                        "TLS handshake failed: Connection reset" + wants),
                retry(
                        "connecting securing",
                        new SSLException("Remote host terminated the handshake"),
                        "javax.net.ssl.SSLException",
                        "TLS handshake failed: Remote host terminated the handshake" + wants),
                retry("", new SocketException(), "java.net.SocketException", broke),
                stale("connected sent", end, "java.io.IOException", before + ": not found" + speak),
                retry("connecting securing", end, "java.io.IOException", before + ": not found" + speak),
                retry("connected answering", end, "java.io.IOException", "IOException: Not found"),
                retry(
                        "connected sent answering",
                        new EOFException("x"),
                        "java.io.EOFException",
                        before + ": x" + speak),
                retry(
                        "connected sent answering",
                        canceled,
                        "java.io.IOException",
                        "StreamResetException: stream was reset: CANCEL"),
                retry("", new IOException(), "java.io.IOException", "IOException"),
                // No connection at all.
                retry(
                        "",
                        new UnknownHostException("backend.invalid: Name or service not known"),
                        "java.net.UnknownHostException",
                        "unknown host: backend.invalid"),
                retry(
                        "",
                        new UnknownHostException("backend.invalid"),
                        "java.net.UnknownHostException",
                        "unknown host: backend.invalid"),
                retry(
                        "connecting",
                        because(new ConnectException("Failed to connect"), new ConnectException("Connection refused")),
                        "java.net.ConnectException",
                        "connection refused"),
                retry("connecting", new ConnectException(), "java.net.ConnectException", "connection failed"),
                retry(
                        "connecting",
                        new NoRouteToHostException("No route to host"),
                        "java.net.NoRouteToHostException",
                        "no route to host"),
                retry(
                        "connecting",
                        new NoRouteToHostException(),
                        "java.net.NoRouteToHostException",
                        "no route to the host"),
                retry(
                        "connecting securing",
                        new SSLPeerUnverifiedException("Hostname backend not verified:\n    certificate: sha256/x"),
                        "javax.net.ssl.SSLPeerUnverifiedException",
                        "TLS: the certificate is not for this host: Hostname backend not verified:"),
                retry(
                        "connecting securing",
                        new SSLPeerUnverifiedException("Hostname backend not verified"),
                        "javax.net.ssl.SSLPeerUnverifiedException",
                        "TLS: the certificate is not for this host: Hostname backend not verified"),
                retry(
                        "connecting securing",
                        new SSLPeerUnverifiedException(null),
                        "javax.net.ssl.SSLPeerUnverifiedException",
                        "TLS: the certificate is not for this host: "),
                retry(
                        "connecting securing",
                        because(
                                new SSLHandshakeException("PKIX path building failed"),
                                new CertificateException("unknown")),
                        "javax.net.ssl.SSLHandshakeException",
                        "TLS handshake failed: unknown; is otel.exporter.otlp.certificate the authority that signed it?"),
                retry(
                        "connecting securing",
                        new SSLHandshakeException("no cipher suites in common"),
                        "javax.net.ssl.SSLHandshakeException",
                        "TLS handshake failed: no cipher suites in common"),
                // What begins with an abbreviation is left as it is.
                retry("", new SocketException("TLS broke"), "java.net.SocketException", broke + ": TLS broke"),
                retry("", new SocketException("X"), "java.net.SocketException", broke + ": X"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whatAFailureMeansDependsOnHowFarTheCallCame(String way, IOException failure, Answer answer) {
        assertThat(trace(way, connection()).failed(failure, OtlpProtocol.GRPC, 2000))
                .isEqualTo(answer);
    }

    @Test
    void onAConnectionThatWasGivenUpOnlyWhatFailsAsOnAKeptOneFailedForThat() {
        Connection hung = connection();
        trace("connected sent", hung).failed(new InterruptedIOException("timeout"), OtlpProtocol.GRPC, 2000);

        for (String way : new String[] {"connected sent answering", "connecting connected sent"}) {
            Answer answer = trace(way, hung).failed(new SocketException("reset"), OtlpProtocol.GRPC, 2000);
            assertThat(answer.outcome()).as(way).isEqualTo(Answer.Outcome.RETRY);
            assertThat(answer.errorType()).as(way).isEqualTo("java.net.SocketException");
        }
    }

    @Test
    void causesThatGoRoundInACircleAreFollowedOnlySoFar() {
        IOException first = new IOException("first");
        IOException second = new SSLException("second", first);
        first.initCause(second);

        assertThat(trace("connected", connection())
                        .failed(second, OtlpProtocol.GRPC, 2000)
                        .detail())
                .startsWith("TLS handshake failed: ");
    }
}
