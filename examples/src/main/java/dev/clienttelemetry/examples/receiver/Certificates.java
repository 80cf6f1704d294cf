/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * A private certificate authority in a directory, made with the JDK's {@code keytool}: for trying TLS without buying
 * certificates. Keys stay in that directory under a password that is no secret; not for anything that matters.
 */
public final class Certificates {
    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "it";

    private final Path directory;
    private final KeyStore authority;

    /**
     * Creates an authority.
     *
     * @param directory an existing directory for its files
     * @throws IOException where {@code keytool} fails
     */
    public Certificates(Path directory) throws IOException {
        this.directory = directory;
        generate("authority", "CN=Examples", "-ext", "bc:c=ca:true");
        this.authority = load("authority");
    }

    /**
     * An identity signed by the authority.
     *
     * @param keyStore a PKCS#12 file with key and chain, protected by {@link #password()}
     * @param certificate a PEM file with the chain
     * @param key a PEM file with the unencrypted PKCS#8 key
     */
    public record Identity(Path keyStore, Path certificate, Path key) {}

    /**
     * Issues a certificate that is good for the loopback interface's names, as server and as client.
     *
     * @param name becomes the common name and the name of the files
     * @throws IOException where {@code keytool} fails
     */
    public Identity issue(String name) throws IOException {
        generate(name, "CN=" + name);
        Path request = directory.resolve(name + ".csr");
        Path signed = directory.resolve(name + ".signed.pem");
        keytool(name, "-certreq", "-file", request.toString());
        keytool(
                "authority",
                "-gencert",
                "-rfc",
                "-infile",
                request.toString(),
                "-outfile",
                signed.toString(),
                "-validity",
                "30",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-ext",
                "eku=serverAuth,clientAuth");
        Path chain = directory.resolve(name + ".pem");
        Files.writeString(chain, Files.readString(signed) + pem("CERTIFICATE", encoded(authorityCertificate())));
        keytool(name, "-importcert", "-noprompt", "-file", chain.toString());
        Path key = directory.resolve(name + ".key.pem");
        try {
            Key privateKey = load(name).getKey(ALIAS, password());
            Files.writeString(key, pem("PRIVATE KEY", privateKey.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot read back the key of " + name, e);
        }
        return new Identity(keyStore(name), chain, key);
    }

    /** Returns a PEM file with the authority's certificate. */
    public Path authorityPem() throws IOException {
        Path file = directory.resolve("authority.pem");
        Files.writeString(file, pem("CERTIFICATE", encoded(authorityCertificate())));
        return file;
    }

    /** Returns a PKCS#12 file that trusts the authority, protected by {@link #password()}. */
    public Path trustStore() throws IOException {
        Path file = directory.resolve("trust.p12");
        if (!Files.exists(file)) {
            run(List.of(
                    "-importcert",
                    "-noprompt",
                    "-alias",
                    "authority",
                    "-file",
                    authorityPem().toString(),
                    "-keystore",
                    file.toString(),
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD));
        }
        return file;
    }

    /** Returns the password of all key stores. */
    public char[] password() {
        return PASSWORD.toCharArray();
    }

    /** Returns TLS for a receiver that asks nothing of its clients. */
    public ReceiverTls serverTls() throws IOException, GeneralSecurityException {
        issue("receiver");
        return ReceiverTls.server(load("receiver"), password());
    }

    /** Returns TLS for a receiver that only this authority's clients may use. */
    public ReceiverTls mutualTls() throws IOException, GeneralSecurityException {
        issue("receiver");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", authorityCertificate());
        return ReceiverTls.mutual(load("receiver"), password(), trusted);
    }

    private Certificate authorityCertificate() {
        try {
            return authority.getCertificate(ALIAS);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the authority's key store was not loaded", e);
        }
    }

    private Path keyStore(String name) {
        return directory.resolve(name + ".p12");
    }

    private KeyStore load(String name) {
        try (InputStream in = Files.newInputStream(keyStore(name))) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, password());
            return keys;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot read " + keyStore(name), e);
        }
    }

    private void generate(String name, String subject, String... options) throws IOException {
        Files.deleteIfExists(keyStore(name));
        List<String> arguments = new ArrayList<>(List.of(
                "-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", subject, "-validity", "30"));
        arguments.addAll(Arrays.asList(options));
        keytool(name, arguments.toArray(String[]::new));
    }

    private void keytool(String name, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(Arrays.asList(options));
        arguments.addAll(List.of(
                "-alias",
                ALIAS,
                "-keystore",
                keyStore(name).toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keypass",
                PASSWORD));
        run(arguments);
    }

    private static void run(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException("keytool " + arguments.get(0) + " failed: " + output.strip());
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool ran", e);
        }
    }

    private static byte[] encoded(Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate without encoding", e);
        }
    }

    private static String pem(String type, byte[] der) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n";
    }
}
