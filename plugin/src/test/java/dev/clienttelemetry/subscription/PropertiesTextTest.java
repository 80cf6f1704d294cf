/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

class PropertiesTextTest {
    @Property(tries = 20_000)
    void readsWhatPropertiesLoadReads(
            @ForAll
                    @StringLength(max = 24)
                    @Chars({'=', ':', '\\', '\n', '\r', ' ', '\t', '\f', '#', '!', 'u', 't', 'n', 'r', '0', 'f', 'x'})
                    @CharRange(from = 'a', to = 'b')
                    String text)
            throws IOException {
        Map<String, String> expected = load(text);
        SourceErrors errors = new SourceErrors();
        Map<String, String> ours = new HashMap<>();
        PropertiesText.read("f", text, errors).forEach(entry -> ours.put(entry.key(), entry.value()));

        assertThat(errors.isEmpty()).isEqualTo(expected != null);
        if (expected != null) {
            // Whether a backslash alone is an entry with an empty key depends in Properties on what follows it.
            expected.remove("");
            ours.remove("");
            assertThat(ours).isEqualTo(expected);
        }
    }

    private static Map<String, String> load(String text) throws IOException {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(text));
        } catch (IllegalArgumentException e) {
            return null;
        }
        Map<String, String> map = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> map.put(name, properties.getProperty(name)));
        return map;
    }
}
