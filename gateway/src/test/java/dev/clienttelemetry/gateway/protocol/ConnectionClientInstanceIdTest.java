/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.junit.jupiter.api.Test;

class ConnectionClientInstanceIdTest {
    private static final short V1 = 1;
    private static final short V2 = 2;
    private static final short V3 = 3;
    private static final Uuid ID = Uuid.randomUuid();
    private static final Uuid OTHER = Uuid.randomUuid();
    private static final Uuid NONE = Uuid.ZERO_UUID;

    private final ConnectionClientInstanceId connection =
            new ConnectionClientInstanceId(ConnectionClientInstanceId.HEADER_VERSION);

    @Test
    void withAnIdFirstAllLaterOnesMustCarryTheSame() {
        assertThat(connection.allows(V2, ID)).isTrue();
        assertThat(connection.allows(V2, ID)).isTrue();
        assertThat(connection.allows(V2, OTHER)).isFalse();
        assertThat(connection.allows(V2, NONE)).isFalse();
        assertThat(connection.allows(V2, ID))
                .as("the connection lives on after a violation")
                .isTrue();
    }

    @Test
    void withoutAnIdFirstNoneMayCarryOne() {
        assertThat(connection.allows(V2, NONE)).isTrue();
        assertThat(connection.allows(V2, ID)).isFalse();
        assertThat(connection.allows(V2, NONE)).isTrue();
    }

    @Test
    void headersWithoutRoomAreExemptAndDecideNothing() {
        assertThat(connection.allows(V1, NONE)).isTrue();
        assertThat(connection.allows(V2, ID)).isTrue();
        assertThat(connection.allows(V1, NONE)).isTrue();
        assertThat(connection.allows(V2, ID)).isTrue();
    }

    @Test
    void theHeaderVersionIsAParameter() {
        ConnectionClientInstanceId fromV3 = new ConnectionClientInstanceId(V3);

        assertThat(fromV3.allows(V2, NONE)).isTrue();
        assertThat(fromV3.allows(V3, ID)).isTrue();
        assertThat(fromV3.allows(V2, NONE)).isTrue();
        assertThat(fromV3.allows(V3, OTHER)).isFalse();
    }

    @Test
    void theIdIsReadFromItsTagAndZeroIsAbsent() throws Exception {
        assertThat(ClientInstanceIdHeader.read(new RequestHeaderData())).isEqualTo(NONE);
        assertThat(ClientInstanceIdHeader.read(header(field(0, ID)))).isEqualTo(ID);
        assertThat(ClientInstanceIdHeader.read(header(field(0, NONE)))).isEqualTo(NONE);
        assertThat(ClientInstanceIdHeader.read(header(field(1, ID)))).isEqualTo(NONE);
        assertThat(ClientInstanceIdHeader.read(header(field(0, ID), field(7, OTHER))))
                .isEqualTo(ID);
    }

    @Test
    void aFieldThatIsNoUuidIsMalformed() {
        assertThatThrownBy(() -> ClientInstanceIdHeader.read(header(new RawTaggedField(0, new byte[15]))))
                .isInstanceOf(MalformedHeaderException.class);
        assertThatThrownBy(() -> ClientInstanceIdHeader.read(header(new RawTaggedField(0, new byte[0]))))
                .isInstanceOf(MalformedHeaderException.class);
        assertThatThrownBy(() -> ClientInstanceIdHeader.read(header(field(0, ID), field(0, ID))))
                .isInstanceOf(MalformedHeaderException.class);
    }

    @Test
    void removingTheIdLeavesOtherFields() throws Exception {
        RequestHeaderData header = header(field(0, ID), field(3, OTHER));

        ClientInstanceIdHeader.remove(header);

        assertThat(ClientInstanceIdHeader.read(header)).isEqualTo(NONE);
        assertThat(header.unknownTaggedFields()).extracting(RawTaggedField::tag).containsExactly(3);
    }

    private static RequestHeaderData header(RawTaggedField... fields) {
        RequestHeaderData header = new RequestHeaderData();
        header.unknownTaggedFields().addAll(new ArrayList<>(List.of(fields)));
        return header;
    }

    private static RawTaggedField field(int tag, Uuid id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return new RawTaggedField(tag, bytes.array());
    }
}
