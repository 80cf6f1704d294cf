/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubscriptionFilesTest {
    @TempDir
    private Path dir;

    @Test
    void readsYaml() throws Exception {
        Path file = write("s.yaml", """
                subscriptions:
                  - name: producers
                    metrics: [org.apache.kafka.producer.]
                    interval: 30s
                    match:
                      client_software_name: apache-kafka-java
                      client_id: "billing-.*"
                  - name: all
                    metrics: ["*"]
                """);

        assertThat(SubscriptionData.of(SubscriptionFiles.read(file)))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "names", "all,producers",
                        "all.metrics", "*",
                        "producers.metrics", "org.apache.kafka.producer.",
                        "producers.interval.ms", "30000",
                        "producers.match", "client_id=billing-.*,client_software_name=apache-kafka-java"));
    }

    @ParameterizedTest
    @CsvSource({"100ms,100", "30s,30000", "30 s,30000", "5m,300000", "1h,3600000"})
    void readsIntervalsWithTheirUnit(String text, int ms) throws Exception {
        Path file = write("s.yaml", "subscriptions:\n  - name: a\n    interval: " + text + "\n");

        assertThat(SubscriptionFiles.read(file).byName().get("a").intervalMs()).hasValue(ms);
    }

    @ParameterizedTest
    @CsvSource({"30", "99ms", "2h", "30sec", "-1s", "999999999999s", "999999999h", "~", "[]"})
    void refusesOtherIntervals(String text) throws Exception {
        Path file = write("s.yaml", "subscriptions:\n  - name: a\n    interval: " + text + "\n");

        assertThat(errors(file)).singleElement().satisfies(e -> {
            assertThat(e.line()).isEqualTo(3);
            assertThat(e.column()).isEqualTo(15);
            assertThat(e.expected()).contains("100ms to 1h");
        });
    }

    @Test
    void tellsAllErrorsOfAFileWithTheirPlaces() throws Exception {
        Path file = write("s.yaml", """
                subscriptions:
                  - name: a
                    metric: [x]
                    interval: 5
                    match:
                      client_version: x
                      client_id: a{1,2}
                      client_source_port: x=y
                      client_software_name: "("
                  - metrics: a,b
                  - name: "x,y"
                    metrics: [a, a, "", " b", {}]
                  - 7
                more: 1
                """);

        assertThat(errors(file).stream()
                        .map(e -> e.toString().substring(file.toString().length() + 1)))
                .containsExactlyInAnyOrder(
                        "3:5: found the unknown key 'metric', expected 'metrics'",
                        "4:15: found '5', expected a number with its unit (ms, s, m or h), 100ms to 1h, such as 30s",
                        "6:7: found the unknown key 'client_version', expected one of client_instance_id, client_id,"
                                + " client_software_name, client_software_version, client_source_address,"
                                + " client_source_port",
                        "7:18: found 'a{1,2}', expected no ',' (Kafka's match syntax cannot hold it); \\x2C stands for"
                                + " the character itself, and x{2}|x{3} for x{2,3}",
                        "8:27: found 'x=y', expected no '=' (Kafka's match syntax cannot hold it); \\x3D stands for"
                                + " the character itself",
                        "9:29: found '(', expected a regular expression; it is none: Unclosed group",
                        "10:5: found no 'name', expected a subscription with a name",
                        "10:14: found 'a,b', expected a list of prefixes, such as [org.apache.kafka.producer.]",
                        "11:11: found 'x,y', expected a name without commas and control characters",
                        "12:18: found 'a' a second time, expected each prefix once",
                        "12:21: found an empty text, expected a prefix of metric names, or \"*\" for all",
                        "12:25: found space around ' b', expected no space, since Kafka drops it",
                        "12:31: found a mapping, expected a prefix of metric names, or \"*\" for all",
                        "13:5: found '7', expected a subscription: name, metrics, interval, match",
                        "14:1: found the unknown key 'more', expected subscriptions");
    }

    @Test
    void saysHowToWriteAStar() throws Exception {
        assertThat(errors(write("s.yaml", "subscriptions:\n  - name: a\n    metrics: [*]\n")))
                .singleElement()
                .satisfies(e -> {
                    assertThat(e.line()).isEqualTo(3);
                    assertThat(e.expected()).contains("\"*\" in quotes");
                });
        assertThat(errors(write("s.yaml", "subscriptions:\n  - name: a\n    match: {client_id: *abc}\n")))
                .singleElement()
                .satisfies(e -> assertThat(e.expected()).contains("needs quotes"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|nothing",
                "'# nothing here'|nothing",
                "subscriptions:|nothing",
                "subscriptions: {}|a mapping",
                "[]|a list",
                "x|'''x'''",
                "{}|no 'subscriptions'"
            })
    void takesAnEmptiedFileForAnError(String text, String found) throws Exception {
        assertThat(errors(write("s.yaml", text))).singleElement().satisfies(e -> assertThat(e.found())
                .isEqualTo(found));
    }

    @Test
    void takesAnEmptyListForNoSubscription() throws Exception {
        assertThat(SubscriptionFiles.read(write("s.yaml", "subscriptions: []")).subscriptions())
                .isEmpty();
        assertThat(SubscriptionFiles.read(write("s.properties", "names = [] \n"))
                        .subscriptions())
                .isEmpty();
    }

    /** As YAML's 'subscriptions:' with nothing after it: pruned by it, a cluster would lose all of its subscriptions. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"names=|1:7", "names|1:6", "# none\\n names :|2:9"})
    void takesAnEmptyListOfNamesForAnError(String text, String place) throws Exception {
        Path file = write("s.properties", text.replace("\\n", "\n"));
        assertThat(errors(file)).singleElement().satisfies(e -> assertThat(e.toString())
                .isEqualTo(file + ":" + place
                        + ": found nothing after 'names', expected the names of all subscriptions ([] for none)"));
    }

    @Test
    void readsASubscriptionThatIsNamedLikeTheEmptyList() throws Exception {
        assertThat(SubscriptionFiles.read(write("s.properties", "names=[]\n[].metrics=x\n"))
                        .byName())
                .containsOnlyKeys("[]");
    }

    @Test
    void refusesRepeatedKeysTagsAndASecondDocument() throws Exception {
        assertThat(errors(write("s.yaml", "subscriptions: []\nsubscriptions: []\n")))
                .singleElement()
                .satisfies(e -> assertThat(e.toString()).contains(":2:1: found the key 'subscriptions' a second time"));
        assertThat(errors(write("s.yaml", "subscriptions: [{name: !!java.net.URL x, metrics: [a]}]")))
                .singleElement()
                .satisfies(e -> assertThat(e.found()).contains("tag"));
        assertThat(errors(write("s.yaml", "subscriptions: []\n---\nsubscriptions: []\n")))
                .singleElement()
                .satisfies(e -> assertThat(e.found()).isEqualTo("a second document"));
    }

    @Test
    void resolvesAliases() throws Exception {
        SubscriptionSet set = SubscriptionFiles.read(
                write(
                        "s.yaml",
                        "subscriptions:\n- {name: a, metrics: &m [x, &y y]}\n- {name: b, metrics: *m}\n- {name: c, metrics: [*y]}\n"));

        assertThat(set.byName().get("b").metrics()).containsExactly("x", "y");
        assertThat(set.byName().get("c").metrics()).containsExactly("y");
    }

    @Test
    @Timeout(60)
    void doesNotBlowUpOnHostileFiles() throws Exception {
        StringBuilder laughs = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for (int i = 1; i < 20; i++) {
            laughs.append("a")
                    .append(i)
                    .append(": &a")
                    .append(i)
                    .append(" [")
                    .append(("*a" + (i - 1) + ",").repeat(9))
                    .append("]\n");
        }
        assertThat(errors(write("laughs.yaml", laughs.toString())))
                .anySatisfy(e -> assertThat(e.found()).contains("more than 50 aliases"));
        assertThat(errors(write("deep.yaml", "[".repeat(500_000))))
                .anySatisfy(e -> assertThat(e.found()).contains("more than 16 levels"));
        assertThat(errors(write("deep.yaml", "- ".repeat(400_000))))
                .anySatisfy(e -> assertThat(e.found()).contains("more than 16 levels"));
        assertThat(errors(write("deep.yaml", "? ".repeat(400_000)))).isNotEmpty();
        assertThat(errors(write("self.yaml", "&a [*a]"))).isNotEmpty();
        assertThat(errors(write("many.yaml", "subscriptions:\n" + "- 1\n".repeat(100_000))))
                .hasSize(SourceErrors.MAX_ERRORS + 1)
                .last()
                .satisfies(e -> assertThat(e.found()).isEqualTo("99800 more errors"));
        assertThat(errors(write("large.yaml", "#".repeat(SubscriptionFiles.MAX_FILE_BYTES + 1))))
                .anySatisfy(e -> assertThat(e.found()).contains("more than 1048576 bytes"));
        assertThat(errors(write(
                        "regex.yaml", "subscriptions: [{name: a, match: {client_id: '" + "(".repeat(200_000) + "'}}]")))
                .anySatisfy(e -> assertThat(e.expected()).contains("Stack overflow"));
        assertThat(errors(write("long.yaml", "subscriptions: [{" + "n".repeat(900_000) + ": 1}]")))
                .allSatisfy(e -> assertThat(e.toString()).hasSizeLessThan(1000));
        assertThat(errors(write("control.yaml", "subscriptions: [{name: \"a\\u0007\\n\u0001\", metrics: [a]}]")))
                .allSatisfy(e -> assertThat(e.toString().chars().noneMatch(Character::isISOControl))
                        .isTrue());
    }

    @Test
    void tellsWhereAFileIsNotUtf8() throws Exception {
        Path file = dir.resolve("s.yaml");
        Files.write(file, "subscriptions:\n- name: \u00e9".getBytes(StandardCharsets.ISO_8859_1));

        assertThat(errors(file)).singleElement().satisfies(e -> assertThat(e.toString())
                .endsWith(":2:9: found bytes that are not UTF-8, expected UTF-8"));
    }

    @Test
    void readsPropertiesWithPlaces() throws Exception {
        Path file = write(
                "s.properties", "# comment\nnames=a, b\na.metrics = x,y\na.interval.ms=1000\nb.match=client_id=z\n");
        assertThat(SubscriptionFiles.read(file).byName().get("a").metrics()).containsExactly("x", "y");

        Path wrong = write(
                "w.properties",
                "names=a,b\na.metrics=x\n  a.intervall.ms=1000\na.interval.ms=1\na.metrics=y\nc.match=x\n");
        assertThat(errors(wrong).stream()
                        .map(e -> e.toString().substring(wrong.toString().length() + 1)))
                .containsExactlyInAnyOrder(
                        "5:1: found the key 'a.metrics' a second time, expected each key once; the first is in line 2",
                        "3:3: found the unknown key 'a.intervall.ms', expected 'a.interval.ms'",
                        "6:1: found the unknown key 'c.match', expected 'a.match'",
                        "4:15: found '1', expected a whole number of milliseconds, 100 to 3600000",
                        "1:7: found no key of 'b', expected at least one of b.metrics, b.interval.ms, b.match; Kafka cannot"
                                + " keep an empty one");
        assertThat(errors(write("e.properties", ""))).singleElement().satisfies(e -> assertThat(e.found())
                .isEqualTo("no key 'names'"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "client_id=a{1,3}|the character ',' in 'client_id=a{1,3}'|\\x2C",
                "client_id=[a,b],client_software_name=x|the character ',' in 'client_id=[a,b]'|\\x2C",
                "client_software_name=x,client_id=a{1,3}b{2,3}|the character ',' in 'client_id=a{1,3}b{2,3}'|\\x2C",
                "client_id=a=b|the character '=' in the expression of 'client_id=a=b'|\\x3D",
                "billing|'''billing'''|attribute=expression"
            })
    void namesTheCharacterThatAnExpressionInPropertiesCannotHold(String match, String found, String expected)
            throws Exception {
        assertThat(errors(write("s.properties", "names=a\na.match=" + match)))
                .singleElement()
                .satisfies(e -> {
                    assertThat(e.found()).isEqualTo(found);
                    assertThat(e.expected()).contains(expected);
                    assertThat(e.line()).isEqualTo(2);
                    assertThat(e.column()).isEqualTo(9);
                });
    }

    @Test
    void keepsMessagesShortWhateverTheNames() throws Exception {
        String name = "n".repeat(300_000);
        String half = name.substring(1);
        Path file = write("s.properties", "names=" + name + "," + half + "\n" + half + ".metric=x\nx.metrics=y\n");

        assertThat(errors(file)).hasSize(4).allSatisfy(e -> assertThat(e.toString())
                .hasSizeLessThan(1500));
    }

    /** As the kubelet lays it out: the files are links into a directory that is changed by one link. */
    @Test
    void readsAMountedConfigMapEachFileOnce() throws Exception {
        ConfigMapMount mount = new ConfigMapMount(Files.createDirectory(dir.resolve("mount")));
        mount.publish(
                Map.of("a.yaml", "subscriptions: [{name: a, metrics: [x]}]", "b.properties", "names=b\nb.metrics=x\n"));
        assertThat(SubscriptionFiles.read(mount.directory()).byName()).containsOnlyKeys("a", "b");
        assertThat(SubscriptionFiles.contents(mount.directory()).files())
                .containsOnlyKeys(
                        mount.directory().resolve("a.yaml"), mount.directory().resolve("b.properties"));

        mount.publish(Map.of("c.yaml", "subscriptions: [{name: c, metrics: [x]}]"));
        assertThat(SubscriptionFiles.read(mount.directory()).byName()).containsOnlyKeys("c");
    }

    @Test
    void readsAMountedConfigMapAgainThatChangesMeanwhile() throws Exception {
        ConfigMapMount mount = new ConfigMapMount(Files.createDirectory(dir.resolve("mount")));
        mount.publish(Map.of("a.yaml", "old a", "b.yaml", "old b", "c.yaml", "old c"));
        readsWhatIsPublishedMeanwhile(mount, AllowedPaths.of(mount.directory().toString()));
    }

    /** No file is missed, and yet they do not belong together. */
    @Test
    void mixesNoFilesOfTwoStatesOfAMount() throws Exception {
        ConfigMapMount mount = new ConfigMapMount(Files.createDirectory(dir.resolve("mount")));
        mount.publish(Map.of("a.yaml", "old a", "b.yaml", "old b"));
        readsWhatIsPublishedMeanwhile(mount, AllowedPaths.ALL);
    }

    private static void readsWhatIsPublishedMeanwhile(ConfigMapMount mount, AllowedPaths allowed) throws Exception {
        List<Path> read = new ArrayList<>();
        SubscriptionFiles.Contents contents = SubscriptionFiles.contents(mount.directory(), allowed, file -> {
            read.add(file);
            if (read.size() == 1) {
                publish(mount, Map.of("a.yaml", "new a", "b.yaml", "new b"));
            }
        });
        assertThat(contents.files().values())
                .containsExactly("new a".getBytes(StandardCharsets.UTF_8), "new b".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void doesNotReadForEverWhatChangesAllTheTime() throws Exception {
        ConfigMapMount mount = new ConfigMapMount(Files.createDirectory(dir.resolve("mount")));
        mount.publish(Map.of("a.yaml", "0"));
        List<Path> read = new ArrayList<>();
        SubscriptionFiles.contents(mount.directory(), AllowedPaths.ALL, file -> {
            read.add(file);
            assertThat(read).hasSizeLessThan(10);
            publish(mount, Map.of("a.yaml", Integer.toString(read.size())));
        });
        assertThat(read).hasSize(3);
    }

    private static void publish(ConfigMapMount mount, Map<String, String> files) {
        try {
            mount.publish(files);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void readsADirectoryAsOneSet() throws Exception {
        write("1.yaml", "subscriptions: [{name: a, metrics: [x]}]");
        write("2.yml", "subscriptions: [{name: b, metrics: [x]}]");
        write("3.properties", "names=c\nc.metrics=x");
        write(".hidden.yaml", "nonsense");
        write("readme.txt", "nonsense");
        Files.createDirectory(dir.resolve("sub"));

        assertThat(SubscriptionFiles.read(dir).byName()).containsOnlyKeys("a", "b", "c");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s.yaml|subscriptions: [{name: \"a\\uD800\", metrics: [x]}]|1:24|a\\ud800",
                "s.yaml|subscriptions: [{name: \"a\\uD800b\", metrics: [x]}]|1:24|a\\ud800b",
                "s.yaml|subscriptions: [{name: a, metrics: [\"x\\uDC00y\"]}]|1:37|x\\udc00y",
                "s.yaml|subscriptions: [{name: a, match: {client_id: \"\\uDE00\\uD83D\"}}]|1:46|\\ude00\\ud83d",
                "s.yaml|subscriptions: [{\"n\\uD800\": a}]|1:18|n\\ud800",
                "s.properties|names=a\\uD800|1:7|a\\ud800",
                "s.properties|names=a\\na.metrics = x,\\uDC00y|2:13|x,\\udc00y",
                "s.properties|names=a\\na.match=client_id=\\uDE00\\uD83D|2:9|client_id=\\ude00\\ud83d",
                "s.properties|names=a\\na.metrics=x\\na.\\uD800=x|3:1|a.\\ud800"
            })
    void refusesHalfOfACharacterWhereItStands(String file, String text, String place, String quoted) throws Exception {
        Path path = write(file, text.replace("\\n", "\n"));
        assertThat(errors(path)).anySatisfy(e -> assertThat(e.toString())
                .startsWith(path + ":" + place + ": found half of a character, ")
                .contains(" in '" + quoted + "', expected whole characters"));
        assertThat(errors(path)).filteredOn(e -> e.found().contains("half")).hasSize(1);
    }

    @Test
    void takesBothHalvesOfACharacterFromEscapes() throws Exception {
        for (Path file : List.of(
                write("s.yaml", "subscriptions: [{name: \"\\uD83D\\uDE00\", metrics: [x]}]"),
                write("s.properties", "names=\\uD83D\\uDE00\n\\uD83D\\uDE00.metrics=x"))) {
            assertThat(SubscriptionFiles.read(file).byName()).containsOnlyKeys("\uD83D\uDE00");
        }
    }

    @Test
    void refusesANameThatTwoFilesHave() throws Exception {
        Path first = write("1.yaml", "subscriptions: [{name: a, metrics: [x]}]");
        write("2.yaml", "subscriptions: [{name: a, metrics: [x]}]");

        assertThat(errors(dir)).singleElement().satisfies(e -> assertThat(e.toString())
                .contains("2.yaml:1:24: found the name 'a' a second time", "the first is at " + first + ":1:24"));
    }

    @Test
    void refusesADirectoryInWhichALinkLeadsNowhereOrADirectoryIsNamedLikeAFile() throws Exception {
        write("a.yaml", "subscriptions: [{name: a, metrics: [x]}]");
        Path link = Files.createSymbolicLink(dir.resolve("b.yaml"), dir.resolve("gone"));
        Path directory = Files.createDirectory(dir.resolve("c.properties"));

        assertThat(errors(dir)).extracting(SourceError::file).containsExactlyInAnyOrder("" + link, "" + directory);
    }

    @Test
    void refusesADirectoryWithoutFilesAndAMissingPath() {
        assertThat(errors(dir)).singleElement().satisfies(e -> assertThat(e.found())
                .startsWith("no .yaml"));
        assertThat(errors(dir.resolve("missing"))).singleElement().satisfies(e -> assertThat(e.found())
                .isEqualTo("no file or directory"));
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text);
    }

    private static List<SourceError> errors(Path path) {
        return catchThrowableOfType(InvalidSourceException.class, () -> SubscriptionFiles.read(path))
                .errors();
    }

    /** Each looked up among the known ones, as only those are that show, they would take half a minute. */
    @Test
    @Timeout(30)
    void readsManyUnknownKeysInShortTime() throws Exception {
        StringBuilder text = new StringBuilder("names=");
        for (int i = 100; i < 200; i++) {
            text.append(i == 100 ? "" : ",").append("subscription").append(i);
        }
        for (int i = 0; i < 25_000; i++) {
            text.append("\nsubscription")
                    .append(100 + i % 100)
                    .append(".matricks")
                    .append(10_000 + i)
                    .append("=x");
        }
        Path file = Files.writeString(dir.resolve("many.properties"), text);

        assertThatThrownBy(() -> SubscriptionFiles.read(file))
                .isInstanceOf(InvalidSourceException.class)
                .hasMessageContaining("found the unknown key 'subscription100.matricks10000', expected")
                .hasMessageContaining("24900 more errors");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s.yaml|subscriptions:\\n- name: \u0007x|:2:9: found the control character U+0007, expected none",
                "s.yaml|subscriptions: [{name: a, match: {client_id: \"billing\\.x\"}}]|expected single quotes",
                "s.properties|names=a,b\\na.metrics=x\\nb.metrics=\\nb.match=|:3:11: found no value in any key of 'b'",
                "s.properties|a.interval.ms=soon|found 'soon', expected a whole number",
                "s.properties|a.interval.ms=soon|found no key 'names'"
            })
    void tellsThePlaceAndTheRemedy(String name, String text, String error) throws Exception {
        Path file = Files.writeString(dir.resolve(name), text.replace("\\n", "\n"));
        assertThatThrownBy(() -> SubscriptionFiles.read(file))
                .isInstanceOf(InvalidSourceException.class)
                .hasMessageContaining(error);
    }
}
