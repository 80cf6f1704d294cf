/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/** A TCP relay that can drop everything without closing anything, as a network does whose other end has gone. */
final class SilentRelay implements AutoCloseable {
    private final RawServer server;
    private volatile int silentUpTo;

    SilentRelay(int port) throws IOException {
        this.server = new RawServer(client -> {
            int number = connections();
            try (Socket target = new Socket(InetAddress.getLoopbackAddress(), port)) {
                CountDownLatch over = new CountDownLatch(1);
                Thread back = new Thread(() -> pump(target, client, number, over));
                back.setDaemon(true);
                back.start();
                pump(client, target, number, over);
                over.await();
            }
        });
    }

    private void pump(Socket from, Socket to, int number, CountDownLatch over) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                if (number > silentUpTo) {
                    out.write(bytes, 0, read);
                }
            }
        } catch (IOException e) {
            // The connection is over.
        } finally {
            over.countDown();
        }
    }

    /** Lets nothing through any more on the connections that are there; new ones work. */
    void fallSilent() {
        silentUpTo = connections();
    }

    int connections() {
        return server.connections();
    }

    String endpoint() {
        return server.endpoint().toString();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
