/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Causes;
import dev.clienttelemetry.subscription.ClusterException;
import dev.clienttelemetry.subscription.ClusterSubscriptions;
import dev.clienttelemetry.subscription.SubscriptionChange;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** A cluster whose failures say what the operator can do about them. */
final class ExplainedCluster implements ClusterSubscriptions {
    private final ClusterSubscriptions cluster;
    private final String bootstrapServers;
    private final String securityProtocol;
    private final ListenerProbe probe;

    ExplainedCluster(
            ClusterSubscriptions cluster, String bootstrapServers, String securityProtocol, ListenerProbe probe) {
        this.cluster = cluster;
        this.bootstrapServers = bootstrapServers;
        this.securityProtocol = securityProtocol;
        this.probe = probe;
    }

    @Override
    public SortedSet<Integer> liveBrokers() throws ClusterException {
        try {
            return cluster.liveBrokers();
        } catch (ClusterException e) {
            throw explained(e);
        }
    }

    @Override
    public Map<String, Map<String, String>> read() throws ClusterException {
        try {
            return cluster.read();
        } catch (ClusterException e) {
            throw explained(e);
        }
    }

    @Override
    public Map<String, String> apply(List<SubscriptionChange> changes) throws ClusterException {
        try {
            return cluster.apply(changes);
        } catch (ClusterException e) {
            throw explained(e);
        }
    }

    private ClusterException explained(ClusterException e) {
        Throwable cause = e.getCause();
        if (cause instanceof AuthorizationException) {
            return new ClusterException(
                    "The cluster does not allow it: " + Causes.text(cause)
                            + ". The principal needs DESCRIBE_CONFIGS, and to apply ALTER_CONFIGS, on the resource"
                            + " Cluster.",
                    cause);
        }
        if (cause instanceof UnsupportedVersionException) {
            return new ClusterException(
                    "The cluster has no client metrics subscriptions, which Kafka 3.7 and later have in KRaft mode; or "
                            + bootstrapServers + " is a controller's listener, and only a broker's answers ("
                            + Causes.text(cause) + ").",
                    cause);
        }
        if (cause instanceof AuthenticationException
                || cause instanceof java.util.concurrent.TimeoutException
                || cause instanceof org.apache.kafka.common.errors.TimeoutException
                || cause instanceof DisconnectException) {
            return new ClusterException(unreachable(cause), cause);
        }
        return cause instanceof KafkaException && cause.getCause() != null
                ? new ClusterException(e.getMessage() + ": " + Causes.text(cause.getCause()), cause)
                : e;
    }

    private String unreachable(Throwable cause) {
        List<ListenerProbe.Found> found = probe.look(bootstrapServers);
        boolean tls = securityProtocol.endsWith("SSL");
        for (ListenerProbe.Found one : found) {
            if (!tls && one.speech() == ListenerProbe.Speech.TLS) {
                return speaksTls(bootstrapServers, one.address(), securityProtocol);
            }
            if (tls && one.speech() == ListenerProbe.Speech.NO_TLS) {
                return cannotReach() + ": " + one.address() + " does not speak TLS, and security.protocol is "
                        + securityProtocol + ". PLAINTEXT or SASL_PLAINTEXT in --command-config is right.";
            }
        }
        if (cause instanceof SslAuthenticationException) {
            return "The TLS handshake with " + bootstrapServers + " failed: " + Causes.text(cause)
                    + ". What begins with ssl. in --command-config says whom to trust, and who this is.";
        }
        if (cause instanceof AuthenticationException) {
            return "Authentication failed at " + bootstrapServers + ": " + Causes.text(cause)
                    + ". What begins with sasl. in --command-config says how to log in.";
        }
        StringBuilder message = new StringBuilder(cannotReach()).append(": ");
        String separator = "";
        boolean connects = false;
        for (ListenerProbe.Found one : found) {
            connects |= one.problem().isEmpty();
            if (!one.problem().isEmpty()) {
                message.append(separator);
                message.append(found.size() > 1 ? one.address() + " " : "").append(one.problem());
                separator = "; ";
            }
        }
        if (connects) {
            message.append(separator)
                    .append("it can be connected to, but no answer came in time. security.protocol is ")
                    .append(securityProtocol)
                    .append(
                            securityProtocol.startsWith("SASL")
                                    ? ""
                                    : "; a listener with SASL needs another in --command-config")
                    .append(" (")
                    .append(Causes.text(cause))
                    .append(")");
        } else if (separator.isEmpty()) {
            message.append(Causes.text(cause));
        }
        return message.toString();
    }

    static String speaksTls(String bootstrapServers, String address, String securityProtocol) {
        return "Cannot reach the cluster at " + bootstrapServers + ": " + address
                + " speaks TLS, and security.protocol is " + securityProtocol
                + ". SSL or SASL_SSL in --command-config is right.";
    }

    private String cannotReach() {
        return "Cannot reach the cluster at " + bootstrapServers;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
