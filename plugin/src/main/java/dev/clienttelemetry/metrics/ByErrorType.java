/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.metrics;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * One instrument for each {@code error.type}. Error types are what backends answer, so their number is bounded: each of the
 * first 32 has an instrument of its own, further ones share that of {@code _OTHER}. Thread-safe.
 *
 * @param <T> the instrument
 */
final class ByErrorType<T> {
    /** What {@code error.type} is, by the semantic conventions, where there would be too many values. */
    static final String OTHER = "_OTHER";

    private static final int MAX_ERROR_TYPES = 32;

    private final ConcurrentMap<String, T> instruments = new ConcurrentHashMap<>();
    private final Supplier<T> newInstrument;
    private final BiConsumer<String, T> onNewErrorType;

    /**
     * Creates none yet.
     *
     * @param newInstrument makes an instrument
     * @param onNewErrorType told of each error type when it first occurs
     */
    ByErrorType(Supplier<T> newInstrument, BiConsumer<String, T> onNewErrorType) {
        this.newInstrument = newInstrument;
        this.onNewErrorType = onNewErrorType;
    }

    /** Returns the instrument of an error type, made where it is the type's first occurrence. */
    T of(String errorType) {
        T known = instruments.get(errorType);
        return known == null ? firstOf(errorType) : known;
    }

    /** Returns the instrument of an error type if it has occurred, and has one of its own. */
    Optional<T> ifKnown(String errorType) {
        return Optional.ofNullable(instruments.get(errorType));
    }

    private synchronized T firstOf(String errorType) {
        String bounded = instruments.containsKey(errorType) || instruments.size() < MAX_ERROR_TYPES ? errorType : OTHER;
        return instruments.computeIfAbsent(bounded, type -> {
            T created = newInstrument.get();
            onNewErrorType.accept(type, created);
            return created;
        });
    }
}
