/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.pipeline;

import dev.clienttelemetry.otlp.Label;
import dev.clienttelemetry.subscription.SynchronizerSettings;
import java.util.Map;
import java.util.Set;

/**
 * What the configuration says to the pipeline, every value checked.
 *
 * @param labels the labels that are added to each push
 * @param serviceName a label's key, or {@code =} and a literal
 * @param bufferMaxBytes memory that payloads may hold in all stages together
 * @param batchMaxBytes the largest request
 * @param batchLingerMs how long a push may wait for company, in milliseconds
 * @param batchMaxAgeMs after how many milliseconds an undelivered batch is dropped
 * @param requestsInFlightMax parallel requests
 * @param instancesMax client instances remembered
 * @param seriesMax series with cumulative state
 * @param seriesMaxPerInstance series with cumulative state of one client instance
 * @param dropNanGauges whether gauge points that are NaN are left out
 * @param subscriptions how to keep the cluster's subscriptions equal to a source, null where they are left alone
 * @param otel the {@code otel.*} keys of the host's configuration
 */
public record PipelineSettings(
        Set<Label> labels,
        String serviceName,
        long bufferMaxBytes,
        int batchMaxBytes,
        int batchLingerMs,
        long batchMaxAgeMs,
        int requestsInFlightMax,
        int instancesMax,
        int seriesMax,
        int seriesMaxPerInstance,
        boolean dropNanGauges,
        SynchronizerSettings subscriptions,
        Map<String, String> otel) {}
