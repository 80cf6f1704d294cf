/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.metrics.ServerAddress;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.autoconfigure.spi.metrics.ConfigurableMetricExporterProvider;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.LongSupplier;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The OTLP endpoint with everything that is needed to talk to it (protocol, headers, TLS, compression, timeout), as
 * OpenTelemetry's own exporter reads it from the configuration. Thread-safe.
 */
public final class OtlpConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtlpConnection.class);

    private final OtelProperties properties;
    private final OtlpSettings settings;
    private final LibraryLogs libraryLogs;
    private final LongSupplier nanoClock;
    private final Reachability reachability;
    private final OtlpTransport transport;

    private OtlpConnection(
            OtelProperties properties, OtlpSettings settings, LibraryLogs libraryLogs, LongSupplier nanoClock) {
        this.properties = properties;
        this.settings = settings;
        this.libraryLogs = libraryLogs;
        this.nanoClock = nanoClock;
        this.reachability = new Reachability(settings.shownEndpoint(), LOG, nanoClock);
        Senders senders = new Senders();
        exporter(senders);
        this.transport = senders.transport;
    }

    /**
     * Checks the configuration and prepares the connection; connects to nothing. Until {@link #close} the log records of
     * the bundled libraries go to SLF4J.
     *
     * @param properties the configuration
     * @throws ConfigException naming the key, the value (unless it may be secret) and what would be right
     */
    public static OtlpConnection open(OtelProperties properties) {
        return open(properties, System::nanoTime);
    }

    static OtlpConnection open(OtelProperties properties, LongSupplier nanoClock) {
        OtlpSettings settings = OtlpSettings.check(properties);
        LibraryLogs libraryLogs = LibraryLogs.install(nanoClock);
        try {
            settings.warnings().forEach(LOG::warn);
            return new OtlpConnection(properties, settings, libraryLogs, nanoClock);
        } catch (RuntimeException | Error e) {
            libraryLogs.close();
            throw e;
        }
    }

    /**
     * Returns the connection in one line for the log: endpoint (over HTTP the URL that is posted to) and protocol, names of
     * headers, whether TLS client certificates and compression are used. No secrets.
     */
    public String description() {
        return settings.description();
    }

    /** Returns the endpoint's host and port. */
    public ServerAddress serverAddress() {
        HttpUrl url = transport.settings().url();
        return new ServerAddress(url.host(), url.port());
    }

    /** Returns whether the endpoint takes requests, fed by everything that is sent on this connection. */
    public Reachability reachability() {
        return reachability;
    }

    /**
     * Creates an OpenTelemetry exporter for the plugin's own metrics, on the same settings with a sender of its own. Its
     * failures are told by {@link #reachability} instead of by OpenTelemetry's log records. The caller shuts it down.
     */
    public MetricExporter ownMetricsExporter() {
        return exporter(new Senders());
    }

    /** Frees the connection's threads and sockets and gives the libraries' log records back. Repeatable. */
    @Override
    public void close() {
        transport.close();
        libraryLogs.close();
    }

    /** What pushes are sent by. */
    OtlpTransport transport() {
        return transport;
    }

    private MetricExporter exporter(Senders senders) {
        try {
            return provider().createExporter(new ExporterProperties(senders));
        } catch (ConfigurationException | IllegalArgumentException | IllegalStateException e) {
            // All that can be named better is checked before; what is left is about certificates and keys.
            throw new ConfigException("Invalid otel.exporter.otlp.* configuration: " + Quoted.line(e.getMessage())
                    + (e.getCause() == null
                            ? ""
                            : " (" + Quoted.line(e.getCause().toString()) + ")"));
        }
    }

    private static ConfigurableMetricExporterProvider provider() {
        for (ConfigurableMetricExporterProvider provider :
                ServiceLoader.load(ConfigurableMetricExporterProvider.class, OtlpConnection.class.getClassLoader())) {
            if (provider.getName().equals("otlp")) {
                return provider;
            }
        }
        throw new IllegalStateException("OpenTelemetry's OTLP exporter is missing in the jar");
    }

    private Headers extraHeaders() {
        String version = OtlpConnection.class.getPackage().getImplementationVersion();
        Headers.Builder extra = new Headers.Builder()
                .set("User-Agent", "kafka-client-telemetry" + (version == null ? "" : "/" + version));
        if (settings.credentials() != null) {
            extra.set("Authorization", settings.credentials());
        }
        return extra.build();
    }

    /** Takes the settings that OpenTelemetry's exporter hands to a sender, and gives it one of ours. */
    private final class Senders implements HttpSenderProvider, GrpcSenderProvider, ComponentLoader {
        private OtlpTransport transport;

        @Override
        public HttpSender createSender(HttpSenderConfig config) {
            HttpTransport http =
                    new HttpTransport(SenderSettings.of(config), extraHeaders(), reachability, Clock.systemUTC());
            transport = http;
            return new OwnMetricsSender.Http(http, new Notices(LOG, nanoClock));
        }

        @Override
        public GrpcSender createSender(GrpcSenderConfig config) {
            GrpcTransport grpc =
                    new GrpcTransport(SenderSettings.of(config), extraHeaders(), reachability, Clock.systemUTC());
            transport = grpc;
            return new OwnMetricsSender.Grpc(grpc, new Notices(LOG, nanoClock));
        }

        @Override
        public <T> Iterable<T> load(Class<T> service) {
            return service.isInstance(this) ? List.of(service.cast(this)) : List.of();
        }
    }

    /** The configuration as the exporter is to see it. */
    private final class ExporterProperties implements ConfigProperties {
        private final Senders senders;

        private ExporterProperties(Senders senders) {
            this.senders = senders;
        }

        @Override
        public ComponentLoader getComponentLoader() {
            return senders;
        }

        @Override
        public String getString(String name) {
            String value = properties.getString(name);
            boolean endpoint = value != null && name.equals(properties.keyOf("endpoint"));
            return endpoint ? settings.endpoint() : value;
        }

        @Override
        public Boolean getBoolean(String name) {
            return properties.getBoolean(name);
        }

        @Override
        public Integer getInt(String name) {
            return properties.getInt(name);
        }

        @Override
        public Long getLong(String name) {
            return properties.getLong(name);
        }

        @Override
        public Double getDouble(String name) {
            return properties.getDouble(name);
        }

        @Override
        public Duration getDuration(String name) {
            return properties.getDuration(name);
        }

        @Override
        public List<String> getList(String name) {
            return properties.getList(name);
        }

        @Override
        public Map<String, String> getMap(String name) {
            return properties.getMap(name);
        }
    }
}
