/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * The client instance id as a tagged field of a request's header (KIP-1313).
 *
 * <p>The kafka-clients that the gateway runs with does not know the field, so it is found among the header's unknown
 * tagged fields.
 */
public final class ClientInstanceIdHeader {
    /** The tag. KIP-1313 as published gives none; 0 is the first that is free in header v2. */
    public static final int TAG = 0;

    private static final int UUID_BYTES = 16;

    private ClientInstanceIdHeader() {}

    /**
     * Reads the id.
     *
     * @param header a request's header
     * @return the id, or {@link Uuid#ZERO_UUID} where there is none: the two mean the same
     * @throws MalformedHeaderException for a field that is not one uuid
     */
    public static Uuid read(RequestHeaderData header) throws MalformedHeaderException {
        List<RawTaggedField> fields = header.unknownTaggedFields();
        Uuid id = null;
        for (int i = 0; i < fields.size(); i++) {
            RawTaggedField field = fields.get(i);
            if (field.tag() != TAG) {
                continue;
            }
            if (id != null) {
                throw new MalformedHeaderException("two client instance ids");
            }
            if (field.size() != UUID_BYTES) {
                throw new MalformedHeaderException("a client instance id of " + field.size() + " bytes, not 16");
            }
            ByteBuffer bytes = ByteBuffer.wrap(field.data());
            id = new Uuid(bytes.getLong(), bytes.getLong());
        }
        return id == null ? Uuid.ZERO_UUID : id;
    }

    /**
     * Takes the id out of a header, so that the upstream never sees it.
     *
     * @param header a request's header, changed in place
     */
    public static void remove(RequestHeaderData header) {
        Iterator<RawTaggedField> fields = header.unknownTaggedFields().iterator();
        while (fields.hasNext()) {
            if (fields.next().tag() == TAG) {
                fields.remove();
            }
        }
    }
}
