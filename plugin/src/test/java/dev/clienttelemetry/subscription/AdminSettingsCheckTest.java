/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.security.auth.Subject;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.Login;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused is what Kafka makes no client of, and what it makes one of is taken. */
class AdminSettingsCheckTest {
    private static final String PREFIX = "client.telemetry.admin.";
    private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";

    @TempDir
    private Path dir;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            bootstrap.servers | localhost | must be host:port
            bootstrap.servers | a:1,b | must be host:port
            bootstrap.servers | localhost:70000 | must be host:port
            bootstrap.servers | localhost:99999999999 | must be host:port
            bootstrap.servers | localhost:abc | must be host:port
            bootstrap.servers | , | must be host:port
            bootstrap.servers | '' | must be host:port
            request.timeout.ms | abc | must be a whole number, [0,...]
            request.timeout.ms | -1 | must be at least 0
            reconnect.backoff.ms | 1.5 | must be a whole number
            client.dns.lookup | all | must be one of
            security.protocol | SASL | must be one of PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL
            security.protocol | '' | must be one of PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL
            ssl.engine.factory.class | no.such.Factory | no such class
            """)
    void refusesAWrongValueByItsWholeKey(String key, String value, String right) {
        assertRefused(Map.of(key, value))
                .hasMessageStartingWith("Invalid value " + value + " for configuration " + PREFIX + key + ": ")
                .message()
                .containsIgnoringCase(right);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PLAIN + " required username=\"u\" password=\"s3cret\"",
                PLAIN + " username=\"u\" password=\"s3cret\";",
                PLAIN + " required username=\"u\" password=un s3cret;",
                PLAIN + " required username=\"u\" password=\"p\"s3cret;",
                PLAIN + " s3cret username=\"u\" password=\"p\";",
                PLAIN + " required username=\"u\" password=\"s3cret\"; " + PLAIN + " required;",
                "s3cret",
                "no.such.Module required password=\"s3cret\";",
                "org.apache.kafka.common.security.plain.PlainLoginModul required password=\"s3cret\";",
            })
    void refusesALoginThatIsNoneWithoutShowingIt(String jaas) {
        assertRefusedAtStart(Map.of(
                        "security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN", "sasl.jaas.config", jaas))
                .hasMessageStartingWith("Invalid value for configuration " + PREFIX + "sasl.jaas.config: ")
                .hasMessageContaining("such as org.apache.kafka.common.security.scram.ScramLoginModule required")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void refusesALoginThatNothingSaysHowToMake() {
        assertRefused(Map.of(
                        "security.protocol",
                        "SASL_PLAINTEXT",
                        "sasl.mechanism",
                        "OAUTHBEARER",
                        "sasl.login.connect.timeout.ms",
                        "1000"))
                .hasMessageContaining(PREFIX + "sasl.jaas.config must be set");
    }

    @Test
    void refusesStoresThatAreMissingUnreadableOrNotOfThePassword() throws Exception {
        Path missing = dir.resolve("missing.p12");
        Path noStore = Files.writeString(dir.resolve("text.p12"), "no store");
        Path store = dir.resolve("right.p12");
        KeyStore empty = KeyStore.getInstance("PKCS12");
        empty.load(null, null);
        try (OutputStream out = Files.newOutputStream(store)) {
            empty.store(out, "s3cret".toCharArray());
        }
        for (String key : new String[] {"ssl.truststore.location", "ssl.keystore.location"}) {
            assertRefused(Map.of("security.protocol", "SSL", key, missing.toString()))
                    .hasMessage("Invalid value " + missing + " for configuration " + PREFIX + key
                            + ": there is no such file");
            assertRefused(Map.of("security.protocol", "SSL", key, dir.toString()))
                    .hasMessageContaining(PREFIX + key + ": must be a file that the broker may read");
        }
        assertRefused(Map.of("security.protocol", "ssl", "ssl.truststore.location", noStore.toString()))
                .hasMessageContaining("The settings " + PREFIX + "ssl.* are wrong: ")
                .hasMessageContaining(noStore.toString());
        assertRefused(Map.of(
                        "security.protocol", "SSL",
                        "ssl.truststore.location", store.toString(),
                        "ssl.truststore.type", "PKCS12",
                        "ssl.truststore.password", "s3cret-no"))
                .hasMessageContaining("Failed to load SSL keystore " + store)
                .hasMessageNotContaining("s3cret");
        assertTaken(Map.of(
                "security.protocol", "SSL",
                "ssl.truststore.location", store.toString(),
                "ssl.truststore.type", "PKCS12",
                "ssl.truststore.password", "s3cret"));
    }

    @Test
    void storesThatAreNotUsedAreNotLookedAt() {
        assertTaken(Map.of("security.protocol", "PLAINTEXT", "ssl.truststore.location", "/no/such"));
    }

    @Test
    void refusesLessTimeForACallThanForOneOfItsRequests() {
        assertRefused(Map.of("request.timeout.ms", "5000", "default.api.timeout.ms", "4999"))
                .hasMessageContaining(PREFIX + "default.api.timeout.ms: must be at least " + PREFIX
                        + "request.timeout.ms, which is 5000");
    }

    @ParameterizedTest
    @CsvSource({"request.timeout.ms, 45000", "default.api.timeout.ms, 3000"})
    void oneTimeoutAloneMayBeAnything(String key, String value) {
        assertTaken(Map.of(key, value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:1", "PLAINTEXT://localhost:1", "[::1]:1", " localhost:1 , localhost:2", ":1"})
    void takesWhatKafkaTakesForAnAddress(String addresses) {
        assertTaken(Map.of("bootstrap.servers", addresses));
    }

    @Test
    void takesARightLogin() {
        assertTaken(Map.of(
                "security.protocol", "sasl_plaintext",
                "sasl.mechanism", "PLAIN",
                "sasl.jaas.config", PLAIN + " required username=\"u\" password=\"p\";"));
    }

    @Test
    void takesWhatTheClientsOwnConfigProvidersSay() throws Exception {
        Path store = dir.resolve("provided.p12");
        KeyStore empty = KeyStore.getInstance("PKCS12");
        empty.load(null, null);
        try (OutputStream out = Files.newOutputStream(store)) {
            empty.store(out, "s3cret".toCharArray());
        }
        Path values = Files.writeString(
                dir.resolve("values.properties"),
                "bootstrap=localhost:1\nprotocol=SSL\nms=5000\npassword=s3cret\nstore=" + store + "\n");
        Map<String, String> own = new HashMap<>();
        own.put("config.providers", "file");
        own.put("config.providers.file.class", FileConfigProvider.class.getName());
        own.put("bootstrap.servers", "${file:" + values + ":bootstrap}");
        own.put("security.protocol", "${file:" + values + ":protocol}");
        own.put("request.timeout.ms", "${file:" + values + ":ms}");
        own.put("ssl.truststore.type", "PKCS12");
        own.put("ssl.truststore.location", "${file:" + values + ":store}");
        own.put("ssl.truststore.password", "${file:" + values + ":password}");
        assertTaken(own);

        own.put("request.timeout.ms", "${file:" + values + ":password}");
        assertRefused(own).hasMessageContaining(PREFIX + "request.timeout.ms: must be a whole number");
        own.put("request.timeout.ms", "${file:" + dir.resolve("missing.properties") + ":ms}");
        assertRefused(own).hasMessageContaining(PREFIX + "config.providers").hasMessageNotContaining("s3cret");
    }

    /** An engine factory may keep its stores elsewhere, and name them as it likes. */
    @Test
    void storesOfAnotherEngineFactoryNeedNotBeFiles() {
        assertTaken(Map.of(
                "security.protocol", "SSL",
                "ssl.engine.factory.class", StoresElsewhere.class.getName(),
                "ssl.keystore.location", "vault:secret/broker"));
    }

    /** Only Kafka's own login loads the module. */
    @Test
    void theModuleOfAnotherLoginNeedNotBeAClass() {
        assertTaken(Map.of(
                "security.protocol", "SASL_PLAINTEXT",
                "sasl.mechanism", "PLAIN",
                "sasl.login.class", LoginWithoutModule.class.getName(),
                "sasl.jaas.config", "no.such.Module required;"));
    }

    /** An engine factory that reads no store. */
    public static final class StoresElsewhere implements SslEngineFactory {
        @Override
        public void configure(Map<String, ?> configs) {
            assertThat(configs.get("ssl.keystore.location")).isEqualTo("vault:secret/broker");
        }

        @Override
        public SSLEngine createClientSslEngine(String peerHost, int peerPort, String endpointIdentification) {
            try {
                return SSLContext.getDefault().createSSLEngine(peerHost, peerPort);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public SSLEngine createServerSslEngine(String peerHost, int peerPort) {
            return createClientSslEngine(peerHost, peerPort, "");
        }

        @Override
        public boolean shouldBeRebuilt(Map<String, Object> nextConfigs) {
            return false;
        }

        @Override
        public Set<String> reconfigurableConfigs() {
            return Set.of();
        }

        @Override
        public KeyStore keystore() {
            return null;
        }

        @Override
        public KeyStore truststore() {
            return null;
        }

        @Override
        public void close() {}
    }

    /** A login that asks no module. */
    public static final class LoginWithoutModule implements Login {
        @Override
        public void configure(
                Map<String, ?> configs,
                String contextName,
                Configuration jaas,
                AuthenticateCallbackHandler loginCallbackHandler) {}

        @Override
        public LoginContext login() {
            return null;
        }

        @Override
        public Subject subject() {
            return new Subject();
        }

        @Override
        public String serviceName() {
            return "kafka";
        }

        @Override
        public void close() {}
    }

    /** A name that nothing resolves may be there later: no reason not to start a broker. */
    @Test
    void aHostThatDoesNotResolveIsNotRefused() {
        assertThatCode(() -> check(Map.of("bootstrap.servers", "no-such-host.invalid:9092")))
                .doesNotThrowAnyException();
    }

    @Test
    void saysWhoseProtocolItIs() {
        assertThatThrownBy(() -> check(Map.of("security.protocol", "SASL_PLAINTEXT")))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(PREFIX + "security.protocol is SASL_PLAINTEXT, ")
                .hasMessageContaining(PREFIX + "sasl.jaas.config")
                .hasMessageNotContaining("inter-broker");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Map<String, String> own) {
        assertThatThrownBy(() -> Admin.create(AdminSettings.of(broker(own), "id")))
                .as("Kafka takes it")
                .isInstanceOf(RuntimeException.class);
        return assertRefusedAtStart(own);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefusedAtStart(Map<String, String> own) {
        return assertThatThrownBy(() -> check(own)).isInstanceOf(ConfigException.class);
    }

    private static void assertTaken(Map<String, String> own) {
        check(own);
        Admin.create(AdminSettings.of(broker(own), "id")).close(Duration.ZERO);
    }

    private static void check(Map<String, String> own) {
        AdminSettings.check(broker(own), "id");
    }

    private static Map<String, String> broker(Map<String, String> own) {
        Map<String, String> broker = new HashMap<>(Map.of("listeners", "PLAINTEXT://localhost:1"));
        own.forEach((key, value) -> broker.put(PREFIX + key, value));
        assertThat(broker).hasSize(own.size() + 1);
        return broker;
    }
}
