/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

/**
 * Everything that is measured, with the names under which it shows: KIP-714's where the KIP has one, and in its style
 * for the rest; by OpenTelemetry's semantic conventions in OTLP. {@code src/site/markdown/metrics.md} lists them all.
 *
 * <p>A host shows of these what it can know: see {@link TelemetryMetrics#provide}.
 */
public enum Instrument {
    /** Client instances that the host manages, subscribed or not. Only the host knows. */
    INSTANCES(
            "ClientMetricsInstanceCount",
            "client_telemetry.instance.count",
            Kind.UP_DOWN_COUNTER,
            "{client}",
            "Client instances that the host manages, with or without a subscription"),
    /** Client instances that push. */
    ACTIVE_INSTANCES(
            "ClientMetricsActiveInstanceCount",
            "client_telemetry.active_instance.count",
            Kind.UP_DOWN_COUNTER,
            "{client}",
            "Client instances that push metrics"),
    /** Requests for subscriptions without an instance id. Only the host knows. */
    NEW_INSTANCES(
            "ClientMetricsNewInstanceCount",
            "client_telemetry.new_instance.requests",
            Kind.COUNTER,
            "{request}",
            "GetTelemetrySubscriptions requests without a client instance id"),
    /** Requests with an instance id that is not known. Only the host knows. */
    UNKNOWN_INSTANCES(
            "ClientMetricsUnknownInstanceCount",
            "client_telemetry.unknown_instance.requests",
            Kind.COUNTER,
            "{request}",
            "Telemetry requests with a client instance id that is not known"),
    /** Pushes with a subscription id that is not the current one. Only the host knows. */
    UNKNOWN_SUBSCRIPTIONS(
            "ClientMetricsUnknownSubscriptionRequestCount",
            "client_telemetry.unknown_subscription.requests",
            Kind.COUNTER,
            "{request}",
            "Pushes with a subscription id that is not the instance's current one"),
    /** Requests that came too early. Only the host knows. */
    THROTTLED(
            "ClientMetricsThrottleCount",
            "client_telemetry.throttled.requests",
            Kind.COUNTER,
            "{request}",
            "Telemetry requests refused since they came before the push interval had passed; brokers count GetTelemetrySubscriptions too, the gateway pushes alone"),
    /** Calls of the plugin. */
    PLUGIN_EXPORTS(
            "ClientMetricsPluginExportCount",
            "client_telemetry.plugin.exports",
            Kind.COUNTER,
            "{call}",
            "Calls of exportMetrics"),
    /** Time spent in the plugin on request threads. */
    PLUGIN_EXPORT_TIME(
            "ClientMetricsPluginExportTimeMs",
            "client_telemetry.plugin.export.duration",
            Kind.DISTRIBUTION,
            "s",
            "Time spent in exportMetrics"),
    /** Exceptions raised from the plugin. */
    PLUGIN_ERRORS(
            "ClientMetricsPluginErrorCount",
            "client_telemetry.plugin.errors",
            Kind.COUNTER,
            "{error}",
            "Exceptions raised from exportMetrics: pushes that are no sound OTLP",
            Tag.ERROR),
    /** Client instances that are no longer remembered. */
    INSTANCES_ENDED(
            "ClientMetricsInstanceEndedCount",
            "client_telemetry.instance.ended",
            Kind.COUNTER,
            "{client}",
            "Client instances that are no longer remembered",
            Tag.REASON),

