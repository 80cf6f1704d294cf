/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/** The subscriptions of a cluster, to read and to change. */
public interface ClusterSubscriptions extends AutoCloseable {

    /**
     * Returns the ids of the brokers that are alive.
     *
     * @throws ClusterException if the cluster does not answer
     */
    SortedSet<Integer> liveBrokers() throws ClusterException;

    /**
     * Returns the configs of all subscriptions by name: the entries whose source is DYNAMIC_CLIENT_METRICS_CONFIG.
     *
     * @throws ClusterException if the cluster does not answer or does not allow it
     */
    Map<String, Map<String, String>> read() throws ClusterException;

    /**
     * Makes changes, each for itself.
     *
     * @param changes the changes
     * @return why a change was refused, by name; empty where all were made
     * @throws ClusterException if the cluster does not answer
     */
    Map<String, String> apply(List<SubscriptionChange> changes) throws ClusterException;

    @Override
    void close();
}
