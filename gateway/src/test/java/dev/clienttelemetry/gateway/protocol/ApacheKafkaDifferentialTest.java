/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.clienttelemetry.subscription.Subscription;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequest;
import org.apache.kafka.common.requests.PushTelemetryRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.ClientMetricsManager;
import org.apache.kafka.server.metrics.ClientMetricsReceiverPlugin;
import org.junit.jupiter.api.Test;

/**
 * Generated sequences of requests, given to the gateway's broker side and to Apache Kafka's ClientMetricsManager of the
 * kafka-clients that the gateway runs with. Errors, intervals and requested metrics must be the same but for the
 * differences that {@link TelemetryRequests} lists, and one fault of this Kafka: its exemption of a
 * GetTelemetrySubscriptions after UNKNOWN_SUBSCRIPTION_ID or UNSUPPORTED_COMPRESSION_TYPE never applies, since the
 * condition joins two inequalities by "or". KIP-714 asks for it and later versions of Kafka do it, as the gateway does.
 */
class ApacheKafkaDifferentialTest {
    private static final int SEQUENCES = 1_200;
    private static final int STEPS = 28;
    private static final int MAX_BYTES = 1_000;
    // No prefix covers another, no selector looks at what the gateway cannot know. Together the steps take less time
    // than an instance lives: expiry has its own tests, since Kafka's is not driven by its clock.
    private static final String[] METRICS = {
        "*", "org.apache.kafka.producer.", "org.apache.kafka.consumer.", "a.b,c.d", "c.d,e.f", "e.f", ""
    };
    private static final int[] INTERVALS = {100, 250, 1_000, 2_000, 400_000};
    private static final String[] MATCHES = {
        "",
        "client_id=client-1",
        "client_id=client-.*",
        "client_software_name=librdkafka",
        "client_software_version=4\\..*,client_id=client-[12]"
    };
    private static final int[] PASSES = {0, 1, 50, 99, 100, 101, 250, 999, 1_000, 1_999, 2_000};
    private static final ClientIdentity[] CLIENTS = {
        new ClientIdentity("client-1", "apache-kafka-java", "4.0.0"),
        new ClientIdentity("client-2", "librdkafka", "2.15.0"),
        new ClientIdentity("client-3", "apache-kafka-java", "3.7.2"),
        new ClientIdentity("", "unknown", "unknown")
    };

    @Test
    void generatedSequencesAreAnsweredAsApacheKafkaDoes() throws Exception {
        Map<Errors, Integer> seen = new EnumMap<>(Errors.class);
        for (long seed = 0; seed < SEQUENCES; seed++) {
            try (Sequence sequence = new Sequence(seed, seen)) {
                for (int step = 0; step < STEPS; step++) {
                    sequence.step();
                }
            }
        }
        // The generator reaches every error that there is.
        assertThat(seen)
                .containsKeys(
                        Errors.NONE,
                        Errors.INVALID_REQUEST,
                        Errors.THROTTLING_QUOTA_EXCEEDED,
                        Errors.UNKNOWN_SUBSCRIPTION_ID,
                        Errors.UNSUPPORTED_COMPRESSION_TYPE,
                        Errors.TELEMETRY_TOO_LARGE,
                        Errors.INVALID_RECORD)
                .allSatisfy((error, count) -> assertThat(count).as(error.name()).isGreaterThan(50));
    }

    /** A client instance, which has another id in either world where the broker made it. */
    private static final class Instance {
        private final ClientIdentity client;
        private final RequestContext context;
        private Uuid ours;
        private Uuid kafkas;
        private int ourSubscriptionId = 4711;
        private int kafkasSubscriptionId = 4711;
        private Errors lastPushError = Errors.NONE;
        private boolean terminated;
        private boolean terminationMet;

        private Instance(Uuid id, ClientIdentity client, RequestContext context) {
            this.ours = id;
            this.kafkas = id;
            this.client = client;
            this.context = context;
        }
    }

    private static final class Sequence implements AutoCloseable {
        private final long seed;
        private final Random random;
        private final Map<Errors, Integer> seen;
        private final List<String> told = new ArrayList<>();
        private final AtomicLong nowMs = new AtomicLong(1_700_000_000_000L);
        private final AtomicBoolean refusing = new AtomicBoolean();
        private final List<Instance> instances = new ArrayList<>();
        private final Map<String, Subscription> subscriptions = new HashMap<>();
        private SubscriptionSet set = SubscriptionSet.EMPTY;
        private final TelemetryRequests ours;
        private final Metrics kafkasMetrics = new Metrics();
        private final ClientMetricsManager kafkas;