    /** Pushes that the client was told are fine. */
    PUSHES(
            "ClientMetricsPushCount",
            "client_telemetry.push.received",
            Kind.COUNTER,
            "{push}",
            "Pushes that the client was told are fine"),
    /** Their bytes. */
    PUSH_BYTES(
            "ClientMetricsPushBytes",
            "client_telemetry.push.size",
            Kind.COUNTER,
            "By",
            "Bytes of pushes received, decompressed, without those that are too large"),
    /** Pushes that the backend has. */
    PUSHES_DELIVERED(
            "ClientMetricsPushDeliveredCount",
            "client_telemetry.push.delivered",
            Kind.COUNTER,
            "{push}",
            "Pushes received that the backend has, perhaps but for data points that it rejected"),
    /** Pushes that were received but did not reach the backend. */
    PUSHES_DROPPED(
            "ClientMetricsPushDroppedCount",
            "client_telemetry.push.dropped",
            Kind.COUNTER,
            "{push}",
            "Pushes received that did not reach the backend",
            Tag.ERROR),
    /** Pushes with nothing to send. */
    PUSHES_EMPTY(
            "ClientMetricsPushEmptyCount",
            "client_telemetry.push.empty",
            Kind.COUNTER,
            "{push}",
            "Pushes received that had nothing in them, or of which nothing was left to send"),
    /** Pushes on their way. */
    PUSHES_PENDING(
            "ClientMetricsPushPendingCount",
            "client_telemetry.push.pending",
            Kind.UP_DOWN_COUNTER,
            "{push}",
            "Pushes received that are neither delivered nor dropped nor empty so far"),
    /** Data points left out. */
    POINTS_DROPPED(
            "ClientMetricsPointDroppedCount",
            "client_telemetry.data_point.dropped",
            Kind.COUNTER,
            "{data_point}",
            "Data points of accepted pushes that were left out",
            Tag.REASON),
    /** Series that began anew. */
    SEQUENCES_RESTARTED(
            "ClientMetricsSequenceRestartCount",
            "client_telemetry.sequence.restarted",
            Kind.COUNTER,
            "{sequence}",
            "Series that began a new cumulative sequence",
            Tag.REASON),
    /** Attributes that would have passed for labels. */
    FORGED_ATTRIBUTES(
            "ClientMetricsForgedAttributeCount",
            "client_telemetry.forged_attribute.dropped",
            Kind.COUNTER,
            "{attribute}",
            "Attributes of clients dropped since they carry the key of a label"),
    /** Zero points for which there was no time. */
    ZERO_POINTS_LEFT_OUT(
            "ClientMetricsZeroPointLeftOutCount",
            "client_telemetry.zero_point.left_out",
            Kind.COUNTER,
            "{data_point}",
            "Zero points not written since a sequence's first point leaves no time for them"),
    /** Points that are passed on as they are. */
    POINTS_PASSED_THROUGH(
            "ClientMetricsPointPassedThroughCount",
            "client_telemetry.data_point.passed_through",
            Kind.COUNTER,
            "{data_point}",
            "Points of histograms and summaries, passed on unchanged"),
    /** Series with state. */
    SERIES(
            "ClientMetricsSeriesCount",
            "client_telemetry.series.count",
            Kind.UP_DOWN_COUNTER,
            "{series}",
            "Series with cumulative state"),
    /** Their bound. */
    SERIES_LIMIT(
            "ClientMetricsSeriesLimit",
            "client_telemetry.series.limit",
            Kind.UP_DOWN_COUNTER,
            "{series}",
            "The most series with cumulative state"),
    /** Memory that payloads hold. */
    BUFFER_BYTES(
            "ClientMetricsBufferBytes",
            "client_telemetry.buffer.usage",
            Kind.UP_DOWN_COUNTER,
            "By",
            "Memory that payloads hold, all stages together"),
    /** Its bound. */
    BUFFER_LIMIT(
            "ClientMetricsBufferLimitBytes",
            "client_telemetry.buffer.limit",
            Kind.UP_DOWN_COUNTER,
            "By",
            "The most memory that payloads may hold"),
    /** How long the oldest push has been waiting, in nanoseconds. */
    OLDEST_PUSH_AGE(
            "ClientMetricsOldestPushAgeMs",
            "client_telemetry.oldest_push.age",
            Kind.GAUGE,
            "s",
            "Age of the oldest push that is not yet delivered, 0 where there is none"),
    /** Whether the backend takes requests, or refuses only their content: 1 or 0. */
    BACKEND_REACHABLE(
            "ClientMetricsBackendReachable",
            "client_telemetry.backend.reachable",
            Kind.GAUGE,
            "1",
            "1 where the backend takes requests or refuses only their content, 0 where it does neither"),

    /** OTLP requests. */
    REQUESTS(
            "ClientMetricsRequestCount",
            "client_telemetry.request.sent",
            Kind.COUNTER,
            "{request}",
            "OTLP requests sent, retries included"),
    /** Their bytes. */
    REQUEST_BYTES(
            "ClientMetricsRequestBytes",
            "client_telemetry.request.size",
            Kind.COUNTER,
            "By",
            "Bytes of the bodies of OTLP requests before compression, retries included"),
    /** Requests that failed. OTel derives it from the count of {@link #REQUEST_TIME}. */
    REQUEST_ERRORS(
            "ClientMetricsRequestErrorCount", null, Kind.COUNTER, "{request}", "OTLP requests that failed", Tag.ERROR),
    /** How long they take. */
    REQUEST_TIME(
            "ClientMetricsRequestTimeMs",
            "client_telemetry.request.duration",
            Kind.DISTRIBUTION,
            "s",
            "Duration of OTLP requests, from sending to the answer or its failure",
            Tag.ERROR),
    /** How long it takes until a batch is delivered or given up. */
    DELIVERY_TIME(
            "ClientMetricsDeliveryTimeMs",
            "otel.sdk.exporter.operation.duration",
            Kind.DISTRIBUTION,
            "s",
            "Duration of exporting a batch, from the beginning of its first request to its delivery or its end",
            Tag.ERROR),
    /** Points that the backend took. */
    POINTS_SENT(
            "ClientMetricsPointSentCount",
            "otel.sdk.exporter.metric_data_point.exported",
            Kind.COUNTER,
            "{data_point}",
            Instrument.EXPORTED),
    /** Points that the backend rejected: the same metric in OTel, with an {@code error.type}. */
    POINTS_REJECTED(
            "ClientMetricsPointRejectedCount",
            "otel.sdk.exporter.metric_data_point.exported",
            Kind.COUNTER,
            "{data_point}",
            Instrument.EXPORTED),
    /** Points that were sent and given up: the same metric in OTel, with the {@code error.type} of the last failure. */
    POINTS_FAILED(
            "ClientMetricsPointFailedCount",
            "otel.sdk.exporter.metric_data_point.exported",
            Kind.COUNTER,
            "{data_point}",
            Instrument.EXPORTED,
            Tag.ERROR),
    /** Points whose export has begun and not ended. */
    POINTS_IN_FLIGHT(
            "ClientMetricsPointInFlightCount",
            "otel.sdk.exporter.metric_data_point.inflight",
            Kind.UP_DOWN_COUNTER,
            "{data_point}",
            "Data points whose export has begun and not ended, those that wait for their next attempt included"),

