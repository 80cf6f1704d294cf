/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.apache.kafka.common.protocol.ApiKeys;

/** Looks what is behind the addresses of {@code bootstrap.servers}, where the Admin client would only say no. */
final class ListenerProbe {
    private static final int MAX_ADDRESSES = 3;
    private static final Pattern ADDRESS = Pattern.compile("(?:[A-Z_]+://)?\\[?([^\\[\\]]+)]?:([0-9]{1,5})");
    /** How a TLS record begins: an alert, or the handshake's next message, then the version, 3 in every one there is. */
    private static final byte TLS_ALERT = 0x15;

    private static final byte TLS_HANDSHAKE = 0x16;
    private static final byte TLS_MAJOR = 3;

    private final Duration timeout;

    /** What was found at an address. */
    enum Speech {
        /** It answers a TLS handshake. */
        TLS,
        /** It takes the connection, and ends it or answers otherwise: it does not speak TLS. */
        NO_TLS,
        /** It takes the connection, and nothing comes. */
        SILENCE,
        /** It takes no connection. */
        NOTHING
    }

    /**
     * What was found.
     *
     * @param address the address
     * @param speech what it speaks
     * @param problem why there is no connection, empty where there is one
     */
    record Found(String address, Speech speech, String problem) {}

    /**
     * Creates a probe.
     *
     * @param timeout for each address, to connect and to answer
     */
    ListenerProbe(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * Returns whether the first address answers a request in plaintext as TLS does. To be asked before a client that speaks
     * plaintext is made: Kafka's takes the answer for the length of a response and asks for hundreds of megabytes.
     */
    boolean answersInTls(String bootstrapServers) {
        String first = bootstrapServers.split(",")[0];
        return look(first, (host, port) -> apiVersionsRequest()).stream()
                .anyMatch(found -> found.speech() == Speech.TLS);
    }

    /** Looks at the first few addresses by a TLS handshake; those that are none are left out. */
    List<Found> look(String bootstrapServers) {
        return look(bootstrapServers, ListenerProbe::clientHello);
    }

    private interface Greeting {
        byte[] bytes(String host, int port) throws IOException;
    }

    private List<Found> look(String bootstrapServers, Greeting greeting) {
        List<Found> found = new ArrayList<>();
        for (String address : bootstrapServers.split(",")) {
            Matcher matcher = ADDRESS.matcher(address.trim());
            if (matcher.matches() && found.size() < MAX_ADDRESSES) {
                int port = Integer.parseInt(matcher.group(2));
                if (port <= 65535) {
                    found.add(look(address.trim(), matcher.group(1), port, greeting));
                }
            }
        }
        return found;
    }

    private Found look(String address, String host, int port, Greeting greeting) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            return new Found(address, speech(socket, greeting.bytes(host, port)), "");
        } catch (java.net.UnknownHostException e) {
            return new Found(address, Speech.NOTHING, "unknown host");
        } catch (IOException e) {
            return new Found(address, Speech.NOTHING, e.getMessage());
        }
    }

    private static Speech speech(Socket socket, byte[] greeting) {
        try {
            socket.getOutputStream().write(greeting);
            byte[] begin = socket.getInputStream().readNBytes(2);
            boolean tls =
                    begin.length == 2 && (begin[0] == TLS_ALERT || begin[0] == TLS_HANDSHAKE) && begin[1] == TLS_MAJOR;
            return tls ? Speech.TLS : Speech.NO_TLS;
        } catch (SocketTimeoutException e) {
            return Speech.SILENCE;
        } catch (IOException e) {
            // A broker without TLS takes the bytes for a request that is far too large, and closes the connection.
            return Speech.NO_TLS;
        }
    }

    /** The request with which every client begins, in its first version: length, key, version, correlation id, client id. */
    private static byte[] apiVersionsRequest() {
        byte[] clientId = "client-metrics".getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(14 + clientId.length)
                .putInt(10 + clientId.length)
                .putShort(ApiKeys.API_VERSIONS.id)
                .putShort((short) 0)
                .putInt(0)
                .putShort((short) clientId.length)
                .put(clientId)
                .array();
    }

    private static byte[] clientHello(String host, int port) throws SSLException {
        SSLEngine engine;
        try {
            engine = SSLContext.getDefault().createSSLEngine(host, port);
        } catch (NoSuchAlgorithmException e) {
            throw new SSLException(e);
        }
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        byte[] bytes = new byte[hello.flip().remaining()];
        hello.get(bytes);
        return bytes;
    }
}
