/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class SubscriptionTest {
    private static final Uuid ID = Uuid.fromString("6Vob0uS6RPqrN0FtDYlUiQ");
    private static final ClientAttributes CLIENT =
            new ClientAttributes(ID, "billing-7", "apache-kafka-java", "4.4.0", "10.0.0.7", "40312");

    @Test
    void readsKafkasSyntax() {
        Subscription subscription = Subscription.fromConfig(
                "producers",
                Map.of(
                        "metrics", " org.apache.kafka.producer. , org.apache.kafka.consumer. ",
                        "interval.ms", " 30000 ",
                        "match", "client_software_name=apache-kafka-java , client_id = billing-.*"));

        assertThat(subscription.metrics()).containsExactly("org.apache.kafka.producer.", "org.apache.kafka.consumer.");
        assertThat(subscription.intervalMs()).hasValue(30_000);
        assertThat(subscription.match())
                .containsExactly(
                        new MatchSelector(ClientAttribute.CLIENT_ID, "billing-.*"),
                        new MatchSelector(ClientAttribute.CLIENT_SOFTWARE_NAME, "apache-kafka-java"));
        assertThat(Subscription.fromConfig("producers", subscription.toConfig()))
                .isEqualTo(subscription);
    }

    @Test
    void namesEverythingThatIsWrongAtOnce() {
        assertThatThrownBy(() -> Subscription.fromConfig(
                        "p",
                        Map.of(
                                "metrics", "a,,a,a",
                                "interval.ms", "99",
                                "match", "clientid=x,client_id=(,client_id=a=b",
                                "interval", "5")))
                .isInstanceOfSatisfying(InvalidSubscriptionException.class, e -> assertThat(e.problems())
                        .hasSize(6)
                        .contains(new Problem("interval", "an unknown key", "'interval.ms'"))
                        .contains(new Problem("match", "the unknown attribute 'clientid'", "'client_id'"))
                        .contains(
                                new Problem("interval.ms", "'99'", "a whole number of milliseconds, 100 to 3600000")));
    }

    @Test
    void leavesAnAbsentFieldOut() {
        assertThat(new Subscription("x", List.of(), OptionalInt.empty(), List.of()).toConfig())
                .isEmpty();
    }

    @Test
    void compilesToPrefixesThatNoOtherCovers() {
        SubscriptionSet set = set(
                Map.of("metrics", "org.apache.kafka.producer.record,org.apache.kafka.consumer."),
                Map.of("metrics", "org.apache.kafka.producer.,org.apache.kafka.consumer.fetch", "interval.ms", "5000"),
                Map.of("metrics", "x", "match", "client_id=other"));

        assertThat(set.compile(CLIENT))
                .isEqualTo(new CompiledSubscription(
                        List.of("org.apache.kafka.consumer.", "org.apache.kafka.producer."), 5000));
    }

    @Test
    void letsTheStarSwallowTheRest() {
        assertThat(set(Map.of("metrics", "a,b"), Map.of("metrics", "*,c"))
                        .compile(CLIENT)
                        .metrics())
                .containsExactly("*");
    }

    @Test
    void neverExceedsFiveMinutes() {
        assertThat(set(Map.of("metrics", "a", "interval.ms", "3600000"))
                        .compile(CLIENT)
                        .intervalMs())
                .isEqualTo(300_000);
        assertThat(SubscriptionSet.EMPTY.compile(CLIENT)).isEqualTo(new CompiledSubscription(List.of(), 300_000));
    }

    @Test
    void computesTheSubscriptionIdOfTheSpecifiedBytes() {
        // Worked out by hand from CRC32C's definition: a changed value would resubscribe every client at an upgrade.
        assertThat(new CompiledSubscription(List.of("a"), 1000).subscriptionId(new Uuid(0, 0)))
                .isEqualTo((int) crc32cBitByBit(new byte[] {'a', ',', 0, 0, 3, (byte) 0xE8}));
        assertThat(new CompiledSubscription(List.of("a"), 1000).subscriptionId(ID))
                .isEqualTo((int) crc32cBitByBit(new byte[] {'a', ',', 0, 0, 3, (byte) 0xE8}) ^ ID.hashCode());
    }

    @Test
    void givesDifferentListsDifferentSubscriptionIds() {
        assertThat(new CompiledSubscription(List.of("ab"), 1000).subscriptionId(ID))
                .isNotEqualTo(new CompiledSubscription(List.of("a", "b"), 1000).subscriptionId(ID));
    }

    private static long crc32cBitByBit(byte[] bytes) {
        int crc = -1;
        for (byte b : bytes) {
            crc ^= b & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0x82F63B78;
            }
        }
        return ~crc;
    }

    @Test
    void matchesNothingOnWhatTheHostCannotKnow() {
        MatchSelector anyAddress = new MatchSelector(ClientAttribute.CLIENT_SOURCE_ADDRESS, ".*");
        assertThat(anyAddress.matches(CLIENT)).isTrue();
        assertThat(anyAddress.test(new ClientAttributes(ID, "a", "b", "c", null, null)))
                .isEqualTo(MatchSelector.Outcome.UNKNOWN_VALUE);
    }

    @Test
    void takesAnEmptySoftwareNameOrVersionForUnknownAsBrokersDo() {
        ClientAttributes client = new ClientAttributes(ID, "", "", "", null, null);
        assertThat(new MatchSelector(ClientAttribute.CLIENT_SOFTWARE_NAME, "unknown").matches(client))
                .isTrue();
        assertThat(new MatchSelector(ClientAttribute.CLIENT_SOFTWARE_VERSION, "unknown").matches(client))
                .isTrue();
        assertThat(new MatchSelector(ClientAttribute.CLIENT_SOFTWARE_NAME, "").matches(client))
                .isFalse();
        // A client id may be empty.
        assertThat(new MatchSelector(ClientAttribute.CLIENT_ID, "").matches(client))
                .isTrue();
    }

    @Test
    void matchesTheWholeValueOnly() {
        assertThat(new MatchSelector(ClientAttribute.CLIENT_ID, "billing").matches(CLIENT))
                .isFalse();
        assertThat(new MatchSelector(ClientAttribute.CLIENT_ID, "billing-.").matches(CLIENT))
                .isTrue();
    }

    @Test
    void stopsAMatchAtTheStepBound() {
        MatchSelector open = new MatchSelector(ClientAttribute.CLIENT_ID, "x*x*x*x*y");
        assertThat(open.test(clientId("x".repeat(64)))).isEqualTo(MatchSelector.Outcome.BOUND_EXCEEDED);
        assertThat(open.matches(clientId("xxxy"))).isTrue();
    }

    @Test
    void takesAnExhaustedStackForNoMatch() {
        MatchSelector recursive = new MatchSelector(ClientAttribute.CLIENT_ID, "(a|b)*");
        assertThat(recursive.test("a".repeat(1_000_000), Long.MAX_VALUE))
                .isEqualTo(MatchSelector.Outcome.BOUND_EXCEEDED);
    }

    @Test
    void refusesAnExpressionThatPatternCannotParse() {
        assertThatThrownBy(() -> new MatchSelector(ClientAttribute.CLIENT_ID, "("))
                .isInstanceOf(PatternSyntaxException.class);
        assertThatThrownBy(() -> new MatchSelector(ClientAttribute.CLIENT_ID, "(".repeat(200_000)))
                .isInstanceOf(PatternSyntaxException.class);
    }

    private static ClientAttributes clientId(String clientId) {
        return new ClientAttributes(ID, clientId, null, null, null, null);
    }

    @SafeVarargs
    private static SubscriptionSet set(Map<String, String>... configs) {
        java.util.List<Subscription> subscriptions = new java.util.ArrayList<>();
        for (Map<String, String> config : configs) {
            subscriptions.add(Subscription.fromConfig("s" + subscriptions.size(), config));
        }
        return new SubscriptionSet(subscriptions);
    }
}
