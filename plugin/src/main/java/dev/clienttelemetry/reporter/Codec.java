/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import dev.clienttelemetry.compression.BlockBound;
import dev.clienttelemetry.compression.BoundedStream;
import dev.clienttelemetry.compression.GzipMember;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * The compressions of a push. Kafka 3.7 hands pushes over as the client compressed them, and does not say how: their
 * first bytes do. Decompressed by Kafka's own classes, whose place changes from version to version.
 */
enum Codec {
    GZIP(0x1f, 0x8b),
    /** In snappy-java's blocks, as Kafka writes it. */
    SNAPPY(0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0),
    LZ4(0x04, 0x22, 0x4d, 0x18),
    ZSTD(0x28, 0xb5, 0x2f, 0xfd);

    private static final Codec[] ALL = values();

    private static final String SINCE_KAFKA_38 = "org.apache.kafka.common.compress.Compression";

    private final byte[] magic;

    Codec(int... magic) {
        this.magic = new byte[magic.length];
        for (int i = 0; i < magic.length; i++) {
            this.magic[i] = (byte) magic[i];
        }
    }

    /**
     * Returns whether this host hands pushes over as clients compressed them: 3.7 does. Told from 3.8, which decompresses
     * them, by a class that came with it, since distributions number their versions in other ways.
     */
    static boolean isLeftToPlugins() {
        try {
            Class.forName(SINCE_KAFKA_38, false, Codec.class.getClassLoader());
            return false;
        } catch (ClassNotFoundException kafka37) {
            return true;
        }
    }

    /** Returns the codec whose streams begin as these bytes do, or null. */
    static Codec recognise(byte[] bytes) {
        for (Codec codec : ALL) {
            int length = codec.magic.length;
            if (bytes.length >= length && Arrays.equals(bytes, 0, length, codec.magic, 0, length)) {
                return codec;
            }
        }
        return null;
    }

    /**
     * Decompresses, holding never more than the bound.
     *
     * @param compressed the bytes
     * @param maxBytes the bound
     * @return what the bytes decompress to, or null where that is more than the bound, or they have more blocks than bytes
     *     within the bound take
     * @throws IOException where they do not decompress
     * @throws LinkageError where this host has no classes for it; not the bytes' fault
     */
    byte[] decompress(byte[] compressed, int maxBytes) throws IOException {
        if (this == GZIP) {
            return GzipMember.decompress(compressed, maxBytes);
        }
        boolean bounded =
                switch (this) {
                    case LZ4 -> BlockBound.holdsForLz4(compressed, maxBytes);
                    case ZSTD -> BlockBound.holdsForZstd(compressed, maxBytes);
                    default -> snappyWithin(compressed, maxBytes);
                };
        if (!bounded) {
            return null;
        }
        try (InputStream in = KafkaStreams.open(this, compressed)) {
            return BoundedStream.read(in, compressed.length, maxBytes);
        } catch (RuntimeException invalid) {
            // Kafka's streams wrap what their constructors find, and lz4 has unchecked exceptions of its own.
            throw new IOException(invalid);
        }
    }

    /**
     * Adds up the lengths that snappy's blocks declare: its stream allocates whatever they say, before it looks at the
     * bytes. Counts them, too.
     */
    private static boolean snappyWithin(byte[] compressed, int maxBytes) throws IOException {
        ByteBuffer blocks = ByteBuffer.wrap(compressed);
        long total = 0;
        int left = BlockBound.blocks(maxBytes);
        if (blocks.remaining() < 16) {
            throw new IOException("shorter than its header");
        }
        blocks.position(16);
        while (blocks.hasRemaining()) {
            int length = blocks.remaining() < 4 ? -1 : blocks.getInt();
            if (length < 1 || length > blocks.remaining()) {
                throw new IOException("a block runs past the end");
            }
            int next = blocks.position() + length;
            long declared = 0;
            int shift = 0;
            byte part;
            do {
                if (shift > 28 || blocks.position() == next) {
                    throw new IOException("a block without a length");
                }
                part = blocks.get();
                declared |= (part & 0x7fL) << shift;
                shift += 7;
            } while (part < 0);
            total += declared;
            if (total > maxBytes || left-- == 0) {
                return false;
            }
            blocks.position(next);
        }
        return true;
    }

    /** Kafka's decompressing streams, looked up once. */
    private static final class KafkaStreams {
        private static final byte RECORD_MAGIC = 2;
        private static final Map<Codec, MethodHandle> OPENERS = new EnumMap<>(Codec.class);

        static {
            for (Codec codec : ALL) {
                try {
                    OPENERS.put(codec, opener(codec.name().toLowerCase(Locale.ROOT)));
                } catch (ReflectiveOperationException | RuntimeException missing) {
                    throw new LinkageError("This version of Kafka does not decompress " + codec, missing);
                }
            }
        }

        static InputStream open(Codec codec, byte[] compressed) throws IOException {
            try {
                return (InputStream) OPENERS.get(codec).invokeExact(ByteBuffer.wrap(compressed));
            } catch (IOException | RuntimeException | Error thrown) {
                throw thrown;
            } catch (Throwable thrown) {
                throw new IOException(thrown);
            }
        }

        private static MethodHandle opener(String codec) throws ReflectiveOperationException {
            Object compression;
            try {
                Class<?> type = Class.forName(SINCE_KAFKA_38);
                Class<?> builder = Class.forName(SINCE_KAFKA_38 + "$Builder");
                compression = builder.getMethod("build")
                        .invoke(type.getMethod("of", String.class).invoke(null, codec));
            } catch (ClassNotFoundException beforeKafka38) {
                Class<?> type = Class.forName("org.apache.kafka.common.record.CompressionType");
                compression = type.getMethod("forName", String.class).invoke(null, codec);
            }
            for (Method method : compression.getClass().getMethods()) {
                if (method.getName().equals("wrapForInput") && method.getParameterCount() == 3) {
                    // 3.7's compressions are private subclasses.
                    method.setAccessible(true);
                    Object noBuffers =
                            method.getParameterTypes()[2].getField("NO_CACHING").get(null);
                    return MethodHandles.insertArguments(
                                    MethodHandles.lookup().unreflect(method).bindTo(compression),
                                    1,
                                    RECORD_MAGIC,
                                    noBuffers)
                            .asType(MethodType.methodType(InputStream.class, ByteBuffer.class));
                }
            }
            throw new NoSuchMethodException("wrapForInput");
        }
    }
}
