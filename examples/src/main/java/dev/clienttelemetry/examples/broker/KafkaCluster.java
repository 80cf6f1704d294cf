/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/**
 * A KRaft cluster on this machine, on free ports of the loopback interface. {@link #close()} kills its processes and
 * deletes its files; so does the end of this JVM. Not thread-safe.
 */
public final class KafkaCluster implements AutoCloseable {
    /** The client listener of a cluster for which none was named. */
    public static final String DEFAULT_LISTENER = "PLAINTEXT";

    private static final String CONTROLLER_LISTENER = "CONTROLLER";

    private final Path directory;
    private final List<KafkaNode> nodes;
    private final List<KafkaNode> brokers;
    private final String clientListener;
    private final Thread atExit = new Thread(this::endAndDelete, "kafka-cluster-cleanup");

    private KafkaCluster(Path directory, List<KafkaNode> nodes, List<KafkaNode> brokers, String clientListener) {
        this.directory = directory;
        this.nodes = List.copyOf(nodes);
        this.brokers = List.copyOf(brokers);
        this.clientListener = clientListener;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Returns what a cluster of this distribution is made with. */
    public static Builder builder(KafkaDistribution distribution) {
        return new Builder(distribution);
    }

    /** Returns all nodes, brokers first, in the order of their ids, which start at 1. */
    public List<KafkaNode> nodes() {
        return nodes;
    }

    /** Returns the nodes that serve clients. */
    public List<KafkaNode> brokers() {
        return brokers;
    }

    /** Returns the node with an id. */
    public KafkaNode node(int id) {
        return nodes.get(id - 1);
    }

    /** Returns {@code bootstrap.servers} of the first listener. */
    public String bootstrapServers() {
        return bootstrapServers(clientListener);
    }

    /** Returns {@code bootstrap.servers} of a listener. */
    public String bootstrapServers(String listener) {
        return brokers.stream().map(broker -> broker.bootstrapServer(listener)).collect(Collectors.joining(","));
    }

    /** Returns the directory of the cluster's files. */
    public Path directory() {
        return directory;
    }

    /**
     * Starts all nodes that do not run and waits until each has started.
     *
     * @throws IOException where one does not; all are gone then
     */
    public void start() throws IOException {
        boolean started = false;
        try {
            for (KafkaNode node : nodes) {
                if (!node.isAlive()) {
                    node.begin();
                }
            }
            for (KafkaNode node : nodes) {
                node.awaitStarted();
            }
            started = true;
        } finally {
            if (!started) {
                nodes.forEach(KafkaNode::kill);
            }
        }
    }

    @Override
    public void close() {
        endAndDelete();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM ends already: the hook has run or will, and finds nothing to do.
            return;
        }
    }

    private synchronized void endAndDelete() {
        nodes.forEach(KafkaNode::kill);
        try {
            Directories.delete(directory);
        } catch (IOException e) {
            System.err.println("could not remove " + directory + ": " + e.getMessage());
        }
    }

    /** What a cluster is made with. */
    public static final class Builder {
        private final KafkaDistribution distribution;
        private final Map<String, String> listeners = new LinkedHashMap<>();
        private final Map<String, String> defaults = new LinkedHashMap<>();
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final List<String> jvmOptions = new ArrayList<>();
        private final List<Path> jars = new ArrayList<>();
        private Path parent;
        private int combined = 1;
        private int brokersOnly;
        private int controllersOnly;
        private boolean jmx;

        private Builder(KafkaDistribution distribution) {
            this.distribution = distribution;
        }

        /** Sets how many nodes are broker and controller in one; by default one, and no others. */
        public Builder combined(int nodes) {
            this.combined = nodes;
            this.brokersOnly = 0;
            this.controllersOnly = 0;
            return this;
        }

        /** Has brokers and controllers in different processes. */
        public Builder separate(int brokers, int controllers) {
            this.combined = 0;
            this.brokersOnly = brokers;
            this.controllersOnly = controllers;
            return this;
        }

        /** Adds jars to every node's {@code libs}. */
        public Builder jars(Path... files) {
            jars.addAll(List.of(files));
            return this;
        }

        /**
         * Adds a listener for clients; the first is also the one between brokers. Without any there is one, {@value
         * #DEFAULT_LISTENER}.
         *
         * @param name for example {@code SECURE}
         * @param securityProtocol for example {@code SASL_SSL}; what it needs is set as properties
         */
        public Builder listener(String name, String securityProtocol) {
            listeners.put(name, securityProtocol);
            return this;
        }

