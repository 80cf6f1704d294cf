/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.receiver;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** The receiver's certificate and, where it asks for client certificates, whom it trusts. Immutable. */
public final class ReceiverTls {
    private final KeyManager[] keyManagers;
    private final TrustManager[] trustManagers;

    private ReceiverTls(KeyManager[] keyManagers, TrustManager[] trustManagers) {
        this.keyManagers = keyManagers;
        this.trustManagers = trustManagers;
    }

    /**
     * Speaks TLS and asks nothing of the client.
     *
     * @param keys holds the server's key and certificate chain
     * @param password of the keys
     * @throws GeneralSecurityException where they cannot be used
     */
    public static ReceiverTls server(KeyStore keys, char[] password) throws GeneralSecurityException {
        return new ReceiverTls(keyManagers(keys, password), null);
    }

    /**
     * Speaks TLS only with clients that show a trusted certificate.
     *
     * @param keys holds the server's key and certificate chain
     * @param password of the keys
     * @param trusted holds the certificates of the authorities trusted to name clients
     * @throws GeneralSecurityException where they cannot be used
     */
    public static ReceiverTls mutual(KeyStore keys, char[] password, KeyStore trusted) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return new ReceiverTls(keyManagers(keys, password), factory.getTrustManagers());
    }

    private static KeyManager[] keyManagers(KeyStore keys, char[] password) throws GeneralSecurityException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, password);
        return factory.getKeyManagers();
    }

    boolean requiresClientCertificate() {
        return trustManagers != null;
    }

    KeyManager[] keyManagers() {
        return keyManagers.clone();
    }

    TrustManager[] trustManagers() {
        return trustManagers == null ? null : trustManagers.clone();
    }

    SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers, trustManagers, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM speaks no TLS", e);
        }
    }
}
