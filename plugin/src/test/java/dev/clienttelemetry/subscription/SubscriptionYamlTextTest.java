/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SubscriptionYamlTextTest {
    @Property(tries = 3000)
    void isReadBackAsTheSameSet(@ForAll("sets") SubscriptionSet set) throws Exception {
        byte[] yaml = SubscriptionFiles.toYaml(set).getBytes(StandardCharsets.UTF_8);
        assertThat(SubscriptionFiles.parse(new SubscriptionFiles.Contents(Map.of(Path.of("s.yaml"), yaml))))
                .isEqualTo(set);
    }

    @Property(tries = 3000)
    void whatAFileCanHoldKafkasSyntaxCanToo(@ForAll("sets") SubscriptionSet set) {
        for (Subscription subscription : set.subscriptions()) {
            assertThat(Subscription.fromConfig(subscription.name(), subscription.toConfig()))
                    .isEqualTo(subscription);
        }
    }

    @Provide
    Arbitrary<SubscriptionSet> sets() {
        Arbitrary<String> texts = Arbitraries.oneOf(
                        Arbitraries.of(
                                "null", "~", "true", "1", "1e3", "*", "&a", "!t", "- a", "a: b", "#a", "'", "\"", "\\",
                                "é", "\u2028", "😀", "?", "|", "a #b", "yes", "0x1", "%a", "@a"),
                        Arbitraries.strings().ascii().ofMaxLength(8),
                        Arbitraries.strings().ofMaxLength(4))
                .map(text -> text.replaceAll("[,=\\p{Cntrl}\\u0080-\\u009F\\uD800-\\uDFFF\\uFEFF\\uFFFE\\uFFFF]", "")
                        .trim())
                .filter(text -> !text.isEmpty());
        Arbitrary<String> regexes = texts.filter(SubscriptionYamlTextTest::isRegex);
        Arbitrary<List<MatchSelector>> match = Combinators.combine(
                        Arbitraries.of(ClientAttribute.class).set().ofMaxSize(3),
                        regexes.list().ofSize(3))
                .as((attributes, expressions) -> {
                    List<MatchSelector> selectors = new ArrayList<>();
                    attributes.stream()
                            .sorted()
                            .forEach(a -> selectors.add(new MatchSelector(a, expressions.get(selectors.size()))));
                    return selectors;
                });
        return Combinators.combine(
                        texts,
                        texts.list().uniqueElements().ofMinSize(1).ofMaxSize(3),
                        Arbitraries.integers().between(100, 3_600_000).optional(),
                        match)
                .as((name, metrics, interval, selectors) -> new Subscription(
                        name,
                        metrics,
                        interval.isPresent() ? OptionalInt.of(interval.get()) : OptionalInt.empty(),
                        selectors))
                .list()
                .uniqueElements(Subscription::name)
                .ofMaxSize(3)
                .map(SubscriptionSet::new);
    }

    private static boolean isRegex(String text) {
        try {
            Pattern.compile(text);
            return true;
        } catch (PatternSyntaxException e) {
            return false;
        }
    }
}
