/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;

/**
 * One error in the files that subscriptions are read from.
 *
 * @param file the file's path
 * @param line the line, from 1; 0 where the error is the whole file's
 * @param column the column, from 1; 0 where the error is the whole file's
 * @param found what was found, escaped and bounded
 * @param expected what would be right
 */
public record SourceError(String file, int line, int column, String found, String expected) {
    static final String WHOLE_CHARACTERS = "whole characters; a high surrogate and a low one make one together";

    /** Returns what was found where a text has a surrogate without its partner. */
    static String halfOfACharacter(String text) {
        char half = text.charAt(Quoted.loneSurrogate(text));
        return String.format("half of a character, \\u%04x, in '%s'", (int) half, Quoted.text(text));
    }

    /** Returns the error as {@code file:line:column: found ..., expected ...}. */
    @Override
    public String toString() {
        String name = Quoted.whole(file);
        return (line == 0 ? name : name + ":" + line + ":" + column) + ": found " + found + ", expected " + expected;
    }
}
