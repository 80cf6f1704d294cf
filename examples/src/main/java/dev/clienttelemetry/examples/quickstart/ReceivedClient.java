/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.util.Set;

/**
 * What is known of one client instance from the metrics that arrived.
 *
 * @param clientId label {@code client_id}
 * @param instanceId label {@code client_instance_id}
 * @param software labels {@code client_software_name} and {@code client_software_version}
 * @param metrics names of the metrics that arrived
 * @param points number of data points that arrived
 * @param lastPushMillis when the last ones arrived, in milliseconds since 1970
 * @param sentPerSecond records sent, NaN where it does not say
 * @param consumedPerSecond records consumed, NaN where it does not say
 * @param lag the most records that a partition is behind, NaN where it does not say
 * @param latencyMillis average latency of produce requests, or of fetches, NaN where it does not say
 */
record ReceivedClient(
        String clientId,
        String instanceId,
        String software,
        Set<String> metrics,
        long points,
        long lastPushMillis,
        double sentPerSecond,
        double consumedPerSecond,
        double lag,
        double latencyMillis) {}
