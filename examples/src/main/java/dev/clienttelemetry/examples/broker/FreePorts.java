/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Finds ports that are free on the loopback interface, each once. They lie below the range from which systems take the
 * ports of outgoing connections, so that none is taken by chance before its server starts. Nor is one given to two
 * clusters that are made at the same time, be it in one process or in several: a process has blocks of ports for its own,
 * and the sign of that is a socket at each block's first port, which the system closes when the process ends. Thread-safe.
 */
public final class FreePorts {
    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 32_000;
    private static final int BLOCK = 100;

    /** The signs of the blocks that are this process' own, the last one's ports being given out. */
    private static final List<ServerSocket> OWN_BLOCKS = new ArrayList<>();

    private static int last;

    private FreePorts() {}

    /**
     * Returns a free port that no process was given before, as long as the process that asked lives.
     *
     * @throws IOException where none is found
     */
    public static synchronized int next() throws IOException {
        while (true) {
            if (OWN_BLOCKS.isEmpty() || (last + 1) % BLOCK == 0) {
                ServerSocket sign = nextBlock();
                OWN_BLOCKS.add(sign);
                last = sign.getLocalPort();
            }
            last++;
            try (ServerSocket free = bound(last)) {
                return free.getLocalPort();
            } catch (IOException e) {
                // Of a server that knows nothing of blocks: the next one, then.
                continue;
            }
        }
    }

    private static ServerSocket nextBlock() throws IOException {
        int blocks = (HIGHEST - LOWEST) / BLOCK;
        int start = new Random().nextInt(blocks);
        IOException taken = null;
        for (int i = 0; i < blocks; i++) {
            try {
                return bound(LOWEST + (start + i) % blocks * BLOCK);
            } catch (IOException e) {
                taken = e;
            }
        }
        throw new IOException("no free ports between " + LOWEST + " and " + HIGHEST, taken);
    }

    private static ServerSocket bound(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }
}
