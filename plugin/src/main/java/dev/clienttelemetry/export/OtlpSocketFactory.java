/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import okio.AsyncTimeout;

/**
 * Sockets with what OkHttp leaves out. They are without Nagle's algorithm: a request above one segment would wait for the
 * peer's delayed acknowledgement, some 40 ms. And they are closed where one write takes longer than a request may: on an
 * HTTP/2 connection a write to a backend that has stopped reading, or is gone, has no end but TCP's own after a quarter of
 * an hour, and it holds up all requests on the connection, whatever their timeouts. For the same reason they can be closed all
 * together: cancelling a call does not end its write. Thread-safe.
 */
final class OtlpSocketFactory extends SocketFactory {
    private final long writeTimeoutNanos;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    OtlpSocketFactory(Duration writeTimeout) {
        this.writeTimeoutNanos = writeTimeout.toNanos();
    }

    @Override
    public Socket createSocket() throws IOException {
        Socket socket = new BoundedSocket();
        open.add(socket);
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** Closes all sockets that are open. */
    void closeAll() {
        open.forEach(OtlpSocketFactory::closeNow);
    }

    private static void closeNow(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Of no use any more in any case.
            return;
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket(InetAddress.getByName(host), port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(InetAddress.getByName(host), port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(host, port, null, 0);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        Socket socket = createSocket();
        boolean connected = false;
        try {
            socket.bind(new InetSocketAddress(localHost, localPort));
            socket.connect(new InetSocketAddress(host, port));
            connected = true;
            return socket;
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    private final class BoundedSocket extends Socket {
        @Override
        public void close() throws IOException {
            open.remove(this);
            super.close();
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            OutputStream out = super.getOutputStream();
            return new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    write(new byte[] {(byte) b}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    BoundedSocket.this.write(out, bytes, offset, length);
                }

                @Override
                public void close() throws IOException {
                    out.close();
                }
            };
        }

        private void write(OutputStream out, byte[] bytes, int offset, int length) throws IOException {
            AsyncTimeout timeout = new AsyncTimeout() {
                @Override
                protected void timedOut() {
                    closeNow(BoundedSocket.this);
                }
            };
            timeout.timeout(writeTimeoutNanos, TimeUnit.NANOSECONDS);
            IOException failure = null;
            boolean timedOut;
            timeout.enter();
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                failure = e;
            } finally {
                timedOut = timeout.exit();
            }
            if (timedOut) {
                throw new SocketTimeoutException("nothing was read for "
                        + TimeUnit.NANOSECONDS.toMillis(writeTimeoutNanos) + " ms of what is sent");
            }
            if (failure != null) {
                throw failure;
            }
        }
    }
}
