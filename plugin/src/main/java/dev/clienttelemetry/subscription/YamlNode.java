/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.util.List;

/** A YAML node with the place where it starts (line and column from 1). */
sealed interface YamlNode {
    int line();

    int column();

    /** Returns what the node is, for a message. */
    String describe();

    /** A scalar; {@code plain} where it is not quoted. */
    record Scalar(String text, boolean plain, int line, int column) implements YamlNode {
        boolean isNull() {
            return plain && (text.isEmpty() || text.equals("~") || text.equalsIgnoreCase("null"));
        }

        @Override
        public String describe() {
            return isNull() ? "nothing" : "'" + Quoted.text(text) + "'";
        }
    }

    /** A sequence. */
    record Sequence(List<YamlNode> items, int line, int column) implements YamlNode {
        @Override
        public String describe() {
            return "a list";
        }
    }

    /** A mapping, duplicate keys included. */
    record Mapping(List<Entry> entries, int line, int column) implements YamlNode {
        @Override
        public String describe() {
            return "a mapping";
        }
    }

    /** One key of a mapping with its value. */
    record Entry(Scalar key, YamlNode value) {}
}
