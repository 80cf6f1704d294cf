/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.regex.Pattern;

/** Writes subscriptions as YAML. */
final class SubscriptionYamlText {
    /** What every YAML reader takes for this very text without quotes. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9._/-]*");

    private static final Pattern OTHER_THAN_TEXT =
            Pattern.compile("(?i)null|true|false|yes|no|on|off|y|n|nan|inf|[0-9].*");

    private SubscriptionYamlText() {}

    static String of(SubscriptionSet set) {
        if (set.subscriptions().isEmpty()) {
            return "subscriptions: []\n";
        }
        StringBuilder yaml = new StringBuilder("subscriptions:\n");
        for (Subscription subscription : set.subscriptions()) {
            yaml.append("  - name: ").append(scalar(subscription.name())).append('\n');
            if (!subscription.metrics().isEmpty()) {
                yaml.append("    metrics:\n");
                for (String metric : subscription.metrics()) {
                    yaml.append("      - ").append(scalar(metric)).append('\n');
                }
            }
            subscription.intervalMs().ifPresent(ms -> yaml.append("    interval: ")
                    .append(interval(ms))
                    .append('\n'));
            if (!subscription.match().isEmpty()) {
                yaml.append("    match:\n");
                for (MatchSelector selector : subscription.match()) {
                    yaml.append("      ")
                            .append(selector.attribute().key())
                            .append(": ")
                            .append(scalar(selector.regex()))
                            .append('\n');
                }
            }
        }
        return yaml.toString();
    }

    private static String interval(int ms) {
        if (ms % 60_000 == 0) {
            return ms / 60_000 + "m";
        }
        return ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
    }

    private static String scalar(String text) {
        if (PLAIN.matcher(text).matches() && !OTHER_THAN_TEXT.matcher(text).matches()) {
            return text;
        }
        // Single quotes leave backslashes, which expressions are full of, as they are.
        if (text.chars().allMatch(c -> c >= ' ' && c < 127)) {
            return "'" + text.replace("'", "''") + "'";
        }
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c >= ' ' && c < 127) {
                quoted.append((char) c);
            } else {
                // Other readers take two escapes for two halves.
                quoted.append(String.format(c > 0xFFFF ? "\\U%08x" : "\\u%04x", c));
            }
        });
        return quoted.append('"').toString();
    }
}
