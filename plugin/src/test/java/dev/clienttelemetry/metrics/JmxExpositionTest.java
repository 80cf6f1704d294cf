/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.yammer.metrics.core.Gauge;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On the broker's own registry, which shows itself in this process' JMX. */
class JmxExpositionTest {
    private static final String PREFIX = "kafka.server:type=ClientMetrics,name=";

    private final MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
    private final TelemetryMetrics metrics = new TelemetryMetrics();
    private final JmxExposition exposition = new JmxExposition(metrics);

    @AfterEach
    void close() throws Exception {
        exposition.close();
        assertThat(shown()).isEmpty();
    }

    @Test
    void countersHaveTheNamesOfTheKip() throws Exception {
        metrics.exportTime().record(1_500_000);
        metrics.exportTime().record(7_000);
        metrics.refusals().increment(RefusalReason.TRUNCATED);

        assertThat(value("ClientMetricsPluginExportCount")).isEqualTo(2L);
        assertThat(value("ClientMetricsPluginExportTimeMs")).isEqualTo(1.507);
        assertThat(value("ClientMetricsPluginErrorCount")).isEqualTo(1L);
        assertThat(value("ClientMetricsPluginErrorCount,reason=truncated")).isEqualTo(1L);
        assertThat(value("ClientMetricsPluginErrorCount,reason=group")).isEqualTo(0L);
    }

    @Test
    void theTimesDistributionIsShownInCumulativeBuckets() throws Exception {
        metrics.exportTime().record(5_000);
        metrics.exportTime().record(6_000);
        metrics.exportTime().record(200_000_000);

        assertThat(value("ClientMetricsPluginExportTimeMsBucket,le=0.005")).isEqualTo(1L);
        assertThat(value("ClientMetricsPluginExportTimeMsBucket,le=0.01")).isEqualTo(2L);
        assertThat(value("ClientMetricsPluginExportTimeMsBucket,le=100")).isEqualTo(2L);
        assertThat(value("ClientMetricsPluginExportTimeMsBucket,le=inf")).isEqualTo(3L);
    }

    @Test
    void whatTheHostDoesNotKnowIsAbsentAndShownFromWhenItDoes() throws Exception {
        assertThat(shown()).doesNotContain("ClientMetricsInstanceCount", "ClientMetricsUnknownInstanceCount");

        metrics.provide(Instrument.INSTANCES, () -> 5);
        assertThat(value("ClientMetricsInstanceCount")).isEqualTo(5L);

        metrics.withdraw(Instrument.INSTANCES);
        assertThat(shown()).doesNotContain("ClientMetricsInstanceCount");
    }

    @Test
    void timesSince1970AreWholeMilliseconds() throws Exception {
        metrics.provide(Instrument.SUBSCRIPTIONS_LAST_ERROR, () -> 1_796_027_729_738_000_000L);

        assertThat(value("ClientMetricsSubscriptionLastErrorTimeMs")).isEqualTo(1_796_027_729_738.0);
    }

    @Test
    void whoeverReadsAGaugeThatGoesAwayStillGetsItsValue() {
        metrics.provide(Instrument.INSTANCES, () -> 5);
        Gauge<?> gauge = (Gauge<?>) KafkaYammerMetrics.defaultRegistry().allMetrics().entrySet().stream()
                .filter(metric -> metric.getKey().getName().equals("ClientMetricsInstanceCount"))
                .findFirst()
                .orElseThrow()
                .getValue();

        metrics.withdraw(Instrument.INSTANCES);

        assertThat(gauge.value()).isEqualTo(5L);
    }

    @Test
    void durationsAreInMillisecondsAndWhatIsNotKnownNowIsNull() throws Exception {
        long[] age = {2_500_000};
        metrics.provide(Instrument.OLDEST_PUSH_AGE, () -> age[0]);
        assertThat(value("ClientMetricsOldestPushAgeMs")).isEqualTo(2.5);

        age[0] = Instrument.NOT_KNOWN;
        assertThat(value("ClientMetricsOldestPushAgeMs")).isNull();
    }

    @Test
    void anErrorTypeIsShownWhenItFirstOccurs() throws Exception {
        metrics.requestTimes().failed("java.net.ConnectException", 1_000_000);

        assertThat(value("ClientMetricsRequestErrorCount,reason=java.net.ConnectException"))
                .isEqualTo(1L);
        assertThat(value("ClientMetricsRequestTimeMs,reason=java.net.ConnectException"))
                .isEqualTo(1.0);
    }

    @Test
    void theOldInstanceMayCloseWhenTheNewOneIsThereAlready() throws Exception {
        TelemetryMetrics newer = new TelemetryMetrics();
        JmxExposition second = new JmxExposition(newer);
        metrics.pushes().increment();
        newer.pushes().add(7);
        assertThat(value("ClientMetricsPushCount")).isEqualTo(7L);

        exposition.close();

        assertThat(value("ClientMetricsPushCount")).isEqualTo(7L);
        second.close();
        assertThat(shown()).isEmpty();
    }

    @Test
    void theOlderInstanceShowsAgainWhenTheNewerOneCloses() throws Exception {
        TelemetryMetrics newer = new TelemetryMetrics();
        newer.provide(Instrument.INSTANCES, () -> 1);
        JmxExposition second = new JmxExposition(newer);
        metrics.pushes().add(3);

        second.close();
        second.close();

        assertThat(value("ClientMetricsPushCount")).isEqualTo(3L);
        assertThat(shown()).doesNotContain("ClientMetricsInstanceCount");
    }

    @Test
    void aNameThatSomeoneElseHasIsLeftToThem() throws Exception {
        exposition.close();
        var name = KafkaYammerMetrics.getMetricName("kafka.server", "ClientMetrics", "ClientMetricsPushCount");
        KafkaYammerMetrics.defaultRegistry().newGauge(name, new Gauge<String>() {
            @Override
            public String value() {
                return "another's";
            }
        });
        try {
            JmxExposition second = new JmxExposition(metrics);
            assertThat(value("ClientMetricsPushCount")).isEqualTo("another's");
            second.close();
            assertThat(value("ClientMetricsPushCount")).isEqualTo("another's");
        } finally {
            KafkaYammerMetrics.defaultRegistry().removeMetric(name);
        }
    }

    private Object value(String name) throws Exception {
        return jmx.getAttribute(new ObjectName(PREFIX + name), "Value");
    }

    private Set<String> shown() throws Exception {
        return jmx.queryNames(new ObjectName("kafka.server:type=ClientMetrics,*"), null).stream()
                .map(name -> name.getKeyProperty("name"))
                .collect(Collectors.toSet());
    }
}
