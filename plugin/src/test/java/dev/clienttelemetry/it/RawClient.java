/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequest;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsResponse;
import org.apache.kafka.common.requests.PushTelemetryRequest;
import org.apache.kafka.common.requests.PushTelemetryResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * A client that speaks KIP-714 over a plain connection and sends whatever it is told to: what no real client would. Not
 * thread-safe.
 */
public final class RawClient implements AutoCloseable {
    /** What it says its software is, with version 1.0. */
    public static final String SOFTWARE = "raw-client";

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final String clientId;
    private int correlationId;
    private Uuid clientInstanceId;
    private int subscriptionId;

    /**
     * Connects and says what software it is.
     *
     * @param bootstrapServer {@code host:port} of a PLAINTEXT listener
     * @param clientId the client id of each request
     */
    public RawClient(String bootstrapServer, String clientId) throws IOException {
        this.clientId = clientId;
        String[] hostAndPort = bootstrapServer.split(",")[0].split(":");
        socket = new Socket(hostAndPort[0], Integer.parseInt(hostAndPort[1]));
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(30_000);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
        ApiVersionsRequestData software =
                new ApiVersionsRequestData().setClientSoftwareName(SOFTWARE).setClientSoftwareVersion("1.0");
        send(new ApiVersionsRequest(software, (short) 3));
    }

    /** Asks for an id, if it has none yet, and for its subscription, without which a push is not accepted. */
    public GetTelemetrySubscriptionsResponseData subscribe() throws IOException {
        GetTelemetrySubscriptionsRequestData data = new GetTelemetrySubscriptionsRequestData()
                .setClientInstanceId(clientInstanceId == null ? Uuid.ZERO_UUID : clientInstanceId);
        GetTelemetrySubscriptionsResponse response = (GetTelemetrySubscriptionsResponse)
                send(new GetTelemetrySubscriptionsRequest.Builder(data).build((short) 0));
        if (clientInstanceId == null) {
            clientInstanceId = response.data().clientInstanceId();
        }
        subscriptionId = response.data().subscriptionId();
        return response.data();
    }

    /** Returns the id that the broker gave with the first {@link #subscribe}. */
    public Uuid clientInstanceId() {
        return clientInstanceId;
    }

    /** Pushes a payload, not compressed, and returns the broker's answer. */
    public Errors push(byte[] payload) throws IOException {
        return push(payload, (byte) 0, false);
    }

    /**
     * Pushes.
     *
     * @param payload the metrics
     * @param compressionType Kafka's id of the compression that the payload is said to have
     * @param terminating whether it is said to be the last push
     * @return the broker's answer
     */
    public Errors push(byte[] payload, byte compressionType, boolean terminating) throws IOException {
        PushTelemetryRequestData data = new PushTelemetryRequestData()
                .setClientInstanceId(clientInstanceId)
                .setSubscriptionId(subscriptionId)
                .setCompressionType(compressionType)
                .setTerminating(terminating)
                .setMetrics(ByteBuffer.wrap(payload));
        PushTelemetryResponse response =
                (PushTelemetryResponse) send(new PushTelemetryRequest.Builder(data, true).build((short) 0));
        return response.error();
    }

    private AbstractResponse send(AbstractRequest request) throws IOException {
        RequestHeader header = new RequestHeader(request.apiKey(), request.version(), clientId, correlationId++);
        ByteBuffer bytes = request.serializeWithHeader(header);
        out.writeInt(bytes.remaining());
        out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        out.flush();
        byte[] response = new byte[in.readInt()];
        in.readFully(response);
        return AbstractResponse.parseResponse(ByteBuffer.wrap(response), header);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
            out.write(bytes);
        }
        return compressed.toByteArray();
    }
}
