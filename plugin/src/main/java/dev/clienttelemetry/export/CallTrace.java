/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.Handshake;
import okhttp3.Protocol;
import okhttp3.Response;

/** How far one request came, to tell the real cause where it fails. Written and read by the threads of the call. */
final class CallTrace extends EventListener {
    /** The {@code error.type} that the semantic conventions have for it. */
    private static final String TIMEOUT = "timeout";

    private static final String PROXY_AUTHENTICATION = "HTTP_PROXY_AUTH (407)";
    private static final String TUNNEL_AUTHENTICATION = "Failed to authenticate with proxy";
    private static final String TUNNEL_REFUSED = "Unexpected response code for CONNECT";
    private static final String HTTP_407 = Integer.toString(HttpURLConnection.HTTP_PROXY_AUTH);

    /** How OkHttp shows what it read in place of a line: here nothing at all. */
    private static final String NO_BYTES = "limit=0 ";
    /** And here an alert of TLS (RFC 8446, 5.1 and 6). */
    private static final String TLS_ALERT = "content=1503";

    private static final String OR_WANTS_CERTIFICATE = "; does the endpoint speak TLS, and does it want a client"
            + " certificate, or another one (otel.exporter.otlp.client.certificate)?";

    /** Alerts of TLS (RFC 8446, 6.2) that say enough. */
    private static final List<String> NOT_OF_CERTIFICATES =
            List.of("protocol_version", "unrecognized_name", "no_application_protocol");

    private volatile boolean connecting;
    private volatile boolean securing;
    private volatile boolean secured;
    private volatile Proxy proxy;
    private volatile Connection connection;
    private volatile boolean sent;
    private volatile boolean answering;
    private volatile IOException connectFailure;

    private final AtomicReference<Connection> silent;

    /**
     * Creates a trace that has not begun.
     *
     * @param silent shared by all requests of a sender: the connection on which one last got no answer in time. OkHttp gives
     *     such an HTTP/2 connection up, and what would be sent on it next fails for no cause of its own
     */
    CallTrace(AtomicReference<Connection> silent) {
        this.silent = silent;
    }

