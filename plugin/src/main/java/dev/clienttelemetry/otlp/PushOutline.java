/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import java.util.Arrays;

/**
 * What a push is made of once it is coalesced: resources with their scopes with their metrics with their points, each in
 * the order of first appearance, as positions in the push's bytes. Filled by {@link PushReader}, amended by
 * {@link SumConverter}, written by {@link PushWriter}.
 *
 * <p>Columns instead of objects, reused from push to push: the worker allocates nothing per metric. Ends of lists are -1.
 */
final class PushOutline {
    /** Lists longer than this give their memory back after the push. */
    private static final int LARGE = 1 << 13;

    /** Where the push's own unknown fields begin; up to its end. */
    int suffixStart;

    /**
     * Whether the push has one resource, and everything behind that is written as it was pushed, with at most eight-byte
     * values patched: nothing to merge, to leave out or to add.
     */
    boolean asPushed;

    /** How many points of a push that is {@link #asPushed} are copied with their metrics. */
    int unchangedPoints;

    final Resources resources = new Resources();
    final Scopes scopes = new Scopes();
    final Metrics metrics = new Metrics();
    final Points points = new Points();

    void clear() {
        unchangedPoints = 0;
        resources.clear();
        scopes.clear();
        metrics.clear();
        points.clear();
    }

    /** Lets go of memory that only an outsized push needs. */
    void release() {
        resources.release();
        scopes.release();
        metrics.release();
        points.release();
    }

    /** Rows of int columns and of long columns that grow together. */
    abstract static class Columns {
        int count;
        private int capacity;

        final void clear() {
            count = 0;
            if (capacity == 0) {
                resize(64);
            }
        }

        final void release() {
            if (capacity > LARGE) {
                count = 0;
                resize(0);
            }
        }

        final int add() {
            if (count == capacity) {
                resize(capacity * 2);
            }
            return count++;
        }

        private void resize(int newCapacity) {
            capacity = newCapacity;
            resizeColumns(newCapacity);
        }

        abstract void resizeColumns(int size);
    }

    /** Resources with what else of their {@code ResourceMetrics} must be equal for them to be merged. */
    static final class Resources extends Columns {
        /** The resource's content, without its tag and length; empty where it was absent. */
        int[] start = {};

        int[] end = {};
        /** The fields after {@code scope_metrics}: the schema's URL and unknown fields. */
        int[] suffixStart = {};

        int[] suffixEnd = {};
        int[] firstScope = {};
        int[] lastScope = {};
        /** Bytes to write for it, without its tag and length; 0 where nothing of it is left. */
        int[] size = {};
        /** The identity of the resulting resource alone, for series. */
        long[] hashHigh = {};

        long[] hashLow = {};

        @Override
        void resizeColumns(int size) {
            start = Arrays.copyOf(start, size);
            end = Arrays.copyOf(end, size);
            suffixStart = Arrays.copyOf(suffixStart, size);
            suffixEnd = Arrays.copyOf(suffixEnd, size);
            firstScope = Arrays.copyOf(firstScope, size);
            lastScope = Arrays.copyOf(lastScope, size);
            this.size = Arrays.copyOf(this.size, size);
            hashHigh = Arrays.copyOf(hashHigh, size);
            hashLow = Arrays.copyOf(hashLow, size);
        }
    }

    /** Scopes with what else of their {@code ScopeMetrics} must be equal for them to be merged. */
    static final class Scopes extends Columns {
        /** The whole field {@code scope} with its tag and length; empty where it was absent. */
        int[] start = {};

        int[] end = {};
        /** The fields after {@code metrics}: the schema's URL and unknown fields. */
        int[] suffixStart = {};

        int[] suffixEnd = {};
        int[] firstMetric = {};
        int[] lastMetric = {};
        int[] next = {};
        /** Bytes to write for it, without its tag and length; 0 where nothing of it is left. */
        int[] size = {};
        /** The identity of resource and scope together, for series. */
        long[] hashHigh = {};

        long[] hashLow = {};

        @Override
        void resizeColumns(int size) {
            start = Arrays.copyOf(start, size);
            end = Arrays.copyOf(end, size);
            suffixStart = Arrays.copyOf(suffixStart, size);
            suffixEnd = Arrays.copyOf(suffixEnd, size);
            firstMetric = Arrays.copyOf(firstMetric, size);
            lastMetric = Arrays.copyOf(lastMetric, size);
            next = Arrays.copyOf(next, size);
            this.size = Arrays.copyOf(this.size, size);
            hashHigh = Arrays.copyOf(hashHigh, size);
            hashLow = Arrays.copyOf(hashLow, size);
        }
    }

