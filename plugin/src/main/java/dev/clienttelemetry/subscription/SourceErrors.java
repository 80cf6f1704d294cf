/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.util.ArrayList;
import java.util.List;

/** Collects the errors of files. Bounded, so that a hostile file cannot fill memory or a log with them. */
final class SourceErrors {
    static final int MAX_ERRORS = 200;

    private final List<SourceError> errors = new ArrayList<>();
    private int left;

    void add(SourceError error) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(error);
        } else {
            left++;
        }
    }

    boolean isEmpty() {
        return errors.isEmpty();
    }

    /** Returns whether further errors are only counted, so that working out what would be right is in vain. */
    boolean isFull() {
        return errors.size() == MAX_ERRORS;
    }

    int size() {
        return errors.size() + left;
    }

    void throwIfAny() throws InvalidSourceException {
        if (errors.isEmpty()) {
            return;
        }
        List<SourceError> all = new ArrayList<>(errors);
        if (left > 0) {
            SourceError last = errors.get(errors.size() - 1);
            all.add(new SourceError(last.file(), 0, 0, left + " more errors", "none; mend the ones above first"));
        }
        throw new InvalidSourceException(all);
    }
}
