/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clienttelemetry.examples.receiver.Certificates;
import dev.clienttelemetry.metrics.ServerAddress;
import dev.clienttelemetry.pipeline.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each wrong setting stops the start with a message that helps; no secret gets into any. */
class OtlpSettingsTest {
    @TempDir
    private static Path directory;

    private static OtelProperties properties(Map<String, String> server) {
        return OtelProperties.of(server, Map.of(), Map.of());
    }

    private static String messageFor(Map<String, String> server) {
        try {
            OtlpConnection.open(properties(server)).close();
        } catch (ConfigException e) {
            assertThat(e.getCause()).as("a cause would be logged, unmasked").isNull();
            return e.getMessage();
        }
        throw new AssertionError("taken: " + server);
    }

    private static OtlpSettings check(Map<String, String> server) {
        return OtlpSettings.check(properties(server));
    }

    @ParameterizedTest
    @CsvSource({
        "grpc, http://collector:4317, collector, 4317",
        "http/protobuf, https://user:secret@collector.example/otlp, collector.example, 443",
        "http/protobuf, http://[::1]:4318, ::1, 4318"
    })
    void theServersAddressIsThatOfTheEndpoint(String protocol, String endpoint, String host, int port) {
        try (OtlpConnection connection = OtlpConnection.open(
                properties(Map.of("otel.exporter.otlp.protocol", protocol, "otel.exporter.otlp.endpoint", endpoint)))) {
            assertThat(connection.serverAddress()).isEqualTo(new ServerAddress(host, port));
        }
    }

