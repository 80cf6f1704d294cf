/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code bootstrap.servers} names.
 *
 * @param addresses the hosts and ports, not resolved
 */
record BootstrapAddresses(List<InetSocketAddress> addresses) {
    /** Where Kafka takes a host and a port from, whatever stands before them. */
    private static final Pattern ADDRESS = Pattern.compile(".*?\\[?([0-9a-zA-Z\\-%._:]*)]?:([0-9]{1,9})");

    /**
     * Parses as Kafka does.
     *
     * @param value the setting, as text or list
     * @return the addresses; null where there is none, or one is not host:port
     */
    static BootstrapAddresses of(Object value) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String address : ConfigText.list(value)) {
            Matcher matcher = ADDRESS.matcher(address);
            int port = matcher.matches() ? Integer.parseInt(matcher.group(2)) : 0;
            if (port < 1 || port > 65_535) {
                return null;
            }
            addresses.add(InetSocketAddress.createUnresolved(matcher.group(1), port));
        }
        return addresses.isEmpty() ? null : new BootstrapAddresses(List.copyOf(addresses));
    }

    /**
     * Looks whether anything listens, by a connection that is closed at once. Kafka's client would log a warning for each
     * attempt.
     *
     * @param timeout how long one attempt may take
     * @return why none can be connected to; null where one can, and where no host resolves, which Kafka's client says itself
     */
    String obstacle(Duration timeout) {
        List<String> obstacles = new ArrayList<>();
        for (InetSocketAddress address : addresses) {
            IOException last = null;
            for (InetAddress host : resolved(address.getHostString())) {
                try (Socket socket = new Socket()) {
                    socket.connect(new InetSocketAddress(host, address.getPort()), (int) timeout.toMillis());
                    return null;
                } catch (IOException e) {
                    last = e;
                }
            }
            if (last != null) {
                obstacles.add(address.getHostString() + ":" + address.getPort() + ": " + last.getMessage());
            }
        }
        return obstacles.isEmpty() ? null : String.join("; ", obstacles);
    }

    private static InetAddress[] resolved(String host) {
        try {
            return InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            return new InetAddress[0];
        }
    }
}
