/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

/**
 * Whether the OTLP endpoint takes requests, as the answers to the latest ones say. Each change of state is logged once,
 * with the endpoint and the real cause. Thread-safe.
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

    private volatile State state = State.UNKNOWN;
    private volatile String cause = "";

    /** Returns the state now. */
    public State state() {
        return state;
    }

    /** Returns why it is unreachable, in one line without secrets; empty in the other states. */
    public String cause() {
        return cause;
    }
}
