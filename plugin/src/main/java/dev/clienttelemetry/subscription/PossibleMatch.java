/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Finds out whether a regular expression can match any value that an attribute can have, by building values character by
 * character and leaving what no further character can save: a match that fails without having looked for more input
 * ({@link Matcher#hitEnd}) fails for every longer text too.
 */
final class PossibleMatch {
    static final String BASE64 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    static final String ADDRESS_CHARACTERS = "0123456789.:abcdef%";
    private static final String SOFTWARE_CHARACTERS =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";

    /** 16 bytes in Kafka's Base64: the last character carries four bits that are zero. */
    static final Pattern INSTANCE_ID = Pattern.compile("[A-Za-z0-9_-]{21}[AQgw]");

    /** {@code InetAddress.getHostAddress()}: IPv6 with all eight groups, without leading zeros, never shortened. */
    static final Pattern ADDRESS =
            Pattern.compile("(?:(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])(?:\\.(?!$)|$)){4}"
                    + "|(?:(?:0|[1-9a-f][0-9a-f]{0,3}):){7}(?:0|[1-9a-f][0-9a-f]{0,3})(?:%[a-z0-9.-]+)?");

    /** What the broker lets a client call itself in ApiVersions. */
    static final Pattern SOFTWARE = Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?");

    private static final Pattern ANY_TEXT = Pattern.compile("(?s).*");

    /** What can make an expression contradict itself: borders, looks ahead and behind, intersections, emptied classes. */
    private static final Pattern CONDITION = Pattern.compile("[$^]|\\\\[bBAGzZ]|\\(\\?|&&");

    /** Ways to mean a character that neither stands in the expression nor among {@link #TEXT_CHARACTERS}. */
    private static final Pattern FAR_CHARACTERS = Pattern.compile("\\\\[pPxu0cNRXkaehHvV1-9]|\\(\\?[a-zA-Z-]*[a-zA-Z]");

    private static final String TEXT_CHARACTERS = IntStream.concat(
                    IntStream.rangeClosed(' ', '~'),
                    IntStream.of('\t', '\n', '\r', '\f', 0x0B, 0, 1, 0x85, 0x2028, 0xE9, 0x416, 0x4E2D))
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();

    private static final List<String> SAMPLE_ADDRESSES = List.of(
            "127.0.0.1",
            "10.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.17.0.2",
            "192.168.0.1",
            "192.168.1.10",
            "0:0:0:0:0:0:0:1",
            "2001:db8:0:0:0:0:0:1",
            "fe80:0:0:0:0:0:0:1%eth0");

    private static final int MAX_TRIES = 20_000;
    private static final long MAX_STEPS = 5_000_000;
    private static final long MAX_PORT_STEPS = 20_000_000;
    private static final int MAX_LENGTH = 64;

    private final Pattern pattern;
    private final Pattern domain;
    private final String alphabet;
    private int tries;
    private long steps;
    private boolean incomplete;

    private PossibleMatch(Pattern pattern, Pattern domain, String alphabet) {
        this.pattern = pattern;
        this.domain = domain;
        this.alphabet = alphabet;
    }

    /** Returns true where certainly no value of the attribute matches; false where one does or the search gives up. */
    static boolean isImpossible(MatchSelector selector) {
        return switch (selector.attribute()) {
            case CLIENT_SOURCE_PORT -> noPort(selector);
            case CLIENT_INSTANCE_ID -> !possible(selector, INSTANCE_ID, BASE64);
            case CLIENT_SOURCE_ADDRESS ->
                SAMPLE_ADDRESSES.stream().noneMatch(address -> matches(selector, address))
                        && !possible(selector, ADDRESS, ADDRESS_CHARACTERS);
            case CLIENT_SOFTWARE_NAME, CLIENT_SOFTWARE_VERSION -> !possible(selector, SOFTWARE, SOFTWARE_CHARACTERS);
            case CLIENT_ID -> noText(selector);
        };
    }

    private static boolean matches(MatchSelector selector, String value) {
        return selector.test(value, MatchSelector.MAX_STEPS) == MatchSelector.Outcome.MATCH;
    }

    private static boolean noPort(MatchSelector selector) {
        long stepsLeft = MAX_PORT_STEPS;
        try {
            for (int port = 0; port <= 65535; port++) {
                CountedText text = new CountedText(Integer.toString(port), stepsLeft);
                if (selector.pattern().matcher(text).matches()) {
                    return false;
                }
                stepsLeft -= text.steps();
            }
            return true;
        } catch (CountedText.BoundExceededException | StackOverflowError e) {
            return false;
        }
    }

    /**
     * A client id can be any text, so only an expression that contradicts itself matches none: 'a$b'. The search has one
     * character of every kind for all that it can tell apart; where that is not certain it is not begun.
     */
    private static boolean noText(MatchSelector selector) {
        String regex = selector.regex();
        if (!CONDITION.matcher(regex).find() || FAR_CHARACTERS.matcher(regex).find()) {
            return false;
        }
        StringBuilder alphabet = new StringBuilder();
        // The expression's own first, since they lead to a match soonest.
        (regex + TEXT_CHARACTERS)
                .chars()
                .filter(c -> !Character.isSurrogate((char) c))
                .distinct()
                .forEach(c -> alphabet.append((char) c));
        return regex.chars().noneMatch(c -> Character.isSurrogate((char) c))
                && !possible(selector, ANY_TEXT, alphabet.toString());
    }

    private static boolean possible(MatchSelector selector, Pattern domain, String alphabet) {
        PossibleMatch search = new PossibleMatch(selector.pattern(), domain, alphabet);
        try {
            return search.extend(new StringBuilder()) || search.incomplete;
        } catch (CountedText.BoundExceededException | StackOverflowError e) {
            return true;
        }
    }

    private boolean extend(StringBuilder text) {
        if (++tries > MAX_TRIES || text.length() > MAX_LENGTH || steps > MAX_STEPS) {
            incomplete = true;
            return false;
        }
        String value = text.toString();
        Matcher inDomain = domain.matcher(value);
        boolean isValue = inDomain.matches();
        if (!isValue && !inDomain.hitEnd()) {
            return false;
        }
        CountedText counted = new CountedText(value, MatchSelector.MAX_STEPS);
        Matcher matcher = pattern.matcher(counted);
        boolean matches = matcher.matches();
        steps += counted.steps();
        if (matches && isValue) {
            return true;
        }
        if (!matches && !matcher.hitEnd()) {
            return false;
        }
        for (int i = 0; i < alphabet.length() && tries <= MAX_TRIES; i++) {
            text.append(alphabet.charAt(i));
            boolean found = extend(text);
            text.setLength(text.length() - 1);
            if (found) {
                return true;
            }
        }
        if (tries > MAX_TRIES) {
            incomplete = true;
        }
        return false;
    }
}
