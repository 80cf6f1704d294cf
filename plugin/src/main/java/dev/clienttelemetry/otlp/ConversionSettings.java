/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Set;

/**
 * What conversion is told by the configuration.
 *
 * @param labels the labels to add
 * @param serviceName a label's key, or {@code =} and a literal: what becomes {@code service.name}
 * @param brokerId the host's node id, null where unknown
 * @param clusterId the host's cluster id, null where unknown
 * @param temporality what becomes of monotonic delta sums
 * @param dropNanGauges whether gauge points that are NaN are left out
 * @param maxSeries the most series with cumulative state
 * @param maxSeriesPerInstance the most series with cumulative state of one client instance
 */
public record ConversionSettings(
        Set<Label> labels,
        String serviceName,
        String brokerId,
        String clusterId,
        Temporality temporality,
        boolean dropNanGauges,
        int maxSeries,
        int maxSeriesPerInstance) {}
