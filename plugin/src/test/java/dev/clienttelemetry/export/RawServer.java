/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP server that does with each connection what the test says: for what no decent server does. */
final class RawServer implements AutoCloseable {
    /** What happens to a connection; it is closed afterwards. */
    interface Conversation {
        void hold(Socket socket) throws IOException, InterruptedException;
    }

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();

    RawServer(Conversation conversation) throws IOException {
        start(() -> {
            while (!server.isClosed()) {
                Socket socket = server.accept();
                connections.incrementAndGet();
                sockets.add(socket);
                start(() -> {
                    try (socket) {
                        conversation.hold(socket);
                    }
                });
            }
        });
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private void start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException | InterruptedException e) {
                // The test is over, or the client went.
                Thread.currentThread().interrupt();
            }
        });
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    int connections() {
        return connections.get();
    }

    /** Reads a request of HTTP/1.1 with a content length; false at the end of the connection. */
    static boolean readRequest(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return false;
            }
            head.append((char) c);
        }
        String lower = head.toString().toLowerCase(java.util.Locale.ROOT);
        int at = lower.indexOf("content-length:");
        int length = Integer.parseInt(
                lower.substring(at + 15, lower.indexOf('\r', at)).strip());
        in.readNBytes(length);
        return true;
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        threads.forEach(Thread::interrupt);
    }
}
