/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** The sender's books when an Error comes at any point of its way: it may cost pushes, but never their room. */
class SenderFaultsTest {
    private static final int MAX_AGE_MS = 60_000;

    /** Where the memory is at its end. */
    private enum Place {
        CLOCK,
        READY_CLIENTS,
        FAILED_BATCHES,
        SENDER
    }

    /** One course of pushes and answers, always the same but for where it breaks. */
    private static final class Course {
        private final Place place;
        private final int faultAt;
        private int passed;
        private boolean ready;
        private boolean broke;

        private final Random random = new Random(7);
        private final SetClock clock = new SetClock();
        private final Pushes pushes = new Pushes(clock);
        private final TelemetryMetrics metrics = new TelemetryMetrics();
        private final ExportBuffer<Pushes.Raw> buffer = new ExportBuffer<>(1 << 20, metrics);
        private final HeldRequests requests = new HeldRequests();
        private final PushExporter exporter;
        private long offered;

        Course(Place place, int faultAt) throws ReflectiveOperationException {
            this.place = place;
            this.faultAt = faultAt;
            LongSupplier breaking = () -> {
                pass(Place.CLOCK);
                return clock.getAsLong();
            };
            RequestSender sender = requests.behind((payload, onAnswer) -> {
                pass(Place.SENDER);
                requests.send(payload, onAnswer);
            });
            this.exporter = new PushExporter(
                    new ExportSettings(12, 0, MAX_AGE_MS, 3),
                    buffer,
                    sender,
                    new Reachability("http://backend", LoggerFactory.getLogger("test"), clock),
                    metrics,
                    breaking,
                    new BackOff(RetryPolicy.getDefault(), () -> 0.5));
            breakReadyClients("ready");
            breakReadyClients("readyAlone");
            breakFailedBatches();
            ready = true;
        }

        private void pass(Place here) {
            if (ready && place == here && ++passed == faultAt) {
                broke = true;
                throw new Error("for the test");
            }
        }

        /** There is no other way to be out of memory at one place and not at others. */
        private void breakReadyClients(String field) throws ReflectiveOperationException {
            Field queue = ExportBuffer.class.getDeclaredField("queue");
            queue.setAccessible(true);
            Field clients = SendQueue.class.getDeclaredField(field);
            clients.setAccessible(true);
            @SuppressWarnings("unchecked")
            TreeSet<Object> original = (TreeSet<Object>) clients.get(queue.get(buffer));
            clients.set(queue.get(buffer), new TreeSet<>(original.comparator()) {
                private static final long serialVersionUID = 1;

                @Override
                public boolean add(Object lane) {
                    pass(Place.READY_CLIENTS);
                    return super.add(lane);
                }
            });
        }

        private void breakFailedBatches() throws ReflectiveOperationException {
            Field kept = PushExporter.class.getDeclaredField("kept");
            kept.setAccessible(true);
            kept.set(exporter, new ArrayList<Batch>() {
                private static final long serialVersionUID = 1;

                private int room;

                @Override
                public void ensureCapacity(int capacity) {
                    if (capacity > room) {
                        pass(Place.FAILED_BATCHES);
                        room = capacity;
                    }
                }

                @Override
                public boolean add(Batch batch) {
                    ensureCapacity(size() + 1);
                    room = 0;
                    return super.add(batch);
                }
            });
        }

        void run() throws InterruptedException {
            for (int round = 0; round < 30; round++) {
                push();
                clock.advanceMillis(700);
                attempt(exporter::step);
                while (!requests.open.isEmpty() && random.nextInt(4) > 0) {
                    requests.next().answer(Answer.Outcome.values()[random.nextInt(5)]);
                }
                attempt(exporter::step);
            }
            for (int round = 0; round < 100 && buffer.pushes() > 0; round++) {
                requests.answerAll(any -> true, Answer.Outcome.ACCEPTED);
                attempt(exporter::step);
                clock.advanceMillis(1000);
            }
        }

        private void push() throws InterruptedException {
            for (char client = 'a'; client < 'e'; client++) {
                if (random.nextBoolean()) {
                    Pushes.Raw raw = new Pushes.Raw(10);
                    assertThat(buffer.offer(raw)).isTrue();
                    offered++;
                    Pushes.Raw taken = buffer.take();
                    Chunk chunk = pushes.chunk(client + "1");
                    attempt(() -> buffer.converted(taken, chunk));
                }
            }
        }

        private void attempt(Runnable what) {
            try {
                what.run();
            } catch (Error e) {
                assertThat(e).hasMessage("for the test");
            }
        }

        void check() {
            String where = place + " " + faultAt;
            assertThat(buffer.pushes()).as(where).isZero();
            assertThat(buffer.bytes()).as(where).isZero();
            assertThat(buffer.waiting()).as(where).isZero();
            assertThat(exporter.pointsInFlight()).as(where).isZero();
            assertThat(exporter.requestsInFlight()).as(where).isZero();
            assertThat(metrics.pushesDelivered().total()
                            + metrics.pushesDropped().total())
                    .as(where)
                    .isEqualTo(offered);
        }
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void anErrorAnywhereCostsNoRoom(Place place) throws Exception {
        int faultAt = 0;
        Course course;
        do {
            faultAt++;
            course = new Course(place, faultAt);
            course.run();
            course.check();
        } while (course.broke);
        assertThat(faultAt).as("places where it broke").isGreaterThan(30);
    }

    /** An entry without a chunk stands for the memory's end amid the making of a batch. */
    @Test
    void whatABatchThatCouldNotBeMadeHadAlreadyTakenIsDroppedAndTheRestIsSent() throws Exception {
        Course course = new Course(Place.SENDER, 0);
        for (String push : new String[] {"a1", "a2"}) {
            course.buffer.offer(new Pushes.Raw(10));
            course.buffer.converted(course.buffer.take(), course.pushes.chunk(push));
        }
        Field queue = ExportBuffer.class.getDeclaredField("queue");
        queue.setAccessible(true);
        Field newest = SendQueue.class.getDeclaredField("newest");
        newest.setAccessible(true);
        Object second = newest.get(queue.get(course.buffer));
        Field chunk = SendQueue.Entry.class.getDeclaredField("chunk");
        chunk.setAccessible(true);
        Object taken = chunk.get(second);
        chunk.set(second, null);
        assertThatThrownBy(course.exporter::step).isInstanceOf(NullPointerException.class);
        chunk.set(second, taken);

        course.exporter.step();
        course.requests.next().answer(Answer.Outcome.ACCEPTED);
        course.exporter.step();

        assertThat(course.requests.sent).containsExactly("a2");
        assertThat(course.metrics.pushesDropped().total(PushDropReason.INTERNAL_ERROR))
                .isEqualTo(1);
        assertThat(course.buffer.pushes()).isZero();
        assertThat(course.buffer.bytes()).isZero();
    }
}
