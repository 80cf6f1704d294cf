/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import dev.clienttelemetry.subscription.CompiledSubscription;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Answers GetTelemetrySubscriptions and PushTelemetry as a broker does.
 *
 * <p>The checks and their order are those of Apache Kafka's ClientMetricsManager, with these differences: after a
 * terminating push every further request of the instance gets INVALID_REQUEST until its state expires; a payload that
 * grows beyond the limit when decompressed gets TELEMETRY_TOO_LARGE; an instance is not dropped when its client
 * disconnects, since the gateway does not learn of it; what {@link SubscriptionSet} does with prefixes and selectors.
 *
 * <p>Thread-safe. A push is handed to the exporter on the calling thread, which may therefore block.
 */
public final class TelemetryRequests {
    private final InstanceIdAgreement agreement;
    private final InstanceStates instances;
    private final PushExporter exporter;
    private final int maxBytes;
    private final LongSupplier clockMs;
    private final TelemetryRequestMetrics metrics;

    /**
     * Creates a broker's side without any instances.
     *
     * @param agreement the tables for the ids in header and body
     * @param subscriptions gives the present set; instances compiled from another object are compiled again
     * @param exporter gets the pushes that pass
     * @param maxBytes {@code telemetry.max.bytes}: the most bytes of a push, compressed and decompressed
     * @param maxInstances the most client instances remembered
     * @param clockMs a monotonic clock in milliseconds
     * @param metrics filled with what happens
     */
    public TelemetryRequests(
            InstanceIdAgreement agreement,
            Supplier<SubscriptionSet> subscriptions,
            PushExporter exporter,
            int maxBytes,
            int maxInstances,
            LongSupplier clockMs,
            TelemetryRequestMetrics metrics) {
        this.agreement = agreement;
        this.instances = new InstanceStates(maxInstances, subscriptions);
        this.exporter = exporter;
        this.maxBytes = maxBytes;
        this.clockMs = clockMs;
        this.metrics = metrics;
    }

    /**
     * Answers a GetTelemetrySubscriptions v0.
     *
     * @param request the request
     * @param headerId the client instance id in its header, zero where there is none
     * @param client who sent it
     */
    public GetTelemetrySubscriptionsResponseData subscribe(
            GetTelemetrySubscriptionsRequestData request, Uuid headerId, ClientIdentity client) {
        Uuid requestId = request.clientInstanceId();
        long nowMs = clockMs.getAsLong();
        Uuid id;
        Uuid answeredId;
        switch (agreement.subscribing(headerId, requestId)) {
            case INITIAL -> {
                metrics.newInstances().increment();
                id = instances.newId(nowMs);
                answeredId = id;
            }
            case NON_INITIAL -> {
                id = requestId;
                answeredId = agreement.answered(headerId, requestId);
                if (!instances.known(id, nowMs)) {
                    metrics.unknownInstances().increment();
                }
            }
            default -> {
                return refused(Errors.INVALID_REQUEST);
            }
        }
        InstanceState instance = instances.seen(id, client, nowMs);
        if (instance.terminated()) {
            return refused(Errors.INVALID_REQUEST);
        }
        if (!instance.admitsSubscribing(nowMs)) {
            return refused(Errors.THROTTLING_QUOTA_EXCEEDED);
        }
        instance.lastError(Errors.NONE);
        CompiledSubscription subscription = instance.subscription();
        return new GetTelemetrySubscriptionsResponseData()
                .setClientInstanceId(answeredId)
                .setSubscriptionId(subscription.subscriptionId(id))
                .setRequestedMetrics(subscription.metrics())
                .setAcceptedCompressionTypes(PushCompression.OFFERED)
                .setPushIntervalMs(subscription.intervalMs())
                .setTelemetryMaxBytes(maxBytes)
                .setDeltaTemporality(true);
    }

