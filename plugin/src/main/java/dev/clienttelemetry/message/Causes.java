/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.message;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.KafkaException;

/** What an exception and its causes tell, without what only says that something failed. */
public final class Causes {
    private static final int MAX_DEPTH = 10;

    private Causes() {}

    /** Returns the messages of an exception and its causes, outermost first, each once. */
    public static String text(Throwable thrown) {
        List<String> messages = new ArrayList<>();
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < MAX_DEPTH; depth++, at = at.getCause()) {
            String message = at.getMessage();
            boolean generic = message == null
                    || at.getCause() != null
                            && message.contains(at.getCause().getClass().getName())
                    || at.getCause() != null && message.startsWith("Failed to create new ")
                    || at.getCause() != null && message.startsWith("Failed create new ");
            if (generic && at.getCause() != null) {
                continue;
            }
            String text = message == null ? at.getClass().getSimpleName() : told(at, message);
            if (messages.stream().noneMatch(earlier -> earlier.contains(text))) {
                messages.add(text);
            }
        }
        return String.join(": ", messages);
    }

    private static String told(Throwable at, String message) {
        // An exception of the JDK often has a mere name for a message: NoSuchFileException: /etc/keys.
        boolean sentence = at instanceof KafkaException || message.indexOf(' ') > 0;
        String text = Quoted.text(message.strip());
        String end = text.endsWith(".") && !text.endsWith("...") ? text.substring(0, text.length() - 1) : text;
        return sentence ? end : at.getClass().getSimpleName() + ": " + end;
    }
}
