/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotedTest {
    @ParameterizedTest
    @ValueSource(
            ints = {
                0, 0x1b, 0x7f, 0x85, 0xad, 0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066,
                0x2069, 0xd800, 0xdfff, 0xe000, 0xfeff, 0xffff, 0xe0001
            })
    void escapesWhatDoesNotShowOrTurnsTheText(int codePoint) {
        StringBuilder escaped = new StringBuilder("a");
        for (char c : Character.toChars(codePoint)) {
            escaped.append(String.format("\\u%04x", (int) c));
        }
        assertThat(Quoted.text("a" + Character.toString(codePoint) + "b")).isEqualTo(escaped + "b");
    }

    @Test
    void leavesTextAsItIs() {
        assertThat(Quoted.text("billing-.* \u00e9\u4e2d \ud83d\ude00"))
                .isEqualTo("billing-.* \u00e9\u4e2d \ud83d\ude00");
        assertThat(Quoted.text("a\nb\rc\td")).isEqualTo("a\\nb\\rc\\td");
        assertThat(Quoted.text(null)).isEqualTo("null");
    }

    @Test
    void cutsAtItsBoundButNoCharacterInTwo() {
        assertThat(Quoted.text("x".repeat(1000))).isEqualTo("x".repeat(120) + "...");
        assertThat(Quoted.text("x".repeat(119) + "\ud83d\ude00y")).isEqualTo("x".repeat(119) + "\ud83d\ude00...");
        assertThat(Quoted.whole("x".repeat(1000))).hasSize(1000);
    }

    @Test
    void whatAnotherProgramSaysIsOneLine() {
        assertThat(Quoted.line("a\n\tb\r\u001b[2J\u202e\ue000 ")).isEqualTo("a  b \\u001b[2J\\u202e\\ue000");
        assertThat(Quoted.line("x".repeat(300))).isEqualTo("x".repeat(300));
        assertThat(Quoted.line("x".repeat(10_000))).isEqualTo("x".repeat(300) + "...");
        assertThat(Quoted.line(null)).isEmpty();
    }
}