    /**
     * Answers a PushTelemetry v0, after handing its payload to the exporter where it passes.
     *
     * @param request the request
     * @param headerId the client instance id in its header, zero where there is none
     * @param client who sent it
     */
    public PushTelemetryResponseData push(PushTelemetryRequestData request, Uuid headerId, ClientIdentity client) {
        Uuid id = request.clientInstanceId();
        if (id == null || Uuid.RESERVED.contains(id) || !agreement.pushAllowed(headerId, id)) {
            return answer(Errors.INVALID_REQUEST);
        }
        long nowMs = clockMs.getAsLong();
        if (!instances.known(id, nowMs)) {
            metrics.unknownInstances().increment();
        }
        InstanceState instance = instances.seen(id, client, nowMs);
        Errors error = check(request, instance, nowMs);
        if (request.terminating()) {
            // Whether or not the push passes: the client says that there will be no other.
            instance.terminate();
        }
        if (error == Errors.NONE) {
            error = export(request, client, instance);
        }
        instance.lastError(error);
        return answer(error);
    }

    private Errors check(PushTelemetryRequestData request, InstanceState instance, long nowMs) {
        if (instance.terminated()) {
            return Errors.INVALID_REQUEST;
        }
        if (!instance.admitsPush(nowMs) && !request.terminating()) {
            metrics.throttledPushes().increment();
            return Errors.THROTTLING_QUOTA_EXCEEDED;
        }
        if (request.subscriptionId() != instance.subscription().subscriptionId(request.clientInstanceId())) {
            metrics.unknownSubscriptions().increment();
            return Errors.UNKNOWN_SUBSCRIPTION_ID;
        }
        if (PushCompression.of(request.compressionType()) == null) {
            metrics.unsupportedCompressions().increment();
            return Errors.UNSUPPORTED_COMPRESSION_TYPE;
        }
        if (request.metrics() != null && request.metrics().remaining() > maxBytes) {
            metrics.tooLarge().increment();
            return Errors.TELEMETRY_TOO_LARGE;
        }
        return Errors.NONE;
    }

    private Errors export(PushTelemetryRequestData request, ClientIdentity client, InstanceState instance) {
        ByteBuffer payload = request.metrics();
        if (payload == null || !payload.hasRemaining()) {
            return Errors.NONE;
        }
        byte[] pushed = new byte[payload.remaining()];
        payload.duplicate().get(pushed);
        byte[] bytes;
        try {
            bytes = DecompressedMetrics.of(pushed, PushCompression.of(request.compressionType()), maxBytes);
        } catch (DecompressedMetrics.TooLargeException e) {
            metrics.tooLarge().increment();
            return Errors.TELEMETRY_TOO_LARGE;
        } catch (IOException e) {
            metrics.undecompressable().increment();
            return Errors.INVALID_RECORD;
        }
        try {
            exporter.export(new PushedMetrics(
                    request.clientInstanceId(),
                    client,
                    request.terminating(),
                    bytes,
                    instance.subscription().intervalMs()));
            return Errors.NONE;
        } catch (RuntimeException e) {
            return Errors.INVALID_RECORD;
        }
    }

    /** Forgets the client instances whose time is up. To be called now and then; nothing depends on how often. */
    public void expireInstances() {
        instances.expire(clockMs.getAsLong());
    }

    /** Returns the number of live client instances: KIP-714's ClientMetricsInstanceCount. */
    public int instanceCount() {
        return instances.count(clockMs.getAsLong());
    }

    /** Returns how many of them have a non-empty subscription: KIP-714's ClientMetricsActiveInstanceCount. */
    public int activeInstanceCount() {
        return instances.activeCount(clockMs.getAsLong());
    }

    private static GetTelemetrySubscriptionsResponseData refused(Errors error) {
        return new GetTelemetrySubscriptionsResponseData().setErrorCode(error.code());
    }

    private static PushTelemetryResponseData answer(Errors error) {
        return new PushTelemetryResponseData().setErrorCode(error.code());
    }
}