    @Override
    public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
        connecting = true;
        this.proxy = proxy;
    }

    @Override
    public void secureConnectStart(Call call) {
        securing = true;
    }

    @Override
    public void secureConnectEnd(Call call, Handshake handshake) {
        securing = false;
        secured = true;
    }

    @Override
    public void connectFailed(
            Call call, InetSocketAddress address, Proxy proxy, Protocol protocol, IOException failure) {
        // A call whose time is over closes the socket that it connects with.
        if (!call.isCanceled()) {
            connectFailure = failure;
        }
    }

    @Override
    public void connectionAcquired(Call call, Connection acquired) {
        connection = acquired;
        proxy = acquired.route().proxy();
    }

    @Override
    public void requestBodyEnd(Call call, long bytes) {
        sent = true;
    }

    @Override
    public void responseHeadersEnd(Call call, Response response) {
        answering = true;
    }

    /** Returns what a failure means. */
    Answer failed(IOException failure, OtlpProtocol protocol, long timeoutMillis) {
        if (failure instanceof ProtocolException
                && String.valueOf(failure.getMessage()).contains(PROXY_AUTHENTICATION)) {
            // An answer like any other, which OkHttp takes for a proxy's.
            return OtlpAnswers.http(HttpURLConnection.HTTP_PROXY_AUTH, null, "", Instant.EPOCH);
        }
        if (String.valueOf(failure.getMessage()).contains(TUNNEL_AUTHENTICATION)) {
            return Answer.of(Answer.Outcome.RETRY, HTTP_407, "HTTP 407");
        }
        String timeout = " within " + timeoutMillis + " ms";
        Connection used = connection;
        boolean connected = used != null;
        if (connected && (failure instanceof InterruptedIOException || caused(failure, SocketTimeoutException.class))) {
            silent.set(used);
            String stage = answering ? "the answer did not end" : sent ? "no answer" : "the request could not be sent";
            return Answer.of(Answer.Outcome.TIMEOUT, TIMEOUT, stage + timeout);
        }
        IOException reason = failure;
        if (failure instanceof InterruptedIOException) {
            if (connectFailure == null || connectFailure instanceof InterruptedIOException) {
                return Answer.of(
                        Answer.Outcome.RETRY,
                        TIMEOUT,
                        securing
                                ? "connected, but the TLS handshake got no answer" + timeout
                                        + "; does the endpoint speak TLS? Without it the endpoint begins with http://"
                                : "no connection" + timeout);
            }
            reason = connectFailure;
        }
        boolean stale = connected && !connecting && !answering;
        if (stale && used == silent.get()) {
            return Answer.of(
                    Answer.Outcome.STALE_CONNECTION,
                    TIMEOUT,
                    "the connection was given up, as an earlier request on it got no answer" + timeout);
        }
        return Answer.of(
                stale ? Answer.Outcome.STALE_CONNECTION : Answer.Outcome.RETRY,
                ErrorTypes.of(reason),
                cause(reason, protocol));
    }

    /**
     * Returns an answer or a failure as what came through a proxy, where there is one: what it says may be the proxy's, and
     * the endpoint may never have been asked.
     */
    Answer throughProxy(Answer answer) {
        Proxy used = proxy;
        if (used == null || !(used.address() instanceof InetSocketAddress address)) {
            return answer;
        }
        String name = "the proxy " + Quoted.line(address.getHostString()) + ":" + address.getPort()
                + " of the JVM's settings";
        return answer.errorType().equals(HTTP_407)
                ? answer.saying(
                        "HTTP 407: " + name + " wants credentials, which are not sent to it; let the broker through"
                                + " without, or name the endpoint's host in http.nonProxyHosts")
                : answer.saying("through " + name + ": " + answer.detail());
    }

    private String cause(IOException failure, OtlpProtocol protocol) {
        String message = Quoted.line(root(failure).getMessage());
        if (message.startsWith(TUNNEL_REFUSED)) {
            return lowerFirst(message);
        }
        if (failure instanceof UnknownHostException) {
            return "unknown host: " + host(failure.getMessage());
        }
        if (failure instanceof SSLPeerUnverifiedException) {
            return "TLS: the certificate is not for this host: " + firstLine(failure.getMessage());
        }
        if (failure instanceof SSLException) {
            return "TLS handshake failed: " + message + tlsHint(failure, message);
        }
        if (failure instanceof ConnectException) {
            return message.isEmpty() ? "connection failed" : lowerFirst(message);
        }
        if (failure instanceof NoRouteToHostException) {
            return message.isEmpty() ? "no route to the host" : lowerFirst(message);
        }
        // A server that understands nothing of what it gets may be gone before all of it is written, even while OkHttp
        // still counts HTTP/2's first frames as connecting: a broken pipe.
        boolean brokeAtOnce = connecting && !securing && !answering;
        if (failure instanceof ProtocolException
                || failure instanceof EOFException
                || brokeAtOnce
                || (connection != null || connecting) && !answering && !(failure instanceof SocketException)) {
            return "the connection broke before an answer" + behindColon(withoutBytes(message))
                    + "; does the endpoint speak " + protocol.description() + "?" + otherwise();
        }
        if (failure instanceof SocketException && securing) {
            return "the connection broke amid the TLS handshake" + behindColon(message) + OR_WANTS_CERTIFICATE;
        }
        if (failure instanceof SocketException) {
            return "the connection broke" + behindColon(message);
        }
        return failure.getClass().getSimpleName() + (message.isEmpty() ? "" : ": " + message);
    }

    /** What else may be wrong where a new connection breaks before anything is answered. */
    private String otherwise() {
        if (!connecting || securing || answering) {
            return "";
        }
        return secured
                ? " Or does it want a client certificate, or another one (otel.exporter.otlp.client.certificate)?"
                : " Or TLS? With it the endpoint begins with https://";
    }

    private static String tlsHint(IOException failure, String message) {
        if (caused(failure, CertificateException.class)) {
            return "; is otel.exporter.otlp.certificate the authority that signed it?";
        }
        String lower = message.toLowerCase(Locale.ROOT);
        if (lower.contains("unrecognized ssl message")) {
            return "; does the endpoint speak TLS? Without it the endpoint begins with http://";
        }
        // The last two are how the JDK wraps a connection that breaks amid the handshake.
        if (lower.contains("terminated the handshake")
                || lower.contains("readhandshakerecord")
                || caused(failure, SocketException.class)) {
            return OR_WANTS_CERTIFICATE;
        }
        // Servers say little of why they refuse a certificate, or that there is none: netty's say internal_error.
        return lower.contains("fatal alert") && NOT_OF_CERTIFICATES.stream().noneMatch(lower::contains)
                ? "; does the endpoint want a client certificate, or another one (otel.exporter.otlp.client.certificate)?"
                : "";
    }

    /** OkHttp shows the bytes of what is no line of HTTP; an operator knows nothing by them. */
    private static String withoutBytes(String message) {
        if (!message.contains("not found: limit=")) {
            return message;
        }
        if (message.contains(NO_BYTES)) {
            return "";
        }
        return message.contains(TLS_ALERT) ? "it answers with an alert of TLS" : "it answers with no line of HTTP";
    }

    private static String behindColon(String message) {
        return message.isEmpty() ? "" : ": " + lowerFirst(message);
    }

    /** The JDK adds the resolver's words the first time, and while it remembers the failure it does not. */
    private static String host(String message) {
        String line = Quoted.line(message);
        int colon = line.indexOf(": ");
        return colon < 0 ? line : line.substring(0, colon);
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        for (int depth = 0; depth < 16 && root.getCause() != null && root.getCause() != root; depth++) {
            root = root.getCause();
        }
        return root.getMessage() == null ? failure : root;
    }

    private static boolean caused(Throwable failure, Class<? extends Throwable> type) {
        Throwable cause = failure;
        for (int depth = 0; depth < 16 && cause != null; depth++) {
            if (type.isInstance(cause)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static String firstLine(String message) {
        if (message == null) {
            return "";
        }
        int end = message.indexOf('\n');
        return Quoted.line(end < 0 ? message : message.substring(0, end));
    }

    private static String lowerFirst(String message) {
        return message.length() > 1 && Character.isLowerCase(message.charAt(1))
                ? Character.toLowerCase(message.charAt(0)) + message.substring(1)
                : message;
    }
}
