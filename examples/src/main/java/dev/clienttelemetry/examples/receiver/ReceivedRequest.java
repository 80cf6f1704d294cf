/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import java.util.List;
import java.util.Map;

/**
 * One request as it arrived.
 *
 * @param transport how it came
 * @param headers its headers; names in lower case, several values of one name joined by a comma and a space
 * @param message what it carried, decompressed
 */
public record ReceivedRequest(Transport transport, Map<String, String> headers, ExportMetricsServiceRequest message) {

    /** Returns the data points of gauges and sums in it, in the order of the wire. */
    public List<ReceivedPoint> points() {
        return ReceivedPoint.of(message);
    }
}
