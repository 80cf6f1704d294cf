/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.it;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/** A client on Kafka's message classes that speaks KIP-1313's header: the client instance id under tag 0. */
final class RawConnection implements AutoCloseable {
    private static final int TIMEOUT_MS = 20_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final String clientId;
    private int correlationId;

    RawConnection(int port, String clientId) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        this.socket.setSoTimeout(TIMEOUT_MS);
        this.socket.setTcpNoDelay(true);
        this.in = new DataInputStream(socket.getInputStream());
        this.out = new DataOutputStream(socket.getOutputStream());
        this.clientId = clientId;
    }

    static RawTaggedField field(Uuid id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return new RawTaggedField(0, bytes.array());
    }

    /** Sends a request with an id in its header, or without one for null, and returns the response. */
    <R extends ApiMessage> R call(Uuid headerId, ApiMessage request, int version, R response) throws IOException {
        return call(headerId == null ? null : field(headerId), request, version, response);
    }

    <R extends ApiMessage> R call(RawTaggedField field, ApiMessage request, int version, R response)
            throws IOException {
        send(field, request, version);
        return receive(ApiKeys.forId(request.apiKey()), version, response);
    }

    void send(RawTaggedField field, ApiMessage request, int version) throws IOException {
        ApiKeys api = ApiKeys.forId(request.apiKey());
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion((short) version)
                .setCorrelationId(++correlationId)
                .setClientId(clientId);
        if (field != null) {
            header.unknownTaggedFields().add(field);
        }
        ByteBuffer head = MessageUtil.toByteBuffer(header, api.requestHeaderVersion((short) version));
        ByteBuffer body = MessageUtil.toByteBuffer(request, (short) version);
        ByteBuffer frame = ByteBuffer.allocate(4 + head.remaining() + body.remaining());
        frame.putInt(head.remaining() + body.remaining()).put(head).put(body);
        out.write(frame.array());
        out.flush();
    }

    <R extends ApiMessage> R receive(ApiKeys api, int version, R response) throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        ByteBufferAccessor bytes = new ByteBufferAccessor(ByteBuffer.wrap(frame));
        ResponseHeaderData header = new ResponseHeaderData(bytes, api.responseHeaderVersion((short) version));
        if (header.correlationId() != correlationId) {
            throw new IOException("answered " + header.correlationId() + ", asked " + correlationId);
        }
        response.read(bytes, (short) version);
        if (bytes.remaining() > 0) {
            throw new IOException(bytes.remaining() + " bytes left");
        }
        return response;
    }

    /** Returns whether the other side closes the connection without an answer. */
    boolean isClosedByPeer() throws IOException {
        try {
            in.readInt();
            return false;
        } catch (EOFException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
