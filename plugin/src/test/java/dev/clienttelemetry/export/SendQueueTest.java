/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SendQueueTest {
    private final SetClock clock = new SetClock();
    private final Pushes pushes = new Pushes(clock);
    private final SendQueue queue = new SendQueue();

    private void add(int instance, int size) {
        queue.add(pushes.chunk(instance, size), clock.getAsLong());
    }

    private Batch take(long maxBytes) {
        Batch batch = new Batch();
        queue.takeBatch(batch, maxBytes);
        return batch;
    }

    @Test
    void whatMayBeSentTogetherIsKnownWhateverBecameOfItBefore() {
        add(1, 10);
        add(1, 20);
        add(2, 40);
        assertThat(queue.readyBytes()).isEqualTo(70);

        Batch first = take(30);
        assertThat(first.size()).isEqualTo(30);
        add(1, 80);
        assertThat(queue.readyBytes())
                .as("the first client's wait for its batch")
                .isEqualTo(40);

        queue.giveBack(first, clock.getAsLong());
        assertThat(queue.readyBytes()).isEqualTo(10 + 20 + 40 + 80);

        queue.goAlone(pushes.instance(1), clock.getAsLong() + 1, clock.getAsLong());
        first = take(30);
        assertThat(first.size()).isEqualTo(30);
        queue.giveBack(first, clock.getAsLong());
        assertThat(queue.readyBytes())
                .as("those that go alone are not among them")
                .isEqualTo(40);
        assertThat(queue.hasReadyAlone()).isTrue();

        queue.removeOldest(clock.getAsLong());
        queue.removeOldest(clock.getAsLong());
        clock.advanceMillis(1);
        add(1, 160);
        assertThat(queue.hasReadyAlone()).isFalse();
        assertThat(queue.readyBytes()).as("until their time is over").isEqualTo(40 + 80 + 160);

        queue.done(take(1000), clock.getAsLong());
        assertThat(queue.readyBytes()).isZero();
        assertThat(queue.hasReady()).isFalse();
        assertThat(queue.size()).isZero();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void whatIsBehindTheOldestOfItsClientMayBeSentOnceThatIsGone() {
        add(1, 10);
        add(1, 20);

        queue.removeOldest(clock.getAsLong());

        assertThat(queue.readyBytes()).isEqualTo(20);
        assertThat(take(1000).size()).isEqualTo(20);
    }

    @Test
    void aBatchHoldsSoManyPushesAndNoMoreHoweverSmallTheyAre() {
        for (int i = 0; i < 5000; i++) {
            add(1, 1);
        }
        for (int i = 0; i < 5000; i++) {
            add(2 + i, 1);
        }

        Batch ofOne = take(1 << 20);
        Batch ofMany = take(1 << 20);

        assertThat(ofOne.entries).hasSize(4096);
        assertThat(ofOne.instances()).isEqualTo(1);
        assertThat(ofMany.entries).hasSize(4096);
        assertThat(ofMany.instances()).isEqualTo(4096);
        assertThat(queue.size()).isEqualTo(10_000 - 2 * 4096);
    }

    private void goAlone(int instance, long millis) {
        queue.goAlone(
                pushes.instance(instance),
                clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis),
                clock.getAsLong());
    }

    /** Returns how many chunks are sent alone of those of the first few instances. */
    private int alone(int instances) {
        int alone = 0;
        for (int i = 1; i <= instances; i++) {
            add(i, 1);
            Batch batch = new Batch();
            if (queue.hasReadyAlone()) {
                alone++;
                queue.takeAlone(batch);
            } else {
                queue.takeBatch(batch, 1);
            }
            queue.done(batch, clock.getAsLong());
        }
        return alone;
    }

    private Map<?, ?> remembered() throws ReflectiveOperationException {
        Field alone = SendQueue.class.getDeclaredField("aloneUntilNanos");
        alone.setAccessible(true);
        return (Map<?, ?>) alone.get(queue);
    }

    @Test
    void instancesWhosePushesGoAloneAreForgottenOnceTheirTimeIsOver() throws Exception {
        goAlone(1, 10);
        goAlone(2, 10);
        clock.advanceMillis(5);
        goAlone(1, 10);
        assertThat(alone(2)).isEqualTo(2);

        clock.advanceMillis(5);
        assertThat(alone(2)).as("only the first, once more").isEqualTo(1);
        goAlone(3, 10);
        assertThat(remembered()).hasSize(2);

        clock.advanceMillis(10);
        goAlone(4, 10);
        assertThat(remembered()).hasSize(1);
    }

    @Test
    void noMoreInstancesGoAloneThanAreRememberedByDefault() throws Exception {
        for (int i = 1; i <= 16_384; i++) {
            goAlone(i, 10);
        }
        assertThat(alone(3)).isEqualTo(3);

        goAlone(20_000, 10);

        assertThat(remembered()).hasSize(16_384);
        assertThat(alone(3)).as("all but the one that would be over first").isEqualTo(2);
    }
}
