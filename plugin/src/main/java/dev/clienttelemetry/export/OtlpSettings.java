/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import org.apache.kafka.common.config.ConfigException;

/**
 * The settings of the exporter, checked before OpenTelemetry reads them: it takes some wrong ones without a word, and
 * names neither key nor remedy for others.
 *
 * @param protocol how OTLP is spoken
 * @param endpoint what OpenTelemetry is to read as the endpoint, without user and password; null for its default
 * @param shownEndpoint the endpoint for logs, without user and password; over HTTP the URL that requests are posted to
 * @param credentials an Authorization header made from the user and password in the endpoint, or null
 * @param headerNames the names of the configured headers that are sent
 * @param compressed whether requests are compressed
 * @param clientCertificate whether a client certificate is configured
 * @param warnings what is allowed and hardly meant, for the log, without secrets
 */
record OtlpSettings(
        OtlpProtocol protocol,
        String endpoint,
        String shownEndpoint,
        String credentials,
        List<String> headerNames,
        boolean compressed,
        boolean clientCertificate,
        List<String> warnings) {
    private static final Duration MAX_TIMEOUT = Duration.ofHours(1);
    private static final String PEM_BEGIN = "-----BEGIN ";
    private static final String KEY_BEGIN = PEM_BEGIN + "PRIVATE KEY-----";
    private static final String KEY_END = "-----END PRIVATE KEY-----";
    private static final String NOT_SHOWN = "(not shown)";
    private static final String HTTP_EXAMPLE = "http://collector:4318";
    private static final String GRPC_EXAMPLE = "http://collector:4317";
    private static final String HTTP_PATH = "/v1/metrics";

    /**
     * Checks everything.
     *
     * @throws ConfigException naming the key, the value unless it may be secret, and what would be right
     */
    static OtlpSettings check(OtelProperties properties) {
        OtlpProtocol protocol = protocol(properties);
        HttpUrl endpoint = endpoint(properties, protocol);
        boolean compressed = compressed(properties);
        properties.duration(properties.keyOf("timeout"), MAX_TIMEOUT);
        properties.exportInterval();
        Map<String, String> headers = headers(properties);
        boolean certificates = !certificates(properties, "certificate").isEmpty();
        boolean clientCertificate = clientCertificate(properties);
        properties.temporalityPreference();
        properties.resourceAttributes();

        String bare = null;
        String credentials = null;
        if (endpoint != null) {
            bare = properties.option("endpoint");
            if (!endpoint.username().isEmpty() || !endpoint.password().isEmpty()) {
                bare = withoutUserInfo(bare);
                credentials = headers.keySet().stream().anyMatch("authorization"::equalsIgnoreCase)
                        ? null
                        : Credentials.basic(endpoint.username(), endpoint.password(), StandardCharsets.UTF_8);
            }
        }
        String shown = protocol == OtlpProtocol.GRPC
                ? bare != null ? bare : "http://localhost:4317"
                : postedTo(properties, endpoint);
        List<String> warnings = new ArrayList<>();
        if (protocol == OtlpProtocol.HTTP_PROTOBUF && endpoint != null) {
            warnOfPath(properties, endpoint, shown, warnings);
        }
        boolean tls = endpoint != null && endpoint.isHttps();
        if (!tls && (certificates || clientCertificate)) {
            warnings.add(
                    "The OTLP endpoint " + shown + " is spoken to without TLS, so otel.exporter.otlp.certificate and"
                            + " client.key have no effect; an endpoint that begins with https:// would use them");
        }
        List<String> own =
                headers.keySet().stream().filter(OtlpTransport::isOwnHeader).toList();
        if (!own.isEmpty()) {
            warnings.add(properties.keyOf("headers") + ": not sent, since the protocol sets them itself: "
                    + String.join(", ", own));
        }
        return new OtlpSettings(
                protocol,
                bare,
                shown,
                credentials,
                headers.keySet().stream().filter(name -> !own.contains(name)).toList(),
                compressed,
                clientCertificate,
                List.copyOf(warnings));
    }

    /**
     * Returns the URL of requests over HTTP, by OpenTelemetry's rule ("Endpoint URLs for OTLP/HTTP"): the general endpoint is
     * a base, that for metrics is taken as it is.
     */
    private static String postedTo(OtelProperties properties, HttpUrl endpoint) {
        if (endpoint == null) {
            return "http://localhost:4318" + HTTP_PATH;
        }
        HttpUrl.Builder url = endpoint.newBuilder().username("").password("");
        if (!isForMetrics(properties)) {
            url.encodedPath(pathOf(endpoint) + HTTP_PATH);
        }
        return url.build().toString();
    }

    /** Returns the path without a slash at its end. */
    private static String pathOf(HttpUrl endpoint) {
        String path = endpoint.encodedPath();
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private static boolean isForMetrics(OtelProperties properties) {
        return properties.keyOf("endpoint").startsWith(OtelProperties.METRICS);
    }

    /** What is most often wrong with a path, and would show only as the endpoint's 404. */
    private static void warnOfPath(OtelProperties properties, HttpUrl endpoint, String shown, List<String> warnings) {
        String path = pathOf(endpoint);
        if (isForMetrics(properties)) {
            if (path.isEmpty()) {
                warnings.add(
                        "otel.exporter.otlp.metrics.endpoint is taken as it is, and has no path: requests are posted to "
                                + shown + ". OTLP receivers listen at " + HTTP_PATH
                                + ", which is added to otel.exporter.otlp.endpoint only");
            }
        } else if (path.endsWith(HTTP_PATH)) {
            warnings.add("otel.exporter.otlp.endpoint ends in " + HTTP_PATH + " already, and over HTTP " + HTTP_PATH
                    + " is added to it: requests are posted to " + shown + ". Leave it out there, or set"
                    + " otel.exporter.otlp.metrics.endpoint instead, which is taken as it is");
        }
    }

    /** Returns everything in one line, without secrets. */
    String description() {
        StringBuilder line = new StringBuilder(shownEndpoint)
                .append(", protocol ")
                .append(protocol.configured())
                .append(", compression ")
                .append(compressed ? "gzip" : "none");
        if (!headerNames.isEmpty()) {
            line.append(", headers ").append(String.join(", ", headerNames)).append(" (values not shown)");
        }
        if (credentials != null) {
            line.append(", user and password from the endpoint (not shown)");
        }
        if (clientCertificate) {
            line.append(", with a client certificate");
        }
        return line.toString();
    }

    private static OtlpProtocol protocol(OtelProperties properties) {
        String key = properties.keyOf("protocol");
        String value = properties.getString(key);
        if (value == null) {
            return OtlpProtocol.GRPC;
        }
        for (OtlpProtocol protocol : OtlpProtocol.values()) {
            if (protocol.configured().equals(value)) {
                return protocol;
            }
        }
        throw properties.invalid(
                key,
                value,
                value.equals("http/json")
                        ? "JSON is not supported; must be grpc or http/protobuf, which every OTLP receiver understands"
                        : "must be grpc or http/protobuf");
    }

    private static HttpUrl endpoint(OtelProperties properties, OtlpProtocol protocol) {
        String key = properties.keyOf("endpoint");
        String value = properties.getString(key);
        if (value == null) {
            return null;
        }
        String example = "; for example "
                + (protocol == OtlpProtocol.GRPC
                        ? GRPC_EXAMPLE
                        : key.startsWith(OtelProperties.METRICS) ? HTTP_EXAMPLE + HTTP_PATH : HTTP_EXAMPLE);
        String shown = shown(value);
        String lower = value.toLowerCase(Locale.ROOT);
        if (!lower.startsWith("http://") && !lower.startsWith("https://")) {
            throw properties.invalid(key, shown, "must be a URL that begins with http:// or https://" + example);
        }
        HttpUrl url = HttpUrl.parse(value);
        if (url == null || containsBlank(value)) {
            throw properties.invalid(key, shown, "must be a URL with a host and, where needed, a port" + example);
        }
        if (url.query() != null || url.fragment() != null) {
            throw properties.invalid(key, shown, "must not have a query or a fragment" + example);
        }
        if (protocol == OtlpProtocol.GRPC && !url.encodedPath().equals("/")) {
            throw properties.invalid(
                    key,
                    shown,
                    "must not have a path with protocol grpc" + example
                            + ", or set otel.exporter.otlp.protocol=http/protobuf");
        }
        return url;
    }

    private static boolean containsBlank(String value) {
        return value.chars().anyMatch(c -> c <= ' ' || c == 0x7F);
    }

    /**
     * Returns a URL as it may be logged: without user and password, query and fragment, whatever else is wrong with it.
     * Where an @ comes only after a ? or #, it may end a password or be part of a query, so that nothing is shown.
     */
    static String shown(String url) {
        int query = 0;
        while (query < url.length() && url.charAt(query) != '?' && url.charAt(query) != '#') {
            query++;
        }
        if (query == url.length()) {
            return withoutUserInfo(url);
        }
        String before = url.substring(0, query);
        if (url.indexOf('@', query) >= 0 && before.indexOf('@') < 0) {
            int scheme = before.indexOf("://");
            return (scheme < 0 ? "" : before.substring(0, scheme + 3)) + NOT_SHOWN;
        }
        return withoutUserInfo(before) + url.charAt(query) + NOT_SHOWN;
    }

    /** Cuts what stands before the last @ of the authority, whatever else is wrong with the URL. */
    private static String withoutUserInfo(String url) {
        int scheme = url.indexOf("://");
        int start = scheme < 0 ? 0 : scheme + 3;
        int end = start;
        while (end < url.length() && "/?#\\".indexOf(url.charAt(end)) < 0) {
            end++;
        }
        int at = url.lastIndexOf('@', end - 1);
        if (at < start) {
            // A password with a slash in it ends the authority early; better show too little.
            at = url.lastIndexOf('@');
        }
        return at < start ? url : url.substring(0, start) + url.substring(at + 1);
    }

    private static boolean compressed(OtelProperties properties) {
        String key = properties.keyOf("compression");
        String value = properties.getString(key);
        if (value == null || value.equals("none")) {
            return false;
        }
        if (!value.equals("gzip")) {
            throw properties.invalid(key, value, "must be gzip or none");
        }
        return true;
    }

    private static Map<String, String> headers(OtelProperties properties) {
        String key = properties.keyOf("headers");
        Map<String, String> headers = new LinkedHashMap<>();
        properties.getMap(key).forEach((name, encoded) -> {
            if (!isToken(name)) {
                throw properties.invalid(
                        key,
                        "must be name=value pairs with commas between them; the name of number " + (headers.size() + 1)
                                + " has a character that no header's name may have");
            }
            String value;
            try {
                value = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                throw properties.invalid(
                        key,
                        "the value of " + name + " is not percent-encoded; a % itself is written %25, a comma %2C");
            }
            if (!value.chars().allMatch(c -> c == '\t' || c >= ' ' && c < 0x7F)) {
                throw properties.invalid(key, "the value of " + name + " has a character other than printable ASCII");
            }
            headers.put(name, value);
        });
        return headers;
    }

    private static boolean isToken(String name) {
        return !name.isEmpty()
                && name.chars()
                        .allMatch(c -> c >= 'a' && c <= 'z'
                                || c >= 'A' && c <= 'Z'
                                || c >= '0' && c <= '9'
                                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0);
    }

    private static boolean clientCertificate(OtelProperties properties) {
        String keyKey = properties.keyOf("client.key");
        String certificateKey = properties.keyOf("client.certificate");
        boolean hasKey = properties.getString(keyKey) != null;
        boolean hasCertificate = properties.getString(certificateKey) != null;
        if (hasKey && !hasCertificate) {
            throw invalidFile(
                    properties,
                    keyKey,
                    "needs otel.exporter.otlp.client.certificate beside it, the certificate of this key");
        }
        if (hasCertificate && !hasKey) {
            throw invalidFile(
                    properties,
                    certificateKey,
                    "needs otel.exporter.otlp.client.key beside it, the key of this certificate");
        }
        if (hasKey) {
            List<X509Certificate> chain = certificates(properties, "client.certificate");
            checkChain(properties, certificateKey, chain);
            checkKey(properties, keyKey, certificateKey, chain.get(0).getPublicKey());
        }
        return hasKey;
    }

    private static void checkKey(OtelProperties properties, String keyKey, String certificateKey, PublicKey publicKey) {
        String pem = new String(read(properties, keyKey), StandardCharsets.ISO_8859_1).trim();
        int end = pem.indexOf(KEY_END);
        byte[] encoded = new byte[0];
        // OpenTelemetry reads no key that something stands before, as EC PARAMETERS or Bag Attributes, or behind.
        if (pem.startsWith(KEY_BEGIN) && end == pem.length() - KEY_END.length()) {
            try {
                encoded = Base64.getMimeDecoder().decode(pem.substring(KEY_BEGIN.length(), end));
            } catch (IllegalArgumentException e) {
                // Reported as what it is below: no key.
                encoded = new byte[0];
            }
        }
        if (encoded.length == 0) {
            throw invalidFile(
                    properties,
                    keyKey,
                    "must be a file with an unencrypted PKCS #8 key in PEM and nothing else (from BEGIN PRIVATE KEY to END"
                            + " PRIVATE KEY); another becomes one with: openssl pkcs8 -topk8 -nocrypt -in old.key -out new.key");
        }
        if (!belongTogether(encoded, publicKey)) {
            throw invalidFile(
                    properties,
                    keyKey,
                    "is not the key of the first certificate in " + certificateKey + ", "
                            + properties.getString(certificateKey));
        }
    }

    /** A chain that is none is refused by the JDK's key store, which does not say why. */
    private static void checkChain(OtelProperties properties, String key, List<X509Certificate> chain) {
        for (int i = 1; i < chain.size(); i++) {
            int first = chain.indexOf(chain.get(i));
            if (first < i) {
                throw invalidFile(
                        properties,
                        key,
                        "must have each certificate once; number " + (i + 1) + " is number " + (first + 1) + " again");
            }
            X509Certificate before = chain.get(i - 1);
            if (!before.getIssuerX500Principal().equals(chain.get(i).getSubjectX500Principal())) {
                throw invalidFile(
                        properties,
                        key,
                        "must be a chain, each certificate issued by the next; number " + (i + 1) + " is of "
                                + Quoted.line(
                                        chain.get(i).getSubjectX500Principal().getName())
                                + ", and number " + i + " is issued by "
                                + Quoted.line(before.getIssuerX500Principal().getName()));
            }
        }
    }

    /** Tries the key: a handshake with a wrong one fails much later, and says nothing of the reason. */
    private static boolean belongTogether(byte[] privateKey, PublicKey publicKey) {
        String algorithm = publicKey.getAlgorithm();
        String signing =
                switch (algorithm) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> algorithm;
                };
        try {
            Signature signature = Signature.getInstance(signing);
            signature.initSign(KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(privateKey)));
            signature.update(privateKey);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(privateKey);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static List<X509Certificate> certificates(OtelProperties properties, String option) {
        String key = properties.keyOf(option);
        if (properties.getString(key) == null) {
            return List.of();
        }
        byte[] content = read(properties, key);
        try {
            List<X509Certificate> found =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(content))
                            .stream()
                            .map(X509Certificate.class::cast)
                            .toList();
            if (found.isEmpty()) {
                throw new CertificateException("empty");
            }
            return found;
        } catch (GeneralSecurityException e) {
            throw invalidFile(properties, key, "must be a file with X.509 certificates in PEM (BEGIN CERTIFICATE)");
        }
    }

    private static byte[] read(OtelProperties properties, String key) {
        String path = properties.getString(key);
        try {
            return Files.readAllBytes(Path.of(path));
        } catch (IOException | InvalidPathException e) {
            throw invalidFile(
                    properties,
                    key,
                    "must be a file that the broker's user can read ("
                            + e.getClass().getSimpleName() + ")");
        }
    }

    /** Shows a path; not what stands in place of one, as Kafka's own ssl.keystore.key has the key itself. */
    private static ConfigException invalidFile(OtelProperties properties, String key, String what) {
        String path = properties.getString(key);
        return path.contains(PEM_BEGIN)
                ? properties.invalid(key, "must be the path of a file, not what is in it")
                : properties.invalid(key, path, what);
    }
}