    /**
     * Metrics: the first of those that are merged, which are equal but for their points, with the points of all. A push has
     * more of them than of anything else, so all of a metric lies in one row instead of a column each; a metric is known by
     * where its row begins.
     */
    static final class Metrics {
        static final int ROW = 16;

        static final int SCOPE = 0;
        /** The metric's content, without its tag and length. */
        static final int START = 1;

        static final int END = 2;
        /** Where the field of the oneof {@code data} begins, tag and length included. */
        static final int DATA = 3;
        /** The fields of {@code data} after its points, up to where {@code data} ends. */
        static final int DATA_SUFFIX_START = 4;

        static final int DATA_END = 5;
        /** How many points it has that are copied with it, all unchanged; 0 where its points are listed. */
        static final int UNCHANGED_COUNT = 6;

        static final int FIRST_POINT = 7;
        static final int LAST_POINT = 8;
        static final int NEXT = 9;
        /** Bytes of its points as they will be written; 0 where none is left. */
        static final int POINTS_SIZE = 10;
        /** Bytes to write for it, without its tag and length. */
        static final int SIZE = 11;
        /** Whether the metric can be copied as a whole, with at most eight-byte values patched: 1, else 0. */
        static final int WHOLE = 12;
        /** Whether it is a delta sum that becomes cumulative: 1, else 0. */
        static final int CONVERTED = 13;
        /** Whether others came that are found by the same quick hash and are not equal to it: 1, else 0. */
        static final int AMBIGUOUS = 14;

        int[] rows = {};
        /** Where the rows end. */
        int end;

        int count() {
            return end / ROW;
        }

        int add() {
            int added = end;
            if (added == rows.length) {
                rows = Arrays.copyOf(rows, added * 2);
            }
            end = added + ROW;
            return added;
        }

        void clear() {
            end = 0;
            if (rows.length == 0) {
                rows = new int[64 * ROW];
            }
        }

        void release() {
            if (rows.length > LARGE * ROW) {
                rows = new int[0];
            }
        }
    }

    /** Runs of points that are copied as they are, and single points of delta sums. */
    static final class Points extends Columns {
        static final int LEFT_OUT = 0;
        /** A run of whole fields, tags and lengths included. */
        static final int UNCHANGED = 1;
        /** One point's content, without tag and length, of a delta sum. */
        static final int DELTA = 2;

        int[] kind = {};
        int[] start = {};
        int[] end = {};
        int[] metric = {};
        int[] next = {};
        /** How many points a run has. */
        int[] pointCount = {};
        /** Where the field of the start time begins, -1 where it is absent. */
        int[] startTimeAt = {};
        /** Where the field of the value begins. */
        int[] valueAt = {};
        /** The attributes' fields, one after the other. */
        int[] attributesStart = {};

        int[] attributesEnd = {};
        /** Whether the value is a double, not an int; as pushed, then as it will be written. */
        boolean[] isDouble = {};

        boolean[] isMonotonic = {};
        /** Unix nanoseconds; as pushed, then as it will be written. */
        long[] startTime = {};

        long[] time = {};
        /** A double's bits or an int; as pushed, then as it will be written. */
        long[] value = {};
        /** The time of the zero that goes before the point, 0 where there is none. */
        long[] zeroTime = {};
        /** The series' identity. */
        long[] hashHigh = {};

        long[] hashLow = {};

        @Override
        void resizeColumns(int size) {
            kind = Arrays.copyOf(kind, size);
            start = Arrays.copyOf(start, size);
            end = Arrays.copyOf(end, size);
            metric = Arrays.copyOf(metric, size);
            pointCount = Arrays.copyOf(pointCount, size);
            next = Arrays.copyOf(next, size);
            startTimeAt = Arrays.copyOf(startTimeAt, size);
            valueAt = Arrays.copyOf(valueAt, size);
            attributesStart = Arrays.copyOf(attributesStart, size);
            attributesEnd = Arrays.copyOf(attributesEnd, size);
            isDouble = Arrays.copyOf(isDouble, size);
            isMonotonic = Arrays.copyOf(isMonotonic, size);
            startTime = Arrays.copyOf(startTime, size);
            time = Arrays.copyOf(time, size);
            value = Arrays.copyOf(value, size);
            zeroTime = Arrays.copyOf(zeroTime, size);
            hashHigh = Arrays.copyOf(hashHigh, size);
            hashLow = Arrays.copyOf(hashLow, size);
        }
    }
}