    /** Subscriptions that the source has. */
    SUBSCRIPTIONS_SUPPLIED(
            "ClientMetricsSubscriptionSuppliedCount",
            "client_telemetry.subscription.supplied",
            Kind.GAUGE,
            "{subscription}",
            "Subscriptions that the source supplied when it could be read last"),
    /** Subscriptions changed in the cluster. */
    SUBSCRIPTIONS_APPLIED(
            "ClientMetricsSubscriptionAppliedCount",
            "client_telemetry.subscription.applied",
            Kind.COUNTER,
            "{subscription}",
            "Subscriptions that this broker created, changed or deleted in the cluster"),
    /** Subscriptions that differ. Only the broker that applies them knows. */
    SUBSCRIPTIONS_DRIFTED(
            "ClientMetricsSubscriptionDriftedCount",
            "client_telemetry.subscription.drifted",
            Kind.GAUGE,
            "{subscription}",
            "Subscriptions of the cluster that are not as supplied and could not be made so; told by the broker that"
                    + " applies them"),
    /** When all was well last, in nanoseconds since 1970. */
    SUBSCRIPTIONS_LAST_SUCCESS(
            "ClientMetricsSubscriptionLastSuccessTimeMs",
            "client_telemetry.subscription.last_success.time",
            Kind.GAUGE,
            "s",
            "When the source was last read and the cluster found or made equal to it, since 1970"),
    /** When something failed last, in nanoseconds since 1970. */
    SUBSCRIPTIONS_LAST_ERROR(
            "ClientMetricsSubscriptionLastErrorTimeMs",
            "client_telemetry.subscription.last_error.time",
            Kind.GAUGE,
            "s",
            "When the source could not be read, or the cluster not be compared or changed, last, since 1970"),
    ;

    /** What a reading gives where there is none at this moment; it is then left out. */
    public static final long NOT_KNOWN = Long.MIN_VALUE;

    /** The {@code error.type} that the semantic conventions have for what a backend rejects of a request that it takes. */
    public static final String REJECTED = "rejected";

    private static final String EXPORTED =
            "Data points whose export has ended: taken by the backend, or with an error rejected or given up";

    /** How values behave over time. */
    public enum Kind {
        /** A total since start. */
        COUNTER,
        /** An amount that goes up and down and may be added up over brokers. */
        UP_DOWN_COUNTER,
        /** A state that is not added up. */
        GAUGE,
        /** Durations: count, total, histogram. */
        DISTRIBUTION
    }

    /** What splits an instrument's values, and how that is called in JMX and in OTLP. */
    public enum Tag {
        /** Why something that is no failure happened. */
        REASON("reason", "client_telemetry.reason"),
        /** What failed. */
        ERROR("reason", "error.type");

        private final String jmxName;
        private final String otelName;

        Tag(String jmxName, String otelName) {
            this.jmxName = jmxName;
            this.otelName = otelName;
        }

        /** Returns the key in a JMX name. */
        String jmxName() {
            return jmxName;
        }

        /** Returns the key of the attribute in OpenTelemetry. */
        public String otelName() {
            return otelName;
        }
    }

    private final String jmxName;
    private final String otelName;
    private final Kind kind;
    private final String unit;
    private final String description;
    private final Tag tag;

    Instrument(String jmxName, String otelName, Kind kind, String unit, String description) {
        this(jmxName, otelName, kind, unit, description, null);
    }

    Instrument(String jmxName, String otelName, Kind kind, String unit, String description, Tag tag) {
        this.jmxName = jmxName;
        this.otelName = otelName;
        this.kind = kind;
        this.unit = unit;
        this.description = description;
        this.tag = tag;
    }

    /** Returns the name in JMX, which is KIP-714's where the KIP has one. */
    String jmxName() {
        return jmxName;
    }

    /** Returns the name in OpenTelemetry, null where another instrument tells it there. */
    public String otelName() {
        return otelName;
    }

    /** Returns how values behave over time. */
    public Kind kind() {
        return kind;
    }

    /** Returns the unit in UCUM; readings in {@code s} are taken in nanoseconds. */
    public String unit() {
        return unit;
    }

    /** Returns whether the values are durations, which are kept in nanoseconds. */
    public boolean isDuration() {
        return unit.equals("s");
    }

    /** Returns one line for people. */
    public String description() {
        return description;
    }

    /** Returns what splits the values, null where nothing does. */
    public Tag tag() {
        return tag;
    }
}
