/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.it;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** The string constants of a class file (JVMS 4.4). */
final class ClassFileStrings {
    private static final int HEADER_BYTES = 8;

    private ClassFileStrings() {}

    static List<String> read(InputStream classFile) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(classFile));
        in.readNBytes(HEADER_BYTES);
        int count = in.readUnsignedShort();
        String[] texts = new String[count];
        List<Integer> strings = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts[i] = in.readUTF();
                case 5, 6 -> {
                    in.readLong();
                    // A long or a double takes two entries.
                    i++;
                }
                case 7, 16, 19, 20 -> in.readUnsignedShort();
                case 8 -> strings.add(in.readUnsignedShort());
                case 15 -> in.readNBytes(3);
                default -> in.readInt();
            }
        }
        return strings.stream().map(index -> texts[index]).toList();
    }
}
