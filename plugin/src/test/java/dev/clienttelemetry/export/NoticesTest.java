/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class NoticesTest {
    private final SetClock clock = new SetClock();
    private final Notices notices = new Notices(LoggerFactory.getLogger("test"), clock);

    @Test
    void eachKindIsToldOnceAMinuteWithTheNumberOfThoseHeldBack() {
        assertThat(notices.admitted("a", "first")).isEqualTo("first");
        assertThat(notices.admitted("b", "other")).isEqualTo("other");
        assertThat(notices.admitted("a", "second")).isNull();
        clock.advanceMillis(59_999);
        assertThat(notices.admitted("a", "third")).isNull();

        clock.advanceMillis(1);
        assertThat(notices.admitted("a", "fourth")).isEqualTo("fourth (2 more like this since the last such line)");
        assertThat(notices.admitted("a", "fifth")).isNull();
        assertThat(notices.admitted("b", "other")).isEqualTo("other");

        clock.advanceMillis(60_000);
        assertThat(notices.admitted("a", "sixth")).isEqualTo("sixth (1 more like this since the last such line)");
        clock.advanceMillis(60_000);
        assertThat(notices.admitted("a", "seventh")).isEqualTo("seventh");
    }

    /** Kinds may come from libraries: they are forgotten before they take much room. */
    @Test
    void noMoreThanSixtyFourKindsAreRemembered() {
        for (int i = 0; i < 64; i++) {
            assertThat(notices.admitted("kind " + i, "x")).isNotNull();
        }
        for (int i = 0; i < 64; i++) {
            assertThat(notices.admitted("kind " + i, "x")).isNull();
        }

        assertThat(notices.admitted("one more", "x")).isNotNull();

        assertThat(notices.admitted("kind 0", "x")).isNotNull();
        assertThat(notices.admitted("one more", "x")).isNull();
    }
}