    @Test
    void theComponentTypeThatTheMetricsGiveIsTheExportersClass() {
        assertThat(PushExporter.class.getName()).isEqualTo("dev.clienttelemetry.export.PushExporter");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "otel.exporter.otlp.endpoint | collector:4317 | must be a URL that begins with http:// or https://; for example http://collector:4317",
                "otel.exporter.otlp.endpoint | ftp://collector | must be a URL that begins with http:// or https://",
                "otel.exporter.otlp.endpoint | http:// | must be a URL with a host",
                "otel.exporter.otlp.endpoint | http://collector:port | must be a URL with a host",
                "otel.exporter.otlp.endpoint | http://collector:99999 | must be a URL with a host",
                "otel.exporter.otlp.endpoint | http://coll ector:4317 | must be a URL with a host",
                "otel.exporter.otlp.endpoint | http://collector:4317/v1/metrics | must not have a path with protocol grpc",
                "otel.exporter.otlp.metrics.endpoint | collector | must be a URL",
                "otel.exporter.otlp.protocol | http | must be grpc or http/protobuf",
                "otel.exporter.otlp.protocol | GRPC | must be grpc or http/protobuf",
                "otel.exporter.otlp.protocol | http/json | JSON is not supported",
                "otel.exporter.otlp.metrics.protocol | kafka | must be grpc or http/protobuf",
                "otel.exporter.otlp.timeout | soon | must be a number of milliseconds",
                "otel.exporter.otlp.timeout | 0 | must be between 1 ms and 1 h",
                "otel.exporter.otlp.timeout | -5 | must be a number of milliseconds",
                "otel.exporter.otlp.timeout | 2h | must be between 1 ms and 1 h",
                "otel.exporter.otlp.timeout | 99999999999999999999 | must be a number of milliseconds",
                "otel.exporter.otlp.compression | zstd | must be gzip or none",
                "otel.exporter.otlp.certificate | /does/not/exist.pem | must be a file that the broker's user can read",
                "otel.exporter.otlp.client.key | /does/not/exist.pem | needs otel.exporter.otlp.client.certificate",
                "otel.exporter.otlp.client.certificate | /a.pem | needs otel.exporter.otlp.client.key",
                "otel.exporter.otlp.metrics.temporality.preference | up | must be cumulative, delta or lowmemory",
                "otel.metric.export.interval | never | must be a number of milliseconds",
                "otel.metric.export.interval | 0 | must be between 1 ms and 24 h"
            })
    void wrongValuesAreNamedWithWhatWouldBeRight(String key, String value, String remedy) {
        assertThat(messageFor(Map.of(key, value))).contains(key, value, remedy);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3cr3t | number 1 is not one",
                "a=b,s3cr3t | number 2 is not one",
                "a=b,=s3cr3t | number 2 is not one",
                "a b=s3cr3t | no header's name may have",
                "authorization=s3cr3t%zz | the value of authorization is not percent-encoded",
                "authorization=s3cr3t%0Ax: y | the value of authorization has a character other than printable ASCII",
                "authorization=s3cr3t€ | the value of authorization has a character other than printable ASCII"
            })
    void headersAreCheckedWithoutShowingThem(String value, String remedy) {
        assertThat(messageFor(Map.of("otel.exporter.otlp.headers", value)))
                .contains("otel.exporter.otlp.headers", remedy)
                .doesNotContain("s3cr3t");
    }

    @Test
    void resourceAttributesAreCheckedToo() {
        assertThat(messageFor(Map.of("otel.resource.attributes", "a=b,c")))
                .contains("otel.resource.attributes", "number 2");
    }

    @ParameterizedTest
    @CsvSource({
        "http://alice:s3cr3t@collector:4317/path",
        "http://alice:s3cr3t@collector:99999",
        "http://alice:s3/cr3t@collector",
        "https://alice:s3cr3t@collector:4317?s3cr3t",
        "ftp://alice:s3cr3t@collector",
        "alice:s3cr3t@collector:4317"
    })
    void userAndPasswordInAWrongEndpointAreNotShown(String endpoint) {
        assertThat(messageFor(Map.of("otel.exporter.otlp.endpoint", endpoint.replace("?s3cr3t", "?q"))))
                .contains("otel.exporter.otlp.endpoint", "collector")
                .doesNotContain("s3cr3t", "cr3t", "alice");
    }

    @ParameterizedTest
    @CsvSource({
        "http://collector:4317?token=s3cr3t, http://collector:4317?(not shown)",
        "http://collector:4317/a?token=s3cr3t#x, http://collector:4317/a?(not shown)",
        "http://collector:4317#s3cr3t, http://collector:4317#(not shown)",
        "http://alice:s3cr3t@collector?token=s3cr3t@s3cr3t, http://collector?(not shown)",
        "http://collector/a?token=s3cr3t@s3cr3t, http://(not shown)",
        "http://alice:s3?cr3t@collector, http://(not shown)",
        "http://alice:s3#cr3t@collector, http://(not shown)",
        "collector:4317?token=s3cr3t, collector:4317?(not shown)"
    })
    void aQueryIsRefusedAndNotShown(String endpoint, String shown) {
        for (String protocol : List.of("grpc", "http/protobuf")) {
            assertThat(messageFor(
                            Map.of("otel.exporter.otlp.endpoint", endpoint, "otel.exporter.otlp.protocol", protocol)))
                    .contains("otel.exporter.otlp.endpoint", shown)
                    .doesNotContain("s3cr3t", "alice", "s3", "cr3t");
        }
        assertThat(OtlpSettings.shown(endpoint)).isEqualTo(shown);
    }

    @Test
    void theDescriptionHasNoSecrets() {
        String description = check(Map.of(
                        "otel.exporter.otlp.endpoint", "http://alice:s3cr3t@collector:4318",
                        "otel.exporter.otlp.protocol", "http/protobuf",
                        "otel.exporter.otlp.compression", "gzip",
                        "otel.exporter.otlp.headers", "x-tenant=s3cr3t,x-token=s3cr3t"))
                .description();

        assertThat(description)
                .isEqualTo(
                        "http://collector:4318/v1/metrics, protocol http/protobuf, compression gzip, headers x-tenant, x-token"
                                + " (values not shown), user and password from the endpoint (not shown)");
    }

    @Test
    void theDefaultsAreOpenTelemetrys() {
        assertThat(check(Map.of()).description()).isEqualTo("http://localhost:4317, protocol grpc, compression none");
        try (OtlpConnection grpc = OtlpConnection.open(properties(Map.of()));
                OtlpConnection http =
                        OtlpConnection.open(properties(Map.of("otel.exporter.otlp.protocol", "http/protobuf")))) {
            assertThat(grpc.transport().settings().url().toString())
                    .isEqualTo("http://localhost:4317/opentelemetry.proto.collector.metrics.v1.MetricsService/Export");
            assertThat(http.transport().settings().url().toString()).isEqualTo("http://localhost:4318/v1/metrics");
            assertThat(grpc.transport().settings().timeout()).hasSeconds(10);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "otel.exporter.otlp.endpoint, http://c:1, http://c:1/v1/metrics",
        "otel.exporter.otlp.endpoint, http://c:1/, http://c:1/v1/metrics",
        "otel.exporter.otlp.endpoint, http://c:1/opentelemetry, http://c:1/opentelemetry/v1/metrics",
        "otel.exporter.otlp.endpoint, http://otel_collector:1, http://otel_collector:1/v1/metrics",
        "otel.exporter.otlp.endpoint, 'http://[::1]:1', 'http://[::1]:1/v1/metrics'",
        "otel.exporter.otlp.metrics.endpoint, http://c:1, http://c:1/",
        "otel.exporter.otlp.metrics.endpoint, http://c:1/api/otlp, http://c:1/api/otlp",
        "otel.exporter.otlp.metrics.endpoint, http://c:1/api/otlp/, http://c:1/api/otlp/",
        "otel.exporter.otlp.endpoint, http://c:1/v1/metrics, http://c:1/v1/metrics/v1/metrics",
        "otel.exporter.otlp.endpoint, http://c:1/a/../b%20c;d/é, http://c:1/b%20c;d/%C3%A9/v1/metrics",
        "otel.exporter.otlp.endpoint, https://C.example:443, https://c.example/v1/metrics"
    })
    void httpPathsAreOpenTelemetrysAndShown(String key, String endpoint, String url) {
        OtelProperties properties = properties(Map.of("otel.exporter.otlp.protocol", "http/protobuf", key, endpoint));
        try (OtlpConnection connection = OtlpConnection.open(properties);
                CapturedLog log = new CapturedLog()) {
            assertThat(connection.transport().settings().url().toString()).isEqualTo(url);
            assertThat(connection.description()).startsWith(url + ", ");

            connection.reachability().answered(Answer.of(Answer.Outcome.ENDPOINT_REFUSES, "404", "HTTP 404"), 0, false);

            assertThat(log.lines()).singleElement().asString().contains("OTLP endpoint " + url + ": HTTP 404");
        }
    }

    @Test
    void userAndPasswordAreNotInTheUrlThatIsShown() {
        assertThat(check(Map.of(
                                "otel.exporter.otlp.endpoint", "http://alice:s3cr3t@collector:4318/a",
                                "otel.exporter.otlp.protocol", "http/protobuf"))
                        .shownEndpoint())
                .isEqualTo("http://collector:4318/a/v1/metrics");
    }

    @ParameterizedTest
    @CsvSource({
        "otel.exporter.otlp.endpoint, http://c:1/v1/metrics, http://c:1/v1/metrics/v1/metrics",
        "otel.exporter.otlp.endpoint, http://c:1/v1/metrics/, http://c:1/v1/metrics/v1/metrics",
        "otel.exporter.otlp.endpoint, http://c:1/api/v1/metrics, http://c:1/api/v1/metrics/v1/metrics",
        "otel.exporter.otlp.metrics.endpoint, http://c:1, http://c:1/",
        "otel.exporter.otlp.metrics.endpoint, http://c:1/, http://c:1/"
    })
    void aPathThatIsHardlyMeantIsToldWithTheUrlThatIsPostedTo(String key, String endpoint, String url) {
        assertThat(warnings("http/protobuf", key, endpoint))
                .singleElement()
                .asString()
                .contains(key + " ", "requests are posted to " + url + ".");
    }

    @Test
    void otherPathsAreToldNothingOf() {
        String general = "otel.exporter.otlp.endpoint";
        String metrics = "otel.exporter.otlp.metrics.endpoint";
        assertThat(warnings("http/protobuf", general, "http://c:1")).isEmpty();
        assertThat(warnings("http/protobuf", general, "http://c:1/v1")).isEmpty();
        assertThat(warnings("http/protobuf", metrics, "http://c:1/v1/metrics")).isEmpty();
        assertThat(warnings("grpc", general, "http://c:1")).isEmpty();
        assertThat(warnings("grpc", metrics, "http://c:1/")).isEmpty();
    }

    private static List<String> warnings(String protocol, String key, String endpoint) {
        try (CapturedLog log = new CapturedLog()) {
            OtlpConnection.open(properties(Map.of("otel.exporter.otlp.protocol", protocol, key, endpoint)))
                    .close();
            return log.lines().stream()
                    .filter(line -> line.startsWith("WARN otel."))
                    .toList();
        }
    }

    @Test
    void keysAndCertificatesThatAreNoneAreNamed() throws IOException {
        Certificates authority = new Certificates(directory);
        Certificates.Identity identity = authority.issue("client");
        Certificates.Identity other = authority.issue("other");
        Path nonsense = Files.writeString(directory.resolve("nonsense.pem"), "nonsense");
        Path empty = Files.writeString(directory.resolve("empty.pem"), "");
        Path oldKey = Files.writeString(directory.resolve("old.pem"), "-----BEGIN RSA PRIVATE KEY-----\n");
        Path brokenKey = Files.writeString(
                directory.resolve("broken.pem"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        String key = "otel.exporter.otlp.client.key";
        String certificate = "otel.exporter.otlp.client.certificate";

        assertThat(messageFor(Map.of("otel.exporter.otlp.certificate", nonsense.toString())))
                .contains("otel.exporter.otlp.certificate", "X.509 certificates in PEM");
        assertThat(messageFor(Map.of("otel.exporter.otlp.certificate", empty.toString())))
                .contains("X.509 certificates in PEM");
        assertThat(messageFor(Map.of("otel.exporter.otlp.certificate", directory.toString())))
                .contains("must be a file that the broker's user can read");
        assertThat(messageFor(Map.of(key, identity.key().toString(), certificate, nonsense.toString())))
                .contains(certificate, "X.509 certificates in PEM");
        assertThat(messageFor(Map.of(
                        key,
                        oldKey.toString(),
                        certificate,
                        identity.certificate().toString())))
                .contains(key, "openssl pkcs8 -topk8 -nocrypt");
        assertThat(messageFor(Map.of(
                        key,
                        brokenKey.toString(),
                        certificate,
                        identity.certificate().toString())))
                .contains(key);
        assertThat(messageFor(Map.of(
                        key,
                        other.key().toString(),
                        certificate,
                        identity.certificate().toString())))
                .contains(key, "is not the key of");
        assertThat(check(Map.of(
                                key, identity.key().toString(),
                                certificate, identity.certificate().toString()))
                        .description())
                .contains("with a client certificate");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LC | K | ",
                "L | K | ",
                "bL | K | ",
                "L | nKn | ",
                "LCC | K | client.certificate: must have each certificate once; number 3 is number 2 again",
                "LL | K | client.certificate: must have each certificate once; number 2 is number 1 again",
                "CL | K | client.certificate: must be a chain, each certificate issued by the next; number 2 is of CN=client",
                "LOC | K | client.certificate: must be a chain, each certificate issued by the next; number 2 is of CN=other",
                "L | eK | client.key: must be a file with an unencrypted PKCS #8 key in PEM and nothing else",
                "L | bK | client.key: must be a file with an unencrypted PKCS #8 key in PEM and nothing else",
                "L | KL | client.key: must be a file with an unencrypted PKCS #8 key in PEM and nothing else",
                "L | KK | client.key: must be a file with an unencrypted PKCS #8 key in PEM and nothing else",
                "L | Kb | client.key: must be a file with an unencrypted PKCS #8 key in PEM and nothing else"
            })
    void chainsAndKeysThatTheJdkWouldNotReadAreNamed(String chain, String key, String remedy) throws IOException {
        Certificates authority = new Certificates(directory);
        Certificates.Identity client = authority.issue("client");
        Map<Character, String> parts = Map.of(
                'L', first(client.certificate()),
                'O', first(authority.issue("other").certificate()),
                'C', Files.readString(authority.authorityPem()),
                'K', Files.readString(client.key()),
                'b', "Bag Attributes\n    friendlyName: client\n",
                'n', "\n\n\0",
                'e', "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n");
        Path chainFile = written("chain.pem", chain, parts);
        Path keyFile = written("key.pem", key, parts);
        Map<String, String> settings = Map.of(
                "otel.exporter.otlp.endpoint",
                "https://collector:4317",
                "otel.exporter.otlp.client.certificate",
                chainFile.toString(),
                "otel.exporter.otlp.client.key",
                keyFile.toString());

        if (remedy == null) {
            OtlpConnection.open(properties(settings)).close();
        } else {
            String option = remedy.substring(0, remedy.indexOf(':'));
            assertThat(messageFor(settings))
                    .startsWith("Invalid value " + (option.endsWith("key") ? keyFile : chainFile)
                            + " for configuration otel.exporter.otlp." + remedy);
        }
    }

    private static String first(Path certificates) throws IOException {
        String pem = Files.readString(certificates);
        String end = "-----END CERTIFICATE-----\n";
        return pem.substring(0, pem.indexOf(end) + end.length());
    }

    private static Path written(String name, String letters, Map<Character, String> parts) throws IOException {
        StringBuilder content = new StringBuilder();
        letters.chars().forEach(letter -> content.append(parts.get((char) letter)));
        return Files.writeString(directory.resolve(name), content);
    }

    /** Kafka's own ssl.keystore.key takes the key itself, so whoever knows that may write it here. */
    @Test
    void aKeyInPlaceOfItsFileIsNotShown() throws IOException {
        Certificates.Identity identity = new Certificates(directory).issue("client");
        String key = Files.readString(identity.key());
        String certificate = "otel.exporter.otlp.client.certificate";
        for (Map<String, String> settings : List.of(
                Map.of("otel.exporter.otlp.client.key", key),
                Map.of(
                        "otel.exporter.otlp.client.key",
                        key,
                        certificate,
                        identity.certificate().toString()),
                Map.of("otel.exporter.otlp.client.key", identity.key().toString(), certificate, key),
                Map.of("otel.exporter.otlp.certificate", key))) {
            assertThat(messageFor(settings))
                    .contains("must be the path of a file")
                    .doesNotContain(key.lines().skip(1).findFirst().orElseThrow());
        }
    }

    @Test
    void certificatesForAnEndpointWithoutTlsAreToldToHaveNoEffect() throws IOException {
        String authority = new Certificates(directory).authorityPem().toString();
        try (CapturedLog log = new CapturedLog()) {
            OtlpConnection.open(properties(Map.of("otel.exporter.otlp.certificate", authority)))
                    .close();
            OtlpConnection.open(properties(Map.of(
                            "otel.exporter.otlp.certificate",
                            authority,
                            "otel.exporter.otlp.endpoint",
                            "https://collector:4317")))
                    .close();
            assertThat(log.lines("no effect")).singleElement().asString().contains("http://localhost:4317", "https://");
        }
    }

    @Test
    void openTelemetrysHintsReachTheLogWithoutSecrets() {
        try (CapturedLog log = new CapturedLog()) {
            OtlpConnection.open(properties(Map.of("otel.exporter.otlp.endpoint", "http://alice:s3cr3t@collector:4318")))
                    .close();
            assertThat(String.join("\n", log.lines())).doesNotContain("s3cr3t");
        }
    }

    @Test
    void aFailedOpenLeavesNothingBehind() {
        // What only OpenTelemetry refuses, when the logs are taken over already.
        assertThat(messageFor(Map.of(
                        "otel.exporter.otlp.endpoint",
                        "http://collector:4318/{x}",
                        "otel.exporter.otlp.protocol",
                        "http/protobuf")))
                .startsWith("Invalid otel.exporter.otlp.* configuration: ");
        assertThat(java.util.logging.Logger.getLogger("io.opentelemetry").getHandlers())
                .isEmpty();
    }
}
