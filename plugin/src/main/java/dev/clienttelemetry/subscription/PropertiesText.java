/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads Java's properties format with the place of every entry, which {@link java.util.Properties} does not tell. What
 * is a line, a comment, a continuation, a separator and an escape is as in the Javadoc of {@code Properties.load}.
 */
final class PropertiesText {
    private final String file;
    private final String text;
    private final SourceErrors errors;
    private final List<Entry> entries = new ArrayList<>();
    /** The logical line: the indexes in the text of its characters. */
    private final int[] logical;

    private int length;
    private int at;
    /** The last index whose line is known, its line, and where that line starts. */
    private int placed;

    private int placedLine = 1;
    private int placedLineStart;

    /** One entry, with the places of its key and value (line and column from 1). */
    record Entry(String key, String value, int line, int column, int valueLine, int valueColumn) {}

    private PropertiesText(String file, String text, SourceErrors errors) {
        this.file = file;
        this.text = text;
        this.errors = errors;
        this.logical = new int[text.length()];
    }

    static List<Entry> read(String file, String text, SourceErrors errors) {
        PropertiesText reader = new PropertiesText(file, text, errors);
        while (reader.nextLogicalLine()) {
            reader.entry();
        }
        return reader.entries;
    }

    private boolean nextLogicalLine() {
        length = 0;
        boolean continued = false;
        while (at < text.length()) {
            skipBlanks();
            if (at == text.length()) {
                break;
            }
            if (length == 0 && isComment(text.charAt(at))) {
                skipNaturalLine();
                continue;
            }
            if (isLineEnd(text.charAt(at)) && (!continued || length == 0)) {
                // A blank line; also after a continuation that has brought nothing yet.
                at++;
                continued = false;
                continue;
            }
            continued = takeNaturalLine();
            if (!continued && length > 0) {
                return true;
            }
        }
        return length > 0;
    }

    /** Takes the rest of a natural line; returns whether a backslash at its end continues it. */
    private boolean takeNaturalLine() {
        boolean escaped = false;
        while (at < text.length() && !isLineEnd(text.charAt(at))) {
            escaped = text.charAt(at) == '\\' && !escaped;
            logical[length++] = at++;
        }
        if (escaped) {
            length--;
        }
        if (at < text.length()) {
            // A carriage return before a line feed is a blank line of its own, unless the line goes on.
            at += escaped && text.startsWith("\r\n", at) ? 2 : 1;
        }
        return escaped;
    }

    private void entry() {
        int keyEnd = 0;
        boolean escaped = false;
        while (keyEnd < length) {
            char c = charAt(keyEnd);
            if (!escaped && (isSeparator(c) || isBlank(c))) {
                break;
            }
            escaped = c == '\\' && !escaped;
            keyEnd++;
        }
        int valueStart = keyEnd;
        boolean separated = false;
        while (valueStart < length) {
            char c = charAt(valueStart);
            if (isSeparator(c) && !separated) {
                separated = true;
            } else if (!isBlank(c)) {
                break;
            }
            valueStart++;
        }
        place(logical[0]);
        int line = placedLine;
        int column = logical[0] - placedLineStart + 1;
        String key = unescaped(0, keyEnd);
        int valueIndex = valueStart < length ? logical[valueStart] : logical[length - 1] + 1;
        place(valueIndex);
        int valueLine = placedLine;
        int valueColumn = valueIndex - placedLineStart + 1;
        String value = unescaped(valueStart, length);
        entries.add(new Entry(key, value, line, column, valueLine, valueColumn));
    }

    private String unescaped(int from, int to) {
        StringBuilder out = new StringBuilder(to - from);
        int i = from;
        while (i < to) {
            char c = charAt(i++);
            if (c != '\\' || i == to) {
                out.append(c);
                continue;
            }
            char escaped = charAt(i++);
            switch (escaped) {
                case 't' -> out.append('\t');
                case 'n' -> out.append('\n');
                case 'r' -> out.append('\r');
                case 'f' -> out.append('\f');
                case 'u' -> {
                    int code = codeUnit(i, to);
                    if (code < 0) {
                        place(logical[i - 2]);
                        errors.add(new SourceError(
                                file,
                                placedLine,
                                logical[i - 2] - placedLineStart + 1,
                                "'\\u' without four hexadecimal digits",
                                "\\uXXXX"));
                    } else {
                        out.append((char) code);
                        i += 4;
                    }
                }
                default -> out.append(escaped);
            }
        }
        return whole(out.toString(), from);
    }

    /** Reports a surrogate without its partner; returns the text without it, so that nobody reports it again. */
    private String whole(String text, int from) {
        if (Quoted.loneSurrogate(text) < 0) {
            return text;
        }
        place(logical[from]);
        errors.add(new SourceError(
                file,
                placedLine,
                logical[from] - placedLineStart + 1,
                SourceError.halfOfACharacter(text),
                SourceError.WHOLE_CHARACTERS));
        StringBuilder whole = new StringBuilder(text.length());
        // As code points, halves are left only where they stand alone.
        text.codePoints().forEach(c -> whole.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c));
        return whole.toString();
    }

    private int codeUnit(int from, int to) {
        if (to - from < 4) {
            return -1;
        }
        int code = 0;
        for (int i = from; i < from + 4; i++) {
            char c = charAt(i);
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return -1;
            }
            code = code * 16 + digit;
        }
        return code;
    }

    /** Counts lines up to an index, which never goes back by more than a logical line. */
    private void place(int index) {
        if (index < placedLineStart) {
            placed = 0;
            placedLine = 1;
            placedLineStart = 0;
        }
        for (int i = Math.max(placed, placedLineStart); i < index; i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r' && !text.startsWith("\r\n", i)) {
                placedLine++;
                placedLineStart = i + 1;
            }
        }
        placed = Math.max(index, placedLineStart);
    }

    private char charAt(int i) {
        return text.charAt(logical[i]);
    }

    private void skipBlanks() {
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
    }

    private void skipNaturalLine() {
        while (at < text.length() && !isLineEnd(text.charAt(at))) {
            at++;
        }
    }

    private static boolean isComment(char c) {
        return c == '#' || c == '!';
    }

    private static boolean isSeparator(char c) {
        return c == '=' || c == ':';
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\f';
    }

    private static boolean isLineEnd(char c) {
        return c == '\n' || c == '\r';
    }
}