        /** Sets a property of {@code server.properties} of every node, whatever is set elsewhere. */
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** Sets properties like {@link #property}. */
        public Builder properties(Map<String, String> values) {
            properties.putAll(values);
            return this;
        }

        /** Sets properties like {@link #property}, but ids, listeners and directories stay the cluster's own. */
        public Builder defaults(Map<String, String> values) {
            defaults.putAll(values);
            return this;
        }

        /** Sets an environment variable of every node. Those beginning with OTEL_ are not inherited otherwise. */
        public Builder environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** Adds options for every node's JVM, after the cluster's own, so that they win. */
        public Builder jvmOptions(String... options) {
            jvmOptions.addAll(List.of(options));
            return this;
        }

        /** Lets every node be reached by JMX, see {@link KafkaNode#jmxUrl()}. */
        public Builder jmx() {
            this.jmx = true;
            return this;
        }

        /** Sets the directory in which the cluster's own directory is made; by default the system's temporary one. */
        public Builder parent(Path directory) {
            this.parent = directory;
            return this;
        }

        /**
         * Makes the cluster's files; nothing runs yet.
         *
         * @throws IOException where files or ports cannot be had
         */
        public KafkaCluster build() throws IOException {
            if (listeners.isEmpty()) {
                listeners.put(DEFAULT_LISTENER, "PLAINTEXT");
            }
            Path directory = parent == null
                    ? Files.createTempDirectory("kafka-cluster-")
                    : Files.createTempDirectory(parent, "kafka-cluster-");
            String clusterId = Uuid.randomUuid().toString();
            int count = combined + brokersOnly + controllersOnly;
            Map<Integer, Integer> controllerPorts = new LinkedHashMap<>();
            for (int id = 1; id <= count; id++) {
                if (isController(id)) {
                    controllerPorts.put(id, FreePorts.next());
                }
            }
            List<KafkaNode> nodes = new ArrayList<>();
            List<KafkaNode> brokers = new ArrayList<>();
            for (int id = 1; id <= count; id++) {
                Path nodeDirectory = Files.createDirectory(directory.resolve("node-" + id));
                Map<String, Integer> listenerPorts = new LinkedHashMap<>();
                if (isBroker(id)) {
                    for (String listener : listeners.keySet()) {
                        listenerPorts.put(listener, FreePorts.next());
                    }
                }
                Map<String, String> all = new LinkedHashMap<>(defaults);
                all.putAll(serverProperties(id, nodeDirectory, listenerPorts, controllerPorts));
                all.putAll(properties);
                KafkaNode node = new KafkaNode(
                        id,
                        distribution,
                        clusterId,
                        nodeDirectory,
                        listenerPorts,
                        jmx ? FreePorts.next() : null,
                        List.copyOf(jvmOptions),
                        Map.copyOf(environment),
                        all);
                node.layOut(jars);
                nodes.add(node);
                if (isBroker(id)) {
                    brokers.add(node);
                }
            }
            return new KafkaCluster(
                    directory, nodes, brokers, listeners.keySet().iterator().next());
        }

        /** Makes the cluster and starts it. */
        public KafkaCluster start() throws IOException {
            KafkaCluster cluster = build();
            boolean started = false;
            try {
                cluster.start();
                started = true;
                return cluster;
            } finally {
                if (!started) {
                    cluster.close();
                }
            }
        }

        private boolean isBroker(int id) {
            return id <= combined + brokersOnly;
        }

        private boolean isController(int id) {
            return id <= combined || id > combined + brokersOnly;
        }

        private Map<String, String> serverProperties(
                int id, Path directory, Map<String, Integer> listenerPorts, Map<Integer, Integer> controllerPorts) {
            List<String> roles = new ArrayList<>();
            List<String> bound = new ArrayList<>();
            List<String> protocols = new ArrayList<>(List.of(CONTROLLER_LISTENER + ":PLAINTEXT"));
            listeners.forEach((name, protocol) -> protocols.add(name + ":" + protocol));
            listenerPorts.forEach((name, port) -> bound.add(name + "://localhost:" + port));
            Map<String, String> server = new LinkedHashMap<>();
            if (isBroker(id)) {
                roles.add("broker");
                server.put("advertised.listeners", String.join(",", bound));
                server.put(
                        "inter.broker.listener.name",
                        listeners.keySet().iterator().next());
            }
            if (isController(id)) {
                roles.add("controller");
                bound.add(CONTROLLER_LISTENER + "://localhost:" + controllerPorts.get(id));
            }
            server.put("process.roles", String.join(",", roles));
            server.put("node.id", Integer.toString(id));
            server.put(
                    "controller.quorum.voters",
                    controllerPorts.entrySet().stream()
                            .map(voter -> voter.getKey() + "@localhost:" + voter.getValue())
                            .collect(Collectors.joining(",")));
            server.put("controller.listener.names", CONTROLLER_LISTENER);
            server.put("listeners", String.join(",", bound));
            server.put("listener.security.protocol.map", String.join(",", protocols));
            server.put("log.dirs", directory.resolve("data").toString());
            String replicas = Integer.toString(Math.min(3, combined + brokersOnly));
            server.put("offsets.topic.replication.factor", replicas);
            server.put("transaction.state.log.replication.factor", replicas);
            server.put("transaction.state.log.min.isr", "1");
            server.put("share.coordinator.state.topic.replication.factor", replicas);
            server.put("share.coordinator.state.topic.min.isr", "1");
            // Made for minutes: the internal topics need no more, and each partition costs time at the start.
            server.put("offsets.topic.num.partitions", "3");
            server.put("transaction.state.log.num.partitions", "3");
            server.put("group.initial.rebalance.delay.ms", "0");
            return server;
        }
    }
}
