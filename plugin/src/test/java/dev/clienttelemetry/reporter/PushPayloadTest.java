/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.clienttelemetry.metrics.RefusalReason;
import dev.clienttelemetry.otlp.MalformedPushException;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PushPayloadTest {
    private static final byte[] PUSH = resource("/payloads/java-4.4.0-consumer-1.otlp");
    private final PushPayload payloads = new PushPayload(1_048_576, true);

    @Test
    void aPlainPayloadIsCopiedOut() throws Exception {
        ByteBuffer data = ByteBuffer.wrap(PUSH.clone());

        byte[] sound = payloads.sound(data);

        assertThat(sound).isEqualTo(PUSH).isNotSameAs(data.array());
    }

    @ParameterizedTest
    @ValueSource(strings = {"slice", "direct", "read-only"})
    void theHostsBufferStaysAsItWas(String kind) throws Exception {
        byte[] network = new byte[PUSH.length + 20];
        System.arraycopy(PUSH, 0, network, 7, PUSH.length);
        ByteBuffer data =
                switch (kind) {
                    case "direct" -> ByteBuffer.allocateDirect(network.length).put(network);
                    case "read-only" -> ByteBuffer.wrap(network).asReadOnlyBuffer();
                    default ->
                        ByteBuffer.wrap(network, 3, network.length - 3).slice().position(0);
                };
        int start = kind.equals("slice") ? 4 : 7;
        data.position(start).limit(start + PUSH.length);

        byte[] sound = payloads.sound(data);

        assertThat(sound).isEqualTo(PUSH);
        assertThat(data.position()).isEqualTo(start);
        assertThat(data.limit()).isEqualTo(start + PUSH.length);
    }

    @ParameterizedTest
    @EnumSource
    void whatKafka37LeavesCompressedIsDecompressed(Codec codec) throws Exception {
        byte[] compressed = compress(codec, PUSH);

        assertThat(Codec.recognise(compressed)).isEqualTo(codec);
        assertThat(payloads.sound(ByteBuffer.wrap(compressed))).isEqualTo(PUSH);
    }

    @ParameterizedTest
    @EnumSource
    void whereTheHostDecompressesCompressedBytesAreUnsound(Codec codec) throws Exception {
        byte[] compressed = compress(codec, PUSH);

        assertThat(Codec.isLeftToPlugins()).as("on Kafka 4.4").isFalse();
        assertThatThrownBy(() -> new PushPayload(1_048_576, false).sound(ByteBuffer.wrap(compressed)))
                .isInstanceOf(MalformedPushException.class)
                .hasMessageNotContaining("decompress");
    }

    @ParameterizedTest
    @EnumSource
    void theBoundHoldsDecompressed(Codec codec) throws Exception {
        byte[] compressed = compress(codec, PUSH);

        assertThat(new PushPayload(PUSH.length, true).sound(ByteBuffer.wrap(compressed)))
                .isEqualTo(PUSH);
        assertThat(new PushPayload(PUSH.length - 1, true).sound(ByteBuffer.wrap(compressed)))
                .isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aBombStopsAtTheBound(Codec codec) throws Exception {
        byte[] compressed = compress(codec, new byte[200_000_000]);

        assertThat(payloads.sound(ByteBuffer.wrap(compressed))).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void oneMemberFrameOrStreamIsAPayloadAndTwoAreNone(Codec codec) throws Exception {
        byte[] compressed = compress(codec, PUSH);

        assertRefused(concat(compressed, compressed), RefusalReason.UNDECOMPRESSABLE);
    }

    @Test
    void blocksWithoutEndThatYieldNothingAreDroppedUndecompressed() throws Exception {
        byte[] lz4Head = Arrays.copyOf(compress(Codec.LZ4, new byte[0]), 7);
        byte[] zstdHead = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0x58};
        byte[] snappyHead = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1};

        assertThatTooManyBlocksAreDropped(Codec.LZ4, lz4Head, new byte[] {1, 0, 0, 0, 0}, new byte[4]);
        assertThatTooManyBlocksAreDropped(Codec.ZSTD, zstdHead, new byte[] {0, 0, 0}, new byte[] {1, 0, 0});
        assertThatTooManyBlocksAreDropped(Codec.SNAPPY, snappyHead, new byte[] {0, 0, 0, 1, 0}, new byte[0]);
    }

    private void assertThatTooManyBlocksAreDropped(Codec codec, byte[] head, byte[] block, byte[] end)
            throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head);
        for (int i = 0; i < 64 + 1_048_576 / 512; i++) {
            bytes.writeBytes(block);
        }
        byte[] most = concat(bytes.toByteArray(), codec == Codec.ZSTD ? new byte[0] : end);
        if (codec == Codec.ZSTD) {
            // The end is a block too.
            System.arraycopy(end, 0, most, most.length - end.length, end.length);
        }
        bytes.writeBytes(block);
        byte[] more = concat(bytes.toByteArray(), end);

        assertThat(codec.decompress(most, 1_048_576)).as(codec.name()).isEmpty();
        assertThat(codec.decompress(more, 1_048_576)).as(codec.name()).isNull();
        assertThat(payloads.sound(ByteBuffer.wrap(more))).as(codec.name()).isNull();
    }

    @Test
    void aSnappyBlockThatClaimsGigabytesIsNotAllocatedFor() {
        byte[] header = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1};
        byte[] hugeChunk = concat(header, new byte[] {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1, 2, 3});
        byte[] hugeResult =
                concat(header, new byte[] {0, 0, 0, 6, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7, 1});

        assertRefused(hugeChunk, RefusalReason.UNDECOMPRESSABLE);
        assertThat(Codec.recognise(hugeResult)).isEqualTo(Codec.SNAPPY);
        assertThatNothingIsAllocated(hugeResult);
    }

    private void assertThatNothingIsAllocated(byte[] bytes) {
        // 2 GiB would not fit into the tests' heap: null says that the declared length was enough to know.
        try {
            assertThat(payloads.sound(ByteBuffer.wrap(bytes))).isNull();
        } catch (MalformedPushException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatDoesNotDecompressIsRefused(Codec codec) throws Exception {
        byte[] compressed = compress(codec, PUSH);
        byte[] garbled = compressed.clone();
        new Random(1).nextBytes(garbled);
        System.arraycopy(compressed, 0, garbled, 0, 8);

        assertRefused(Arrays.copyOf(compressed, compressed.length / 2), RefusalReason.UNDECOMPRESSABLE);
        assertRefused(garbled, RefusalReason.UNDECOMPRESSABLE);
    }

    @ParameterizedTest
    @EnumSource
    void everyCutAndFlipOfACompressedPayloadEndsInAnAnswer(Codec codec) throws Exception {
        byte[] compressed = compress(codec, Arrays.copyOf(PUSH, 2000));
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            byte[] hostile = Arrays.copyOf(compressed, 8 + random.nextInt(compressed.length - 8));
            for (int flips = random.nextInt(4); flips > 0; flips--) {
                hostile[4 + random.nextInt(hostile.length - 4)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                payloads.sound(ByteBuffer.wrap(hostile));
            } catch (MalformedPushException refused) {
                assertThat(refused.getMessage()).isNotBlank();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatDecompressesToUnsoundBytesIsRefusedForThose(Codec codec) throws Exception {
        byte[] compressed = compress(codec, Arrays.copyOf(PUSH, PUSH.length - 1));

        assertRefused(compressed, RefusalReason.TRUNCATED);
    }

    @Test
    void soundBytesThatBeginLikeZstdAreThePayload() throws Exception {
        // 28 B5 2F is an unknown varint field 5; FD .. an unknown fixed32 field.
        byte[] like = concat(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0x07, 1, 2, 3, 4}, PUSH);
        MetricsData.parseFrom(like);

        assertThat(Codec.recognise(like)).isEqualTo(Codec.ZSTD);
        assertThat(payloads.sound(ByteBuffer.wrap(like))).isEqualTo(like);
    }

    @Test
    void soundBytesThatBeginLikeSnappyAreThePayload() throws Exception {
        int field = (0x82 & 0x7f | 0x53 << 7) >> 3;
        byte[] content = new byte['N'];
        System.arraycopy(new byte[] {'A', 'P', 'P', 'Y', 0}, 0, content, 0, 5);
        byte[] like = MetricsData.newBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                field,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(ByteString.copyFrom(content))
                                        .build())
                        .build())
                .build()
                .toByteArray();

        assertThat(Codec.recognise(like)).isEqualTo(Codec.SNAPPY);
        assertThat(payloads.sound(ByteBuffer.wrap(like))).isEqualTo(like);
    }

    @Property(tries = 2000)
    void soundBytesAreThePayloadWhateverTheyBeginWith(
            @ForAll("beginnings") byte[] beginning, @ForAll @Size(max = 300) byte[] unknown) throws Exception {
        byte[] like = concat(
                beginning,
                MetricsData.newBuilder()
                        .setUnknownFields(UnknownFieldSet.newBuilder()
                                .addField(
                                        99,
                                        UnknownFieldSet.Field.newBuilder()
                                                .addLengthDelimited(ByteString.copyFrom(unknown))
                                                .build())
                                .build())
                        .build()
                        .toByteArray());

        assertThat(Codec.recognise(like)).isEqualTo(Codec.ZSTD);
        assertThat(payloads.sound(ByteBuffer.wrap(like))).isEqualTo(like);
    }

    /** zstd's magic bytes and what makes them sound OTLP: a fixed32 field with any number and any value. */
    @Provide
    Arbitrary<byte[]> beginnings() {
        return Combinators.combine(
                        Arbitraries.bytes().between((byte) 1, (byte) 127),
                        Arbitraries.bytes().array(byte[].class).ofSize(4))
                .as((number, value) -> concat(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, number}, value));
    }

    private void assertRefused(byte[] bytes, RefusalReason reason) {
        assertThatThrownBy(() -> payloads.sound(ByteBuffer.wrap(bytes)))
                .asInstanceOf(InstanceOfAssertFactories.type(MalformedPushException.class))
                .extracting(MalformedPushException::reason)
                .isEqualTo(reason);
    }

    static byte[] compress(Codec codec, byte[] bytes) throws IOException {
        ByteBufferOutputStream compressed = new ByteBufferOutputStream(1024);
        Compression compression =
                Compression.of(codec.name().toLowerCase(java.util.Locale.ROOT)).build();
        try (OutputStream out = compression.wrapForOutput(compressed, (byte) 2)) {
            out.write(bytes);
        }
        ByteBuffer buffer = compressed.buffer().flip();
        byte[] result = new byte[buffer.remaining()];
        buffer.get(result);
        return result;
    }

    static byte[] resource(String name) {
        try (InputStream in = PushPayloadTest.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
