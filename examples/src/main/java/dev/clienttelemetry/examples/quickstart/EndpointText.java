/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.net.URI;
import java.net.URISyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** URLs of collectors. What is refused is not shown again, nor is what may be secret in one that is taken. */
final class EndpointText implements ITypeConverter<URI> {
    private static final int HIGHEST_PORT = 65_535;

    @Override
    public URI convert(String text) {
        try {
            URI endpoint = new URI(text);
            if (endpoint.getScheme() != null
                    && endpoint.getScheme().matches("https?")
                    && endpoint.getHost() != null
                    && endpoint.getPort() <= HIGHEST_PORT
                    && endpoint.getRawQuery() == null
                    && endpoint.getRawFragment() == null) {
                return endpoint;
            }
        } catch (URISyntaxException e) {
            // Its message has the text in it.
        }
        throw new TypeConversionException(
                "not a whole http or https URL without a query; one looks like http://localhost:4317");
    }

    /** Returns whether an endpoint has a path, which gRPC has no room for. */
    static boolean hasPath(URI endpoint) {
        return endpoint.getRawPath() != null && !endpoint.getRawPath().matches("/?");
    }

    /** Returns an endpoint's scheme, host, port and path: user, password and query may be secret. */
    static String shown(URI endpoint) {
        return endpoint.getScheme() + "://" + endpoint.getHost()
                + (endpoint.getPort() < 0 ? "" : ":" + endpoint.getPort())
                + (endpoint.getRawPath() == null ? "" : endpoint.getRawPath());
    }
}
