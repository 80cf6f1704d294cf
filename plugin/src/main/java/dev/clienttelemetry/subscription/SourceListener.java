/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import org.apache.kafka.common.config.ConfigChangeCallback;

/** A callback that can also be told that a source has turned bad or good again, which Kafka's own has no way for. */
interface SourceListener extends ConfigChangeCallback {
    /**
     * Tells that files turned bad, or have other errors than before, or are right again with the values of before. The
     * errors are in what {@code get} throws.
     */
    void onTurn();
}
