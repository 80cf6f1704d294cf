/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigsResult;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** What needs no cluster; the rest is in {@code ClientMetricsCliIT} and {@code SubscriptionsIT}. */
class AdminClusterSubscriptionsTest {

    /** The controller writes at most 10,000 records at once, one for each field. */
    @Test
    void sendsManyChangesInPortionsThatTheControllerTakes() {
        List<SubscriptionChange> changes =
                IntStream.range(0, 10_001).mapToObj(i -> change("s" + i, "x")).toList();

        List<List<SubscriptionChange>> portions = AdminClusterSubscriptions.portions(changes);

        assertThat(joined(portions)).isEqualTo(changes);
        assertThat(portions)
                .allSatisfy(portion -> assertThat(portion.size() * 3).isBetween(1, 9_999));
        assertThat(portions).hasSizeLessThan(50);
        assertThat(AdminClusterSubscriptions.portions(List.of())).isEmpty();
    }

    @Test
    void sendsLongChangesInSmallerPortions() {
        String kibibytes600 = "x".repeat(600 << 10);
        List<SubscriptionChange> changes =
                List.of(change("a", kibibytes600), change("b", kibibytes600), change("c", "x"), change("d", "y"));

        assertThat(AdminClusterSubscriptions.portions(changes))
                .containsExactly(changes.subList(0, 1), changes.subList(1, 4));
    }

    @Test
    void sendsOnePortionAfterTheOtherAndTellsWhatIsRefusedOfEach() throws Exception {
        List<SubscriptionChange> changes =
                IntStream.range(0, 1_234).mapToObj(i -> change("s" + i, "x")).toList();
        List<String> sent = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        Admin admin = (Admin) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Admin.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("incrementalAlterConfigs")) {
                        return null;
                    }
                    Map<ConfigResource, KafkaFuture<Void>> answers = new LinkedHashMap<>();
                    for (Object resource : ((Map<?, ?>) arguments[0]).keySet()) {
                        String name = ((ConfigResource) resource).name();
                        sent.add(name);
                        answers.put((ConfigResource) resource, answer(name));
                    }
                    sizes.add(answers.size());
                    return result(answers);
                });

        try (AdminClusterSubscriptions cluster = new AdminClusterSubscriptions(admin, Duration.ofSeconds(1))) {
            assertThat(cluster.apply(changes)).containsOnlyKeys("s7", "s700", "s1233");
        }

        assertThat(sizes).containsExactly(500, 500, 234);
        assertThat(sent)
                .containsExactlyElementsOf(
                        changes.stream().map(SubscriptionChange::name).toList());
    }

    private static KafkaFuture<Void> answer(String name) {
        KafkaFutureImpl<Void> answer = new KafkaFutureImpl<>();
        if (List.of("s7", "s700", "s1233").contains(name)) {
            answer.completeExceptionally(new PolicyViolationException("too many"));
        } else {
            answer.complete(null);
        }
        return answer;
    }

    private static AlterConfigsResult result(Map<ConfigResource, KafkaFuture<Void>> answers) throws Exception {
        Constructor<AlterConfigsResult> constructor = AlterConfigsResult.class.getDeclaredConstructor(Map.class);
        constructor.setAccessible(true);
        return constructor.newInstance(answers);
    }

    @Test
    void tellsAReasonOnceForAllThatItWasGivenFor() {
        Map<String, String> refused = new TreeMap<>();
        for (int i = 0; i < 3_400; i++) {
            refused.put(String.format("s%04d", i), "PolicyViolationException: too many");
        }
        refused.put("other", "InvalidConfigurationException: no");

        assertThat(Refusals.lines(refused))
                .containsExactly(
                        "other: InvalidConfigurationException: no",
                        "s0000, s0001, s0002, s0003, s0004 and 3395 more: PolicyViolationException: too many");
    }

    @Test
    void boundsTheNumberOfReasons() {
        Map<String, String> refused = new TreeMap<>();
        for (int i = 0; i < 1_000; i++) {
            refused.put("s" + i, "reason " + i);
        }

        assertThat(Refusals.lines(refused)).hasSize(21).last().isEqualTo("980 more, for other reasons");
    }

    private static SubscriptionChange change(String name, String metrics) {
        return new SubscriptionChange(
                name,
                SubscriptionChange.Kind.CREATE,
                List.of(
                        new SubscriptionChange.Field("metrics", null, metrics),
                        new SubscriptionChange.Field("interval.ms", null, "1000"),
                        new SubscriptionChange.Field("match", null, "client_id=x")));
    }

    private static List<SubscriptionChange> joined(List<List<SubscriptionChange>> portions) {
        List<SubscriptionChange> all = new ArrayList<>();
        portions.forEach(all::addAll);
        return all;
    }
}
