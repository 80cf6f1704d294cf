/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Whether the OTLP endpoint takes requests or at least judges them by their content, as the answers to the latest ones
 * say. Each change of state is logged once, with the endpoint and the real cause; where the state changes all the time, at
 * most once a minute. Thread-safe.
 */
public final class Reachability {
    /** What the latest answers say of the endpoint. */
    public enum State {
        /** Nothing was sent yet. */
        UNKNOWN,
        /** It takes requests, or refuses only the content of those that it got, which another request's may not be. */
        REACHABLE,
        /** It cannot be connected to, does not answer in time, or answers every request with an error of its own. */
        UNREACHABLE
    }

    private static final long CALM_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Longer than any wait between two attempts: of a push that failed so long ago nothing is left. */
    private static final long PUSH_GIVEN_UP_NANOS = TimeUnit.MINUTES.toNanos(6);

    /** So many changes are logged as they come; an outage and its end are two. */
    private static final int CHANGES_AT_ONCE = 4;

    private final String endpoint;
    private final Logger log;
    private final LongSupplier nanoClock;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong acceptedPushes = new AtomicLong();

    private volatile boolean pushesFail;
    private volatile long pushFailedNanos;
    private volatile State state = State.UNKNOWN;
    private volatile Cause cause = Cause.NONE;
    /** Whether something is to be logged when its time has come. */
    private volatile boolean heldBack;

    private State loggedState = State.UNKNOWN;
    private Cause loggedCause = Cause.NONE;
    /** Of the latest time without the endpoint, while that lasts and after it. */
    private Cause lastCause = Cause.NONE;

    private long kindSinceNanos;
    private long unreachableSinceNanos;
    private long calmSinceNanos;
    private int changesLogged;
    private long changesNotLogged;

    /**
     * Why the endpoint takes nothing, or nothing so far of what it has answered. One outage is told in many words: first
     * requests break, then connections are refused, then the host's name is gone.
     *
     * @param group what else is a change of state: without an answer, TLS, answers to come back later, refusals
     * @param kind what does not depend on words that vary from one request to the next
     * @param text in one line without secrets
     */
    private record Cause(String group, String kind, String text) {
        private static final String REFUSES = "refuses pushes: ";
        private static final String REFUSES_OWN = "refuses the own metrics: ";
        private static final String REFUSES_CONTENT = "refuses the content of pushes";
        private static final String REFUSES_OWN_CONTENT = "refuses the content of the own metrics";

        static final Cause NONE = new Cause("", "", "");

        static Cause of(Answer answer, boolean ownMetrics) {
            String kind = answer.errorType() + (answer.retryAfterNanos() > 0 ? " with a wait" : "");
            String group;
            if (answer.outcome() == Answer.Outcome.ENDPOINT_REFUSES) {
                group = (ownMetrics ? REFUSES_OWN : REFUSES) + kind;
            } else if (answer.errorType().startsWith("javax.net.ssl.")) {
                group = "TLS";
            } else if (answer.errorType().equals("timeout")
                    || answer.errorType().indexOf('.') >= 0) {
                group = "no answer";
            } else {
                group = "later";
            }
            return new Cause(group, kind, answer.detail());
        }

        static Cause ofContent(Answer answer, boolean ownMetrics) {
            return new Cause(ownMetrics ? REFUSES_OWN_CONTENT : REFUSES_CONTENT, answer.errorType(), answer.detail());
        }

        /** Returns whether it says no more than this one: that own metrics are refused as pushes are is no news. */
        boolean isToldBy(Cause other) {
            return equals(other) || group.equals(REFUSES_OWN + kind) && other.group.equals(REFUSES + kind);
        }

        String consequence() {
            if (group.startsWith(REFUSES_OWN)) {
                return "This answers the plugin's own metrics, which are dropped until this is put right; what answers pushes"
                        + " is told apart";
            }
            return group.startsWith(REFUSES)
                    ? "Pushes sent to it are dropped until this is put right"
                    : "Pushes are kept and tried again, as far as client.telemetry.buffer.max.bytes and"
                            + " client.telemetry.batch.max.age.ms allow";
        }
    }

    Reachability(String endpoint, Logger log, LongSupplier nanoClock) {
        this.endpoint = endpoint;
        this.log = log;
        this.nanoClock = nanoClock;
        this.calmSinceNanos = nanoClock.getAsLong();
    }

    /** Returns the state now. */
    public State state() {
        return state;
    }

    /** Returns why it is unreachable, in one line without secrets; empty in the other states. */
    synchronized String cause() {
        return state == State.UNREACHABLE ? cause.text() : "";
    }

    /**
     * Returns how many answers showed until now that the endpoint judges requests by their content, whether it took them or
     * refused that.
     *
     * @param ownMetrics of requests of all kinds, which is what matters for the plugin's own metrics; else of pushes alone
     */
    long accepted(boolean ownMetrics) {
        return (ownMetrics ? accepted : acceptedPushes).get();
    }

