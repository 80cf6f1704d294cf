/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

class EndpointTextTest {
    @Test
    void anEndpointIsShownWithoutUserPasswordAndQuery() {
        assertThat(EndpointText.shown(URI.create("http://us3r:s3cret@collector:4317/v1/metrics?token=s3cret")))
                .isEqualTo("http://collector:4317/v1/metrics");
        assertThat(EndpointText.shown(URI.create("https://collector"))).isEqualTo("https://collector");
    }
}
