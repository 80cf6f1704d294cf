/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Finds ports that are free on the loopback interface, each once. They lie below the range from which systems take the
 * ports of outgoing connections, so that none is taken by chance before its server starts. For one thread.
 */
public final class FreePorts {
    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 1_000;

    private final Random random = new Random();
    private final Set<Integer> taken = new HashSet<>();

    /**
     * Returns a free port that this object did not return before.
     *
     * @throws IOException where none is found
     */
    public int next() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = LOWEST + random.nextInt(HIGHEST - LOWEST);
            if (taken.add(port) && isFree(port)) {
                return port;
            }
        }
        throw new IOException("no free port between " + LOWEST + " and " + HIGHEST);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