    /**
     * Notes an answer. What answers the plugin's own metrics shows an outage, but ends none that pushes have.
     *
     * @param acceptedBefore {@link #accepted} when the request was sent: where others got through since then, a failure says
     *     nothing of the endpoint
     * @param ownMetrics whether it is the answer to the plugin's own metrics: what happens to pushes may be otherwise
     */
    void answered(Answer answer, long acceptedBefore, boolean ownMetrics) {
        switch (answer.outcome()) {
            case ACCEPTED, CONTENT_REFUSED -> {
                accepted.incrementAndGet();
                if (!ownMetrics) {
                    acceptedPushes.incrementAndGet();
                    pushesFail = false;
                }
                if (!pushesFail || nanoClock.getAsLong() - pushFailedNanos >= PUSH_GIVEN_UP_NANOS) {
                    answers(answer, ownMetrics);
                }
            }
            case RETRY, TIMEOUT, ENDPOINT_REFUSES -> {
                if (accepted(ownMetrics) == acceptedBefore) {
                    if (!ownMetrics) {
                        pushFailedNanos = nanoClock.getAsLong();
                        pushesFail = true;
                    }
                    become(State.UNREACHABLE, Cause.of(answer, ownMetrics));
                }
            }
            case STALE_CONNECTION, CANCELLED -> {
                // Says nothing of the endpoint.
            }
            default -> throw new IllegalStateException(answer.outcome().name());
        }
    }

    /**
     * Logs what was held back, when its time has come: the last word is always the state as it is. To be called now and
     * then.
     */
    void tick() {
        // Read without the lock: nothing to do is by far the usual case.
        if (heldBack) {
            logChange(nanoClock.getAsLong());
        }
    }

    /**
     * That it refuses a content shows that it is there, and not that it takes anything; where it took something before, it
     * says nothing new. That it takes our own metrics does not show that it takes pushes, which it refused.
     */
    private synchronized void answers(Answer answer, boolean ownMetrics) {
        if (answer.outcome() == Answer.Outcome.ACCEPTED) {
            if (!ownMetrics || !cause.group().equals(Cause.REFUSES_CONTENT)) {
                become(State.REACHABLE, Cause.NONE);
            }
        } else if (state != State.REACHABLE || !ownMetrics && cause.group().equals(Cause.REFUSES_OWN_CONTENT)) {
            become(State.REACHABLE, Cause.ofContent(answer, ownMetrics));
        }
    }

    private synchronized void become(State now, Cause why) {
        if (now == state && why.isToldBy(cause)) {
            return;
        }
        long nanos = nanoClock.getAsLong();
        if (now == State.UNREACHABLE) {
            if (state != State.UNREACHABLE) {
                unreachableSinceNanos = nanos;
            }
            lastCause = why;
        }
        if (!why.kind().equals(cause.kind())) {
            kindSinceNanos = nanos;
        }
        boolean changed = now != state || !why.group().equals(cause.group());
        state = now;
        cause = why;
        if (changed) {
            changesNotLogged++;
            logChange(nanos);
        } else if (!heldBack) {
            heldBack = !why.kind().equals(loggedCause.kind());
        }
    }

    private synchronized void logChange(long nanos) {
        boolean otherKind = state == State.UNREACHABLE && !cause.kind().equals(loggedCause.kind());
        heldBack = changesNotLogged > 0 || otherKind;
        // Within an outage another kind is told only where it stays.
        if (!heldBack || changesNotLogged == 0 && nanos - kindSinceNanos < CALM_NANOS) {
            return;
        }
        if (nanos - calmSinceNanos >= CALM_NANOS) {
            calmSinceNanos = nanos;
            changesLogged = 0;
        }
        if (changesLogged >= CHANGES_AT_ONCE) {
            return;
        }
        changesLogged++;
        long more = changesNotLogged - 1;
        String times = "it changed " + more + (more == 1 ? " time" : " times") + " more meanwhile";
        if (state == State.UNREACHABLE) {
            log.warn(
                    "OTLP endpoint {}: {}{} {}{}",
                    endpoint,
                    cause.text(),
                    cause.text().endsWith("?") ? "" : ".",
                    cause.consequence(),
                    more > 0 ? " (" + times + ")" : "");
        } else {
            boolean again = loggedState == State.UNREACHABLE || more > 0;
            boolean otherCause = again && !lastCause.kind().equals(loggedCause.kind());
            String last = more > 0 || otherCause ? "the last cause: " + lastCause.text() : "";
            String since = again
                    ? " again, after " + TimeUnit.NANOSECONDS.toSeconds(nanos - unreachableSinceNanos) + " s"
                    : "";
            String meanwhile = last.isEmpty() ? "" : " (" + (more > 0 ? times + "; " : "") + last + ")";
            if (cause.equals(Cause.NONE)) {
                log.info("OTLP endpoint {} takes what is sent to it{}{}", endpoint, since, meanwhile);
            } else {
                log.info(
                        "OTLP endpoint {} answers{}, and {}: {}{}",
                        endpoint,
                        since,
                        cause.group(),
                        cause.text(),
                        meanwhile);
            }
        }
        loggedState = state;
        loggedCause = cause;
        changesNotLogged = 0;
        heldBack = false;
    }
}
