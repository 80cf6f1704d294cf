/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.subscription.SubscriptionReview.Circumstances;
import dev.clienttelemetry.subscription.SubscriptionWarning.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SubscriptionReviewTest {
    private static final String JAVA = "client_software_name=apache-kafka-java";

    @Test
    void findsNothingInASoundSet() {
        assertThat(review(Map.of("metrics", "org.apache.kafka.producer.", "interval.ms", "30000", "match", JAVA)))
                .isEmpty();
    }

    @Test
    void warnsOfMetricsThatLibrdkafkaDoesNotHave() {
        assertThat(review(Map.of("metrics", "org.apache.kafka.producer.batch.")))
                .singleElement()
                .satisfies(w -> {
                    assertThat(w.kind()).isEqualTo(Kind.LIBRDKAFKA);
                    assertThat(w.toString())
                            .contains("Subscription s0: ", "consumers and producers", "aborts", "2.5.0 to 2.5.2")
                            .contains("2.5.3 to 2.10.0", "client_software_name: apache-kafka-java")
                            .contains("org.apache.kafka.producer.connection.creation.rate");
                });
    }

    @Test
    void warnsWhereOnlyOneKindOfLibrdkafkaClientHasNone() {
        assertThat(review(Map.of("metrics", "org.apache.kafka.producer.")))
                .singleElement()
                .satisfies(w -> assertThat(w.reason()).contains("librdkafka's consumers only"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "client_software_name=apache-kafka-java;false;false",
                "client_software_name=apache-.*;false;false",
                "client_software_name=librdkafka;true;true",
                "client_software_name=confluent-kafka-python;true;true",
                "client_software_name=(?!librdkafka|confluent).*;false;false",
                "client_id=billing;true;true",
                "client_software_version=2\\.5\\.[01];true;false",
                "client_software_version=2\\.9\\..*;false;true",
                "client_software_version=2\\.1[1-9]\\..*;false;false",
                "client_software_version=4\\..*;false;false"
            })
    void warnsOfTheVersionsThatCanMatch(String match, boolean aborts, boolean disconnects) {
        List<SubscriptionWarning> warnings =
                review(Map.of("metrics", "org.apache.kafka.producer.batch.", "match", match));
        assertThat(warnings.stream().anyMatch(w -> w.reason().contains("aborts")))
                .isEqualTo(aborts);
        assertThat(warnings.stream().anyMatch(w -> w.reason().contains("costs librdkafka")))
                .isEqualTo(disconnects);
    }

    @Test
    void judgesTheSetAndNotEachSubscriptionForItself() {
        Map<String, String> narrow = Map.of("metrics", "org.apache.kafka.producer.batch.", "match", "client_id=a");
        Map<String, String> both = Map.of(
                "metrics",
                "org.apache.kafka.producer.request.latency.avg,org.apache.kafka.consumer.poll.idle.ratio.avg");

        assertThat(review(narrow)).extracting(SubscriptionWarning::kind).containsExactly(Kind.LIBRDKAFKA);
        assertThat(review(narrow, both)).isEmpty();
        Map<String, String> elsewhere = new HashMap<>(both);
        elsewhere.put("match", "client_id=b");
        assertThat(review(narrow, elsewhere))
                .extracting(SubscriptionWarning::subscription)
                .containsExactly("s0");
    }

    @ParameterizedTest
    @CsvSource({"*,true", "org.apache.,true", "org.apache.kafka.stream.,true", "org.apache.kafka.consumer.,false"})
    void warnsOfPrefixesThatMayExceedTheLimitOfAPush(String prefix, boolean warned) {
        assertThat(kinds(review(Map.of("metrics", prefix, "match", JAVA))).contains(Kind.BROAD))
                .isEqualTo(warned);
        assertThat(kinds(review(Map.of("metrics", prefix, "match", "client_software_name=librdkafka"))))
                .doesNotContain(Kind.BROAD);
        assertThat(kinds(SubscriptionReview.of(
                        set(Map.of("metrics", prefix, "match", JAVA)), new Circumstances(false, 0))))
                .doesNotContain(Kind.BROAD);
    }

    @ParameterizedTest
    @CsvSource({
        "3.9.1,false",
        "4.2.1,false",
        "4.2.2,true",
        "4.3.0,false",
        "4.3.1,true",
        "4.4.0,true",
        "5.0.0,true",
        "4.2.2-SNAPSHOT,true",
        "unknown,true"
    })
    void knowsTheVersionsThatBoundTheDecompressedPush(String version, boolean bounds) {
        assertThat(Circumstances.boundsDecompressedPushes(version)).isEqualTo(bounds);
    }

    @Test
    void warnsOfAnIntervalFarTooShortForTheClients() {
        Map<String, String> config =
                Map.of("metrics", "org.apache.kafka.consumer.", "interval.ms", "1000", "match", JAVA);
        assertThat(SubscriptionReview.of(set(config), new Circumstances(true, 20_000)))
                .singleElement()
                .satisfies(w -> {
                    assertThat(w.kind()).isEqualTo(Kind.LOAD);
                    assertThat(w.toString())
                            .contains("20000 clients that push every 1000 ms make 20000 pushes", "100000 ms");
                });
        assertThat(SubscriptionReview.of(set(config), new Circumstances(true, Long.MAX_VALUE)))
                .singleElement()
                .asString()
                .contains("an interval of at least 300000 ms");
        assertThat(SubscriptionReview.of(set(config), new Circumstances(true, 100)))
                .isEmpty();
        assertThat(SubscriptionReview.of(set(config), Circumstances.UNKNOWN))
                .singleElement()
                .satisfies(w -> assertThat(w.reason()).contains("1000 clients (assumed)"));
        Map<String, String> few = new HashMap<>(config);
        few.put("match", JAVA + ",client_id=one");
        assertThat(review(few)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "client_id=.+;true",
                "client_id=(?s).*;true",
                "client_id=[^!]+;true",
                "client_id=billing-.*;false",
                "client_id=[a-z].*;false",
                "client_instance_id=.+;true",
                "client_instance_id=6V.*;false",
                "client_source_address=[0-9.:a-f]+;true",
                "client_source_address=10\\..*;false",
                "client_source_port=\\d+;true",
                "client_source_port=4\\d+;false"
            })
    void warnsOfTheLoadWhereASelectorLeavesNearlyAllClients(String selector, boolean warned) {
        assertThat(kinds(review(Map.of(
                                "metrics",
                                "org.apache.kafka.consumer.",
                                "interval.ms",
                                "1000",
                                "match",
                                JAVA + "," + selector)))
                        .contains(Kind.LOAD))
                .isEqualTo(warned);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "[a-c&&[d-f]];both sides have",
                "[a-c&&[d-f]]$;both sides have",
                "a$b;after the whole value",
                "(?!a)abc;contradicts"
            })
    void saysWhatToDoAboutTheContradictionThatThereIs(String regex, String remedy) {
        assertThat(review(Map.of("metrics", "org.apache.kafka.consumer.", "match", JAVA + ",client_id=" + regex)))
                .singleElement()
                .satisfies(w -> assertThat(w.remedy()).contains(remedy));
    }

    @Test
    void warnsOfAnIntervalThatNeverTakesEffect() {
        assertThat(kinds(review(
                        Map.of("metrics", "org.apache.kafka.consumer.", "interval.ms", "300001", "match", JAVA))))
                .containsExactly(Kind.LONG_INTERVAL);
    }

    @Test
    void warnsOfAPrefixThatNoKnownClientHas() {
        assertThat(review(Map.of("metrics", "org.apache.kafka.producers.", "match", JAVA)))
                .singleElement()
                .satisfies(w -> {
                    assertThat(w.kind()).isEqualTo(Kind.UNKNOWN_METRIC);
                    assertThat(w.remedy()).contains("Did you mean 'org.apache.kafka.producer.'?", "list-metrics");
                });
        assertThat(kinds(review(Map.of("interval.ms", "60000")))).containsExactly(Kind.NO_METRICS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "client_source_port=65536",
                "client_source_port=x",
                "client_source_address=db-1\\.example\\.com",
                "client_source_address=::1",
                "client_source_address=2001:db8::7",
                "client_source_address=10\\.0\\.0\\.256",
                "client_source_address=010\\..*",
                "client_instance_id=7c9e6679-7425-40de-944b-e07fc1f90ae7",
                "client_instance_id=abc",
                "client_software_name=apache_kafka_java",
                "client_software_name=apache kafka java",
                "client_id=a$b",
                "client_id=billing-$-[0-9]+",
                "client_id=a^b",
                "client_id=a(b$|c$)d",
                "client_id=(?!a)abc",
                "client_id=\\Babc",
                "client_id=[a&&b]x"
            })
    void warnsOfWhatCanNeverMatch(String match) {
        assertThat(kinds(review(Map.of("metrics", "org.apache.kafka.consumer.", "match", match))))
                .containsOnly(Kind.NEVER_MATCHES);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "client_source_port=9\\d+",
                "client_source_address=10\\..*",
                "client_source_address=.*",
                "client_source_address=2001:db8:.*",
                "client_source_address=fe80.*%eth1",
                "client_source_address=(10|172)\\.17\\..*",
                "client_instance_id=6Vob0uS6RPqrN0FtDYlUiQ",
                "client_instance_id=.*A",
                "client_instance_id=[^0]+",
                "client_software_name=(?i)Apache-Kafka-Java",
                "client_software_version=[3-9]\\.\\d+\\.\\d+.*",
                "client_id=anything _at_ all",
                "client_id=^billing-.*$",
                "client_id=a$\\n",
                "client_id=.*a$b",
                "client_id=(a$|b).*",
                "client_id=a\\$b",
                "client_id=(?!test-).*",
                "client_id=(?i)ABC$",
                "client_id=^\\p{IsGreek}+$",
                "client_id=^[\u03b1-\u03c9]+$",
                "client_id=^[^ -~]+$",
                "client_id=\\bbilling\\b.*",
                "client_id=^\\x{1F600}$",
                "client_id=(?<name>a)\\k<name>$"
            })
    void doesNotCallImpossibleWhatIsNot(String match) {
        assertThat(kinds(review(Map.of("metrics", "org.apache.kafka.consumer.", "match", match))))
                .doesNotContain(Kind.NEVER_MATCHES);
    }

    static Stream<String> warnsOfPatternsThatAClientCanMakeSlow() {
        // Not here: (a+)+ and its like, which java.util.regex handles well since Java 9.
        return Stream.of(
                "(a|a)*b",
                "(a|aa)+b",
                "(a|a?)+b",
                "(a|b|ab)*c",
                "(.*a){12}",
                "(x+x+)+y",
                "billing-(x+x+)+y",
                "prod-\\d+\\d+\\d+\\d+x",
                "svc-[a-c]*[b-d]*[b-e]*[b-f]*!",
                "(?:\\w|\\d)+!",
                "(foo|foofoo)+!",
                "eu-(foo|bar|foobar)+-end",
                "^(\\w+\\d*)+-end",
                "^(([a-z])+.)+[A-Z]([a-z])+$",
                "((a+)*)+x",
                "(a+){10}y",
                ".*.*.*.*x",
                "[^x]*[^y]*[^z]*w",
                "\\w*\\d*\\w*\\d*x",
                "(?!(x+x+)+y).*",
                "app-([a-z0-9]+-?)+-v1",
                "(\\S+\\s*)+;",
                "(a|b)*",
                "(billing-?)*(billing-?)*(billing-?)*(billing-?)*x",
                "(?s)(.*)(.*)(.*)(.*)x",
                "(a+?)+b",
                "(a+)+\\1b",
                "\\p{IsGreek}+\\p{IsGreek}+\\p{IsGreek}+x",
                "(\\p{IsHebrew}|\\p{IsHebrew})*x",
                "[\\u0590-\\u05ff]*[\\u0590-\\u05ff]*[\\u0590-\\u05ff]*x",
                "(\\x{1F600}+\\x{1F600}+)+x");
    }

    @ParameterizedTest
    @MethodSource
    @Timeout(60)
    void warnsOfPatternsThatAClientCanMakeSlow(String regex) {
        assertThat(patternKinds("client_id", regex)).containsExactly(Kind.OPEN_PATTERN);
    }

    static Stream<String> doesNotWarnOfOrdinaryPatterns() {
        return Stream.of(
                ".*",
                ".+",
                "billing-.*",
                "^billing-.*$",
                ".*-prod-.*-eu.*",
                "(.*)-prod-(.*)-eu(.*)",
                ".*prod.*",
                ".*-prod",
                "(a|b)-.*",
                "(billing|orders)-[0-9]+",
                "(?:billing|orders)(?:-eu|-us)?-\\d+",
                "[a-z]+-[0-9]+",
                "[A-Za-z0-9._-]+",
                "[^-]+-[^-]+-[^-]+",
                "\\w+\\.\\w+\\.\\d+",
                "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}",
                "(?i)billing.*",
                "(?!test-).*",
                "connector-(consumer|producer)-.*",
                ".*-StreamThread-\\d+-(consumer|producer|restore-consumer|admin)",
                "(a++)+b",
                "(a+)+b",
                "(.*)*b",
                "\\p{IsGreek}+-\\p{IsGreek}+",
                "[^\\x{0}-\\x{10FFFF}]+",
                "(?>x+x+)y",
                "\\Qa+b+c+d+e\\E.*");
    }

    @ParameterizedTest
    @MethodSource
    @Timeout(60)
    void doesNotWarnOfOrdinaryPatterns(String regex) {
        assertThat(patternKinds("client_id", regex)).isEmpty();
    }

    /** The broker refuses other characters in a software's version before anything is matched. */
    @ParameterizedTest
    @CsvSource({
        "client_software_version,.*.*.*.*Q,true",
        "client_software_version,([0-9]+[.]?)+x,true",
        "client_software_version,[^0]*_(x+x+)+y,false",
        "client_id,[^0]*_(x+x+)+y,true",
        "client_instance_id,((([A-Za-z0-9_-]+)+)+)+x!,true",
        "client_instance_id,zQ7((([A-Za-z0-9_-]+)+)+)+x!,true",
        "client_instance_id,zQ7((((x+)+)+)+)+y,true",
        "client_instance_id,!((([A-Za-z0-9_-]+)+)+)+x,false",
        "client_instance_id,[A-Za-z0-9_-]+,false",
        "client_instance_id,6Vob.*,false",
        "client_source_address,(([0-9a-f]+:?)+)+\\.1,true",
        "client_source_address,fd00:7:(([0-9a-f]+:?)+)+\\.1,true",
        "client_source_address,x((([0-9a-f]+:?)+)+)+\\.1,false",
        "client_source_address,10\\..*,false",
        "client_source_address,([0-9]+\\.)+7,false",
        "client_source_address,([0-9a-f]+:)+17,false",
        "client_source_port,(([0-9]+)+)+x,false",
        "client_source_port,9.*,false"
    })
    void triesOnlyWhatAClientMaySend(String attribute, String regex, boolean open) {
        assertThat(patternKinds(attribute, regex).contains(Kind.OPEN_PATTERN)).isEqualTo(open);
    }

    /** Five digits take an expression that nobody would write. */
    @Test
    void triesPortsToo() {
        assertThat(OpenPattern.slowPiece(
                        new MatchSelector(ClientAttribute.CLIENT_SOURCE_PORT, "\\d*".repeat(50) + "x")))
                .isEqualTo(new PatternTree.Repeated("", "54321"));
    }

    @Test
    void tellsWhatLeadsToTheRepetition() {
        assertThat(review(
                        Map.of("metrics", "org.apache.kafka.consumer.", "match", JAVA + ",client_id=billing-(x+x+)+y")))
                .singleElement()
                .satisfies(
                        w -> assertThat(w.reason()).contains("that repeats 'xx' after 'billing-': 'billing-(x+x+)+y'"));
    }

    /**
     * Held against all that others ask for, or each wrong prefix against all names, they would take minutes. The clock
     * stands still, so that it is not the limit that ends the work.
     */
    @Test
    @Timeout(60)
    void judgesManySubscriptionsInTimeThatGrowsWithTheirNumber() {
        List<Subscription> many = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) {
            Map<String, String> config =
                    switch (i % 3) {
                        case 0 ->
                            Map.of(
                                    "metrics",
                                    "org.apache.kafka.producer.batch.,org.apache.kafka.producer.recodr.no" + i);
                        case 1 -> Map.of("metrics", "org.apache.kafka.producer.batch.", "match", "client_id=c" + i);
                        default -> Map.of("metrics", "org.apache.kafka.producer.request.", "match", "client_id=c" + i);
                    };
            many.add(Subscription.fromConfig(String.format("s%05d", i), config));
        }

        List<SubscriptionWarning> warnings = SubscriptionReview.of(
                new SubscriptionSet(many), new Circumstances(true, 100), Duration.ofSeconds(1), () -> 0);

        assertThat(warnings.stream().filter(w -> w.kind() == Kind.LIBRDKAFKA))
                .hasSize(SubscriptionReview.MAX_OF_A_KIND)
                .last()
                .satisfies(w -> assertThat(w.reason()).endsWith("(and 59950 more warnings of this kind)"));
        assertThat(warnings.stream().filter(w -> w.kind() == Kind.UNKNOWN_METRIC))
                .hasSize(SubscriptionReview.MAX_OF_A_KIND)
                .last()
                .satisfies(w -> assertThat(w.reason()).endsWith("(and 19950 more warnings of this kind)"));
        assertThat(kinds(warnings)).doesNotContain(Kind.NOT_JUDGED);
    }

    @Test
    @Timeout(60)
    void triesTheSameExpressionOnce() {
        List<Subscription> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(Subscription.fromConfig(
                    String.format("s%05d", i),
                    Map.of("metrics", "org.apache.kafka.consumer.", "match", JAVA + ",client_id=.*.*.*.*x")));
        }

        List<SubscriptionWarning> warnings = SubscriptionReview.of(new SubscriptionSet(many), Circumstances.UNKNOWN);

        assertThat(warnings).hasSize(SubscriptionReview.MAX_OF_A_KIND).allSatisfy(w -> assertThat(w.kind())
                .isEqualTo(Kind.OPEN_PATTERN));
    }

    @Test
    void saysWhenJudgingIsCutShort() {
        AtomicLong seconds = new AtomicLong();
        List<SubscriptionWarning> warnings = SubscriptionReview.of(
                set(
                        Map.of("metrics", "org.apache.kafka.consumer.", "match", JAVA),
                        Map.of("metrics", "org.apache.kafka.consumer.", "match", JAVA + ",client_id=a.*"),
                        Map.of("metrics", "no.such.metric", "interval.ms", "300001", "match", JAVA + ",client_id=b.*"),
                        Map.of("metrics", "org.apache.kafka.consumer.", "match", JAVA)),
                Circumstances.UNKNOWN,
                Duration.ofSeconds(4),
                () -> TimeUnit.SECONDS.toNanos(seconds.getAndIncrement()));

        assertThat(kinds(warnings)).containsExactly(Kind.LONG_INTERVAL, Kind.UNKNOWN_METRIC, Kind.NOT_JUDGED);
        assertThat(warnings.get(2).toString())
                .isEqualTo("Subscription s1: its expressions and those of 1 more subscriptions were not all tried,"
                        + " since trying those before them took 4000 ms. Use fewer different expressions, or validate"
                        + " these by themselves.");
    }

    @Test
    void tellsAnOrdinaryValueThatMakesAMatchSlow() {
        assertThat(review(Map.of(
                        "metrics",
                        "org.apache.kafka.consumer.",
                        "match",
                        JAVA + ",client_instance_id=((([A-Za-z0-9_-]+)+)+)+x.?!?")))
                .filteredOn(w -> w.kind() == Kind.OPEN_PATTERN)
                .singleElement()
                .satisfies(w -> assertThat(w.reason())
                        .contains("with a client_instance_id such as '6Vob0uS6RPqrN0FtDYlUiQ': '((([A-"));
    }

    private static List<Kind> patternKinds(String attribute, String regex) {
        return kinds(review(Map.of("metrics", "*", "match", attribute + "=" + regex))).stream()
                .filter(kind -> kind == Kind.OPEN_PATTERN || kind == Kind.NEVER_MATCHES)
                .filter(kind -> attribute.equals("client_id") || kind == Kind.OPEN_PATTERN)
                .toList();
    }

    private static List<Kind> kinds(List<SubscriptionWarning> warnings) {
        return warnings.stream().map(SubscriptionWarning::kind).toList();
    }

    @SafeVarargs
    private static List<SubscriptionWarning> review(Map<String, String>... configs) {
        return SubscriptionReview.of(set(configs), Circumstances.UNKNOWN);
    }

    @SafeVarargs
    private static SubscriptionSet set(Map<String, String>... configs) {
        List<Subscription> subscriptions = new ArrayList<>();
        for (Map<String, String> config : configs) {
            subscriptions.add(Subscription.fromConfig("s" + subscriptions.size(), config));
        }
        return new SubscriptionSet(subscriptions);
    }
}
