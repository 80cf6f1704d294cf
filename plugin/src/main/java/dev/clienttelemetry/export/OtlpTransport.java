/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.Headers;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * Sends requests by OkHttp. Tries nothing twice, and follows no redirect; how many requests are in flight is the caller's
 * to bound.
 */
abstract class OtlpTransport implements RequestSender {
    /** What is kept of an answer; more is a backend's mistake or ill will. */
    static final int MAX_ANSWER_BYTES = 256 * 1024;

    /**
     * What the sender or the protocol says itself, whatever the configuration says: how the body and the answer are coded,
     * and what belongs to one connection (RFC 9110, 7.6.1), which HTTP/2 has no headers for.
     */
    private static final Set<String> OWN_HEADERS = Set.of(
            "accept-encoding",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "encoding",
            "grpc-accept-encoding",
            "grpc-encoding",
            "grpc-timeout",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private static final String OTEL_USER_AGENT = "OTel-OTLP-Exporter-Java/";

    private final OtlpProtocol protocol;
    private final SenderSettings settings;
    private final Reachability reachability;
    private final Headers headers;
    private final ConnectionPool connections = new ConnectionPool(8, 1, TimeUnit.MINUTES);
    private final OtlpSocketFactory sockets;
    private final OkHttpClient client;
    private final ExecutorService threads;
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Connection> silent = new AtomicReference<>();
    private volatile boolean closed;

    OtlpTransport(
            OtlpProtocol protocol,
            List<Protocol> protocols,
            SenderSettings settings,
            Headers extraHeaders,
            Reachability reachability) {
        this.protocol = protocol;
        this.settings = settings;
        this.reachability = reachability;
        this.headers = headers(settings.headers(), extraHeaders);
        this.sockets = new OtlpSocketFactory(settings.timeout());
        this.client = client(protocols, settings, connections, sockets);
        AtomicInteger number = new AtomicInteger();
        this.threads =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), r -> {
                    Thread thread = new Thread(r, "client-telemetry-send-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    private static OkHttpClient client(
            List<Protocol> protocols, SenderSettings settings, ConnectionPool connections, OtlpSocketFactory sockets) {
        Duration timeout = settings.timeout();
        // Read and write time out a little before the call does. Only that makes OkHttp ask, with a ping, whether an
        // HTTP/2 connection is still alive: a call's timeout would leave a dead one in the pool, for the next request
        // to hang on. And only then does it look at an answer that came before all was written.
        long slack = Math.min(1_000, timeout.toMillis() / 10);
        Duration stall = timeout.minusMillis(slack);
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .protocols(protocols)
                .callTimeout(timeout)
                .connectTimeout(min(stall, settings.connectTimeout()))
                .readTimeout(stall)
                .writeTimeout(stall)
                .retryOnConnectionFailure(false)
                .followRedirects(false)
                .followSslRedirects(false)
                .connectionPool(connections)
                .socketFactory(sockets)
                .eventListenerFactory(call -> call.request().tag(CallTrace.class));
        if (settings.sslContext() != null && settings.trustManager() != null) {
            builder.sslSocketFactory(settings.sslContext().getSocketFactory(), settings.trustManager());
        }
        return builder.build();
    }

    private static Headers headers(Map<String, List<String>> configured, Headers extra) {
        Headers.Builder builder = new Headers.Builder();
        configured.forEach((name, values) -> {
            if (!isOwnHeader(name)) {
                values.stream()
                        .filter(value -> !value.startsWith(OTEL_USER_AGENT))
                        .forEach(value -> builder.add(name, value));
            }
        });
        for (String name : extra.names()) {
            if (builder.get(name) == null) {
                builder.set(name, extra.get(name));
            }
        }
        return builder.build();
    }

    /** Returns whether a header of this name is not taken from the configuration. */
    static boolean isOwnHeader(String name) {
        return OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT));
    }

    private static Duration min(Duration a, Duration b) {
        return b == null || b.isZero() || a.compareTo(b) < 0 ? a : b;
    }

    final SenderSettings settings() {
        return settings;
    }

    @Override
    public final void send(Payload payload, Consumer<Answer> onAnswer) {
        try {
            threads.execute(() -> tell(onAnswer, answer(payload)));
        } catch (RejectedExecutionException e) {
            onAnswer.accept(Answer.of(Answer.Outcome.CANCELLED, Answer.CANCELLED, "closed"));
        } catch (OutOfMemoryError e) {
            // The process has as many threads as it may have.
            onAnswer.accept(Answer.unexpected(e));
        }
    }

    private static void tell(Consumer<Answer> onAnswer, Answer answer) {
        try {
            onAnswer.accept(answer);
        } catch (Throwable t) {
            // Out of memory, or a log that throws in OpenTelemetry's exporter: a thread that dies of it prints it to
            // stderr.
            return;
        }
    }

    /** Returns what came of a request, whatever happens: without an answer the batch would never be heard of again. */
    private Answer answer(Payload payload) {
        try {
            return exchange(payload);
        } catch (Throwable t) {
            // A thread that dies of it would also print it to stderr.
            return Answer.unexpected(t);
        }
    }

    private Answer exchange(Payload payload) {
        CallTrace trace = new CallTrace(silent);
        long acceptedBefore = reachability.accepted(payload.isOwnMetrics());
        Answer answer;
        try {
            Request.Builder request = new Request.Builder()
                    .url(settings.url())
                    .headers(headers)
                    .tag(CallTrace.class, trace)
                    .post(body(payload));
            addHeaders(request);
            answer = exchange(client.newCall(request.build()), trace);
            if (answer.outcome() != Answer.Outcome.ACCEPTED) {
                answer = trace.throughProxy(answer);
            }
        } catch (Throwable t) {
            // The endpoint's state is to tell of it too.
            answer = Answer.unexpected(t);
        }
        if (closed && answer.outcome() != Answer.Outcome.ACCEPTED) {
            return answer.as(Answer.Outcome.CANCELLED, "");
        }
        try {
            reachability.answered(answer, acceptedBefore, payload.isOwnMetrics());
        } catch (RuntimeException | Error e) {
            // Its log failed: that must not keep the answer from whoever waits for it.
            return answer;
        }
        return answer;
    }

    private Answer exchange(Call call, CallTrace trace) {
        calls.add(call);
        if (closed) {
            call.cancel();
        }
        try (Response response = call.execute()) {
            return answer(response);
        } catch (IOException e) {
            return trace.failed(e, protocol, settings.timeout().toMillis());
        } finally {
            calls.remove(call);
        }
    }

    /** Adds the headers that the protocol asks for. */
    abstract void addHeaders(Request.Builder request);

    /** Returns the body of the request. */
    abstract RequestBody body(Payload payload);

    /** Reads the answer. */
    abstract Answer answer(Response response) throws IOException;

    @Override
    public final void close() {
        closed = true;
        threads.shutdown();
        calls.forEach(Call::cancel);
        try {
            if (!threads.awaitTermination(500, TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
        connections.evictAll();
        sockets.closeAll();
    }
}