        private Sequence(long seed, Map<Errors, Integer> seen) {
            this.seed = seed;
            this.random = new Random(seed);
            this.seen = seen;
            this.ours = new TelemetryRequests(
                    new InstanceIdAgreement(true, true),
                    () -> set,
                    push -> refuse(),
                    MAX_BYTES,
                    1_000,
                    nowMs::get,
                    new TelemetryRequestMetrics());
            ClientMetricsReceiverPlugin plugin = new ClientMetricsReceiverPlugin();
            plugin.add((context, payload) -> {
                payload.data();
                refuse();
            });
            this.kafkas = new ClientMetricsManager(plugin, MAX_BYTES, clock(), kafkasMetrics);
            changeSubscription();
        }

        /** Kafka's clock, moved by this test. What else a clock can do is done by the system's. */
        private Time clock() {
            return (Time) Proxy.newProxyInstance(
                    Time.class.getClassLoader(), new Class<?>[] {Time.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("milliseconds")) {
                            return nowMs.get();
                        }
                        return method.invoke(Time.SYSTEM, arguments);
                    });
        }

        private void refuse() {
            if (refusing.get()) {
                throw new IllegalStateException("refused");
            }
        }

        private void step() throws Exception {
            nowMs.addAndGet(PASSES[random.nextInt(PASSES.length)]);
            refusing.set(random.nextInt(10) == 0);
            int kind = random.nextInt(20);
            if (kind == 0) {
                changeSubscription();
            } else if (kind < 8 || instances.isEmpty()) {
                subscribe();
            } else {
                push();
            }
        }

        private void changeSubscription() {
            String name = "subscription-" + random.nextInt(3);
            if (random.nextInt(4) == 0) {
                told.add("delete " + name);
                kafkas.updateSubscription(name, new Properties());
                if (subscriptions.remove(name) == null) {
                    // No change, neither to Kafka.
                    return;
                }
            } else {
                Map<String, String> config = new HashMap<>();
                config.put("metrics", METRICS[random.nextInt(METRICS.length)]);
                config.put("interval.ms", Integer.toString(INTERVALS[random.nextInt(INTERVALS.length)]));
                String match = MATCHES[random.nextInt(MATCHES.length)];
                if (!match.isEmpty()) {
                    config.put("match", match);
                }
                told.add("set " + name + " " + config);
                Properties properties = new Properties();
                properties.putAll(config);
                kafkas.updateSubscription(name, properties);
                subscriptions.put(name, Subscription.fromConfig(name, config));
            }
            set = new SubscriptionSet(subscriptions.values());
            // Kafka forgets a terminating push with a change of subscriptions.
            instances.stream()
                    .filter(instance -> instance.terminated)
                    .forEach(instance -> instance.terminationMet = true);
        }

        private Instance anInstance() throws Exception {
            if (!instances.isEmpty() && random.nextInt(4) > 0) {
                return instances.get(random.nextInt(instances.size()));
            }
            int kind = random.nextInt(10);
            Uuid id = kind < 5 ? Uuid.ZERO_UUID : kind == 5 ? Uuid.ONE_UUID : Uuid.randomUuid();
            Instance instance = new Instance(id, CLIENTS[random.nextInt(CLIENTS.length)], null);
            instance = new Instance(id, instance.client, context(instance.client, instances.size()));
            instances.add(instance);
            return instance;
        }

        private static RequestContext context(ClientIdentity client, int number) throws Exception {
            return new RequestContext(
                    new RequestHeader(ApiKeys.PUSH_TELEMETRY, (short) 0, client.clientId(), 1),
                    "connection-" + number,
                    InetAddress.getLoopbackAddress(),
                    Optional.of(50_000 + number),
                    KafkaPrincipal.ANONYMOUS,
                    new ListenerName("PLAINTEXT"),
                    SecurityProtocol.PLAINTEXT,
                    new ClientInformation(client.softwareName(), client.softwareVersion()),
                    false);
        }

        private void subscribe() throws Exception {
            Instance instance = anInstance();
            told.add(nowMs + " get " + instance.ours);
            GetTelemetrySubscriptionsResponseData our = ours.subscribe(
                    new GetTelemetrySubscriptionsRequestData().setClientInstanceId(instance.ours),
                    Uuid.ZERO_UUID,
                    instance.client);
            Errors ourError = Errors.forCode(our.errorCode());
            if (instance.terminated) {
                expect(Errors.INVALID_REQUEST, ourError);
                return;
            }
            GetTelemetrySubscriptionsResponseData kafka = kafkas.processGetTelemetrySubscriptionRequest(
                            new GetTelemetrySubscriptionsRequest.Builder(
                                            new GetTelemetrySubscriptionsRequestData()
                                                    .setClientInstanceId(instance.kafkas),
                                            true)
                                    .build((short) 0),
                            instance.context)
                    .data();
            Errors kafkasError = Errors.forCode(kafka.errorCode());
            boolean exempted = ourError == Errors.NONE
                    && kafkasError == Errors.THROTTLING_QUOTA_EXCEEDED
                    && (instance.lastPushError == Errors.UNKNOWN_SUBSCRIPTION_ID
                            || instance.lastPushError == Errors.UNSUPPORTED_COMPRESSION_TYPE);
            if (exempted) {
                instance.lastPushError = Errors.NONE;
                return;
            }
            expect(kafkasError, ourError);
            if (ourError != Errors.NONE) {
                return;
            }
            instance.lastPushError = Errors.NONE;
            if (instance.ours.equals(Uuid.ZERO_UUID)) {
                instance.ours = our.clientInstanceId();
                instance.kafkas = kafka.clientInstanceId();
            }
            assertThat(our.clientInstanceId()).as(story()).isEqualTo(instance.ours);
            assertThat(kafka.clientInstanceId()).as(story()).isEqualTo(instance.kafkas);
            assertThat(our.pushIntervalMs()).as(story()).isEqualTo(kafka.pushIntervalMs());
            assertThat(new HashSet<>(our.requestedMetrics()))
                    .as(story())
                    .isEqualTo(new HashSet<>(kafka.requestedMetrics()));
            assertThat(our.acceptedCompressionTypes()).isEqualTo(kafka.acceptedCompressionTypes());
            assertThat(our.telemetryMaxBytes()).isEqualTo(kafka.telemetryMaxBytes());
            assertThat(our.deltaTemporality()).isEqualTo(kafka.deltaTemporality());
            instance.ourSubscriptionId = our.subscriptionId();
            instance.kafkasSubscriptionId = kafka.subscriptionId();
        }

