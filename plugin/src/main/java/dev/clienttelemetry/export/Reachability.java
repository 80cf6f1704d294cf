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
 * Whether the OTLP endpoint takes requests, as the answers to the latest ones say. Each change of state is logged once,
 * with the endpoint and the real cause; where the state changes all the time, at most once a minute. Thread-safe.
 */
public final class Reachability {
    /** What the latest answers say of the endpoint. */
    public enum State {
        /** Nothing was sent yet. */
        UNKNOWN,
        /** It takes requests. */
        REACHABLE,
        /** It cannot be connected to, does not answer in time, or answers every request with an error of its own. */
        UNREACHABLE
    }

    private static final long CALM_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** So many changes are logged as they come; an outage and its end are two. */
    private static final int CHANGES_AT_ONCE = 4;

    private final String endpoint;
    private final Logger log;
    private final LongSupplier nanoClock;
    private final AtomicLong accepted = new AtomicLong();

    private volatile State state = State.UNKNOWN;
    private volatile String cause = "";
    private volatile boolean changeHeldBack;

    private State loggedState = State.UNKNOWN;
    private String loggedCause = "";
    private boolean dropping;
    private long unreachableSinceNanos;
    private long calmSinceNanos;
    private int changesLogged;
    private long changesHeldBack;

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
    public String cause() {
        return cause;
    }

    /** Returns how many answers showed until now that the endpoint takes requests. */
    long accepted() {
        return accepted.get();
    }

    /**
     * Notes an answer.
     *
     * @param acceptedBefore {@link #accepted} when the request was sent: where others got through since then, a failure says
     *     nothing of the endpoint
     */
    void answered(Answer answer, long acceptedBefore) {
        switch (answer.outcome()) {
            case ACCEPTED, CONTENT_REFUSED -> {
                accepted.incrementAndGet();
                become(State.REACHABLE, "", false);
            }
            case RETRY, TIMEOUT, ENDPOINT_REFUSES -> {
                if (accepted.get() == acceptedBefore) {
                    become(State.UNREACHABLE, answer.detail(), answer.outcome() == Answer.Outcome.ENDPOINT_REFUSES);
                }
            }
            case STALE_CONNECTION, CANCELLED -> {
                // Says nothing of the endpoint.
            }
            default -> throw new IllegalStateException(answer.outcome().name());
        }
    }

    /** Logs a change that was held back, when its time has come. To be called now and then. */
    void tick() {
        // Read without the lock: nothing to do is by far the usual case.
        if (changeHeldBack) {
            logChange();
        }
    }

    private synchronized void become(State now, String why, boolean drops) {
        if (now == State.UNREACHABLE && state != State.UNREACHABLE) {
            unreachableSinceNanos = nanoClock.getAsLong();
        }
        if (now == state && why.equals(cause)) {
            return;
        }
        state = now;
        cause = why;
        dropping = drops;
        logChange();
    }

    private synchronized void logChange() {
        if (state == loggedState && cause.equals(loggedCause)) {
            changeHeldBack = false;
            return;
        }
        long nanos = nanoClock.getAsLong();
        if (nanos - calmSinceNanos >= CALM_NANOS) {
            calmSinceNanos = nanos;
            changesLogged = 0;
        }
        if (changesLogged >= CHANGES_AT_ONCE) {
            changesHeldBack++;
            changeHeldBack = true;
            return;
        }
        changesLogged++;
        String heldBack = changesHeldBack == 0 ? "" : " (it changed " + changesHeldBack + " times more meanwhile)";
        if (state == State.UNREACHABLE) {
            log.warn(
                    "OTLP endpoint {}: {}. {}{}",
                    endpoint,
                    cause,
                    dropping
                            ? "Pushes sent to it are dropped until this is put right"
                            : "Pushes are kept and tried again, as far as client.telemetry.buffer.max.bytes and"
                                    + " client.telemetry.batch.max.age.ms allow",
                    heldBack);
        } else if (loggedState == State.UNKNOWN) {
            log.info("OTLP endpoint {} takes what is sent to it{}", endpoint, heldBack);
        } else {
            log.info(
                    "OTLP endpoint {} takes what is sent to it again, after {} s{}",
                    endpoint,
                    TimeUnit.NANOSECONDS.toSeconds(nanos - unreachableSinceNanos),
                    heldBack);
        }
        loggedState = state;
        loggedCause = cause;
        changesHeldBack = 0;
        changeHeldBack = false;
    }
}
