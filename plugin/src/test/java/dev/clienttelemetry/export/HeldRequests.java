/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Records requests and answers them when the test says so. For pushes whose bytes are words that end with a blank. */
final class HeldRequests implements RequestSender {
    final Deque<Held> open = new ConcurrentLinkedDeque<>();
    /** All requests so far, each as its pushes with blanks between them. */
    final List<String> sent = new CopyOnWriteArrayList<>();

    volatile boolean closed;

    record Held(String pushes, Consumer<Answer> onAnswer) {
        void answer(Answer.Outcome outcome) {
            answer(outcome, "as the test says");
        }

        void answer(Answer.Outcome outcome, String detail) {
            onAnswer.accept(Answer.of(outcome, "type", detail));
        }

        void retryAfter(long nanos) {
            onAnswer.accept(new Answer(Answer.Outcome.RETRY, "503", "HTTP 503", nanos, 0));
        }

        void rejected(long points) {
            onAnswer.accept(Answer.accepted(new PartialSuccess(points, "no")));
        }
    }

    @Override
    public void send(Payload payload, Consumer<Answer> onAnswer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            payload.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (out.size() != payload.size()) {
            throw new IllegalStateException("wrong size");
        }
        String pushes = out.toString(StandardCharsets.UTF_8).strip();
        sent.add(pushes);
        open.add(new Held(pushes, onAnswer));
    }

    /** Returns a sender that does something else with a payload first, or instead, and is closed with this one. */
    RequestSender behind(BiConsumer<Payload, Consumer<Answer>> send) {
        return new RequestSender() {
            @Override
            public void send(Payload payload, Consumer<Answer> onAnswer) {
                send.accept(payload, onAnswer);
            }

            @Override
            public void close() {
                HeldRequests.this.close();
            }
        };
    }

    Held next() {
        return open.removeFirst();
    }

    Held of(String push) {
        for (Held held : open) {
            if (List.of(held.pushes().split(" ")).contains(push)) {
                open.remove(held);
                return held;
            }
        }
        throw new IllegalStateException(push + " is not in flight");
    }

    void answerAll(Predicate<String> which, Answer.Outcome outcome) {
        for (Held held : List.copyOf(open)) {
            if (which.test(held.pushes())) {
                open.remove(held);
                held.answer(outcome);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        while (!open.isEmpty()) {
            next().answer(Answer.Outcome.CANCELLED);
        }
    }
}