        private void push() throws Exception {
            Instance instance = anInstance();
            int wrong = random.nextInt(8) == 0 ? 1 : 0;
            PushTelemetryRequestData request = new PushTelemetryRequestData()
                    .setCompressionType(CompressionType.NONE.id)
                    .setTerminating(random.nextInt(15) == 0);
            boolean bomb = payload(request);
            told.add(nowMs + " push " + instance.ours + " wrong=" + wrong + " refusing=" + refusing + " bomb=" + bomb
                    + " " + request);
            Errors ourError = Errors.forCode(ours.push(
                            request.duplicate()
                                    .setClientInstanceId(instance.ours)
                                    .setSubscriptionId(instance.ourSubscriptionId + wrong),
                            Uuid.ZERO_UUID,
                            instance.client)
                    .errorCode());
            if (instance.terminated && instance.terminationMet) {
                expect(Errors.INVALID_REQUEST, ourError);
                return;
            }
            Errors kafkasError = Errors.forCode(kafkas.processPushTelemetryRequest(
                            new PushTelemetryRequest.Builder(
                                            request.duplicate()
                                                    .setClientInstanceId(instance.kafkas)
                                                    .setSubscriptionId(instance.kafkasSubscriptionId + wrong),
                                            true)
                                    .build((short) 0),
                            instance.context)
                    .data()
                    .errorCode());
            if (bomb && ourError == Errors.TELEMETRY_TOO_LARGE) {
                expect(refusing.get() ? Errors.INVALID_RECORD : Errors.NONE, kafkasError);
                instance.lastPushError = ourError;
            } else {
                expect(kafkasError, ourError);
                instance.lastPushError = ourError;
            }
            if (instance.terminated) {
                instance.terminationMet = true;
            }
            if (request.terminating() && !Uuid.RESERVED.contains(instance.ours)) {
                instance.terminated = true;
            }
        }

        /** Gives a request a payload; returns whether it is one that grows beyond the limit. */
        private boolean payload(PushTelemetryRequestData request) throws Exception {
            switch (random.nextInt(9)) {
                case 0 -> request.setMetrics(ByteBuffer.allocate(0));
                case 1 -> request.setMetrics(ByteBuffer.allocate(MAX_BYTES + 1));
                case 2 ->
                    request.setMetrics(ByteBuffer.allocate(10)).setCompressionType((byte) (5 + random.nextInt(9)));
                case 3 -> request.setMetrics(ByteBuffer.allocate(10)).setCompressionType((byte) -1);
                case 4 ->
                    request.setMetrics(ByteBuffer.wrap(new byte[] {9, 9, 9, 9, 9, 9, 9, 9, 9}))
                            .setCompressionType((byte) (1 + random.nextInt(4)));
                case 5 -> {
                    CompressionType type = CompressionType.forId(1 + random.nextInt(4));
                    request.setMetrics(CompressedSample.of(new byte[MAX_BYTES * 9], type))
                            .setCompressionType(type.id);
                    return true;
                }
                case 6 -> {
                    CompressionType type = CompressionType.forId(random.nextInt(5));
                    request.setMetrics(CompressedSample.of(new byte[MAX_BYTES], type))
                            .setCompressionType(type.id);
                }
                default -> request.setMetrics(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            }
            return false;
        }

        private void expect(Errors expected, Errors found) {
            if (found != expected) {
                fail("expected %s, found %s after:%n%s", expected, found, story());
            }
            seen.merge(found, 1, Integer::sum);
        }

        private String story() {
            return "seed " + seed + "\n" + String.join("\n", told);
        }

        @Override
        public void close() {
            try {
                kafkas.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            kafkasMetrics.close();
        }
    }
}
