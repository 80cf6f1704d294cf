/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.metrics.PointDropReason;
import dev.clienttelemetry.metrics.SequenceRestart;
import dev.clienttelemetry.metrics.TelemetryMetrics;

/**
 * Turns the deltas of a push into cumulative values, by the rules of OTLP's data model for sequences of points (a
 * sequence is what shares a start time). For one thread.
 *
 * <p>A point of the interval from {@code start} to {@code time} meets a series whose last interval ended at {@code last}
 * and whose last point was sent with the time {@code sent}; the two differ only while points are held back.
 * <ol>
 *   <li>time = last: a repeat, dropped.
 *   <li>start &gt; time, or time &lt;= sent: the client's clock was set back. The delta is added, the point held back
 *       until one passes {@code sent}. After five minutes of this a new sequence starts, without a zero.
 *   <li>start = last: the delta is added.
 *   <li>start &gt; last: a gap, a push was lost or went elsewhere. A new sequence starts with this delta.
 *   <li>start &lt; last &lt; time: an overlap. Likewise.
 * </ol>
 * A negative delta of a monotonic sum starts a new sequence at zero, whatever its interval; an overflow one with this
 * delta. What was added while points were held back is in the next point that is sent, also where that begins a new
 * sequence: no increment is lost while the series' state lasts.
 *
 * <p>The first point of a monotonic sum's sequence is preceded by a zero 1 ms after the sequence's start, or 1 ms after
 * {@code sent} if that is later: backends that look at values only see the first delta as a rise from it.
 *
 * <p>No point is sent whose start is later than its time: while points are held back before a sequence has sent any, its
 * start moves back with the client's clock.
 */
final class SumConverter {
    /** How long points are held back for a client whose clock was set back, in milliseconds. */
    private static final long MAX_HOLD_MS = 5 * 60 * 1000;

    private static final long NANOS_PER_MS = 1_000_000;
    private static final long MS_PER_MINUTE = 60_000;
    /** How long a series must have been silent to make room for a new one of an instance that has reached a bound. */
    private static final long UNSEEN_MINUTES = 60;

    private final TelemetryMetrics metrics;
    private final PushOutline outline;
    private final PushOutline.Points points;
    private final int maxSeries;
    private final int maxSeriesPerInstance;

    private SeriesTable table;
    private long[] rows;
    private int seriesElsewhere;
    private long nowMs;
    /** Looking for silent series again within one push would find none. */
    private boolean madeRoom;

    SumConverter(ConversionSettings settings, TelemetryMetrics metrics, PushOutline outline) {
        this.metrics = metrics;
        this.outline = outline;
        this.points = outline.points;
        this.maxSeries = settings.maxSeries();
        this.maxSeriesPerInstance = settings.maxSeriesPerInstance();
    }

    /**
     * Converts the delta sums of the push in the outline, which gets what is to be written in place of what was pushed.
     *
     * @param table the state of the instance that pushed
     * @param seriesElsewhere the number of series of all other instances
     * @param nowMs the converter's time in milliseconds, at least 0 and never less than before
     */
    void convert(SeriesTable table, int seriesElsewhere, long nowMs) {
        this.table = table;
        this.rows = table.rows;
        this.seriesElsewhere = seriesElsewhere;
        this.nowMs = nowMs;
        this.madeRoom = false;
        for (int point = 0; point < points.count; point++) {
            if (points.kind[point] == PushOutline.Points.DELTA) {
                PointDropReason reason = convert(point);
                if (reason != null) {
                    points.kind[point] = PushOutline.Points.LEFT_OUT;
                    outline.asPushed = false;
                    metrics.pointsDropped().increment(reason);
                }
            }
        }
    }

    /** Converts a point. Returns why it is left out, null where it is not. */
    private PointDropReason convert(int point) {
        long time = points.time[point];
        long start = points.startTime[point];
        boolean monotonic = points.isMonotonic[point];
        int row = table.find(points.hashHigh[point], points.hashLow[point]);
        boolean isNew = row < 0;
        if (isNew) {
            PointDropReason reason = bound();
            if (reason != null) {
                return reason;
            }
            row = table.add(points.hashHigh[point], points.hashLow[point]);
            rows = table.rows;
            if (start == 0) {
                start = Long.compareUnsigned(time, NANOS_PER_MS) > 0 ? time - NANOS_PER_MS : 0;
            }
        } else {
            setSeen(row);
            if (time == rows[row + SeriesTable.LAST_TIME]) {
                return PointDropReason.REPEAT;
            }
            if (start == 0) {
                start = rows[row + SeriesTable.LAST_TIME];
            }
        }

        long last = rows[row + SeriesTable.LAST_TIME];
        boolean backwards = Long.compareUnsigned(start, time) > 0;
        boolean hold = backwards || Long.compareUnsigned(time, rows[row + SeriesTable.LAST_SENT]) <= 0;
        if (backwards) {
            // What was counted before the clock was set back has no interval on the new time: it ends where that
            // begins.
            start = time;
        }
        matchType(row, points.isDouble[point]);
        SequenceRestart restart = null;
        if (monotonic && isNegative(point)) {
            restart = SequenceRestart.NEGATIVE_DELTA;
        } else if (!addToHeld(row, point)) {
            restart = SequenceRestart.OVERFLOW;
        } else if (!isNew && !hold && start != last) {
            restart = Long.compareUnsigned(start, last) > 0 ? SequenceRestart.GAP : SequenceRestart.OVERLAP;
        }
        if (restart != null) {
            metrics.sequenceRestarts().increment(restart);
        }
        if (isNew || restart != null) {
            begin(row, start, monotonic);
        }
        rows[row + SeriesTable.LAST_TIME] = time;
        if (isNew) {
            setSeen(row);
        }
        if (hold) {
            if (!mayStopHolding(row)) {
                moveStartBack(row, start);
                return PointDropReason.CLOCK_BACK;
            }
            metrics.sequenceRestarts().increment(SequenceRestart.CLOCK_BACK);
            begin(row, start, false);
        }
        send(row, point, start);
        return null;
    }

    /** Returns which bound forbids a new series, null where none does. */
    private PointDropReason bound() {
        if (isWithinBounds()) {
            return null;
        }
        if (!madeRoom) {
            // A consumer's series begin anew with each member id: a long life leaves many behind.
            table.removeUnseen(nowMs / MS_PER_MINUTE, UNSEEN_MINUTES);
            rows = table.rows;
            madeRoom = true;
            if (isWithinBounds()) {
                return null;
            }
        }
        return table.size() >= maxSeriesPerInstance
                ? PointDropReason.INSTANCE_SERIES_BOUND
                : PointDropReason.SERIES_BOUND;
    }

    private boolean isWithinBounds() {
        return table.size() < maxSeriesPerInstance && table.size() + seriesElsewhere < maxSeries;
    }

    private boolean isNegative(int point) {
        long value = points.value[point];
        return points.isDouble[point] ? Double.longBitsToDouble(value) < 0 : value < 0;
    }

    /** An int series that gets a double goes on as doubles. */
    private void matchType(int row, boolean isDouble) {
        if (isDouble && (rows[row + SeriesTable.FLAGS] & SeriesTable.IS_DOUBLE) == 0) {
            rows[row + SeriesTable.FLAGS] |= SeriesTable.IS_DOUBLE;
            rows[row + SeriesTable.SUM] = Double.doubleToRawLongBits(rows[row + SeriesTable.SUM]);
            rows[row + SeriesTable.HELD] = Double.doubleToRawLongBits(rows[row + SeriesTable.HELD]);
        }
    }

    /** Adds a point's delta to what is to be sent; see {@link #add} for what is returned. */
    private boolean addToHeld(int row, int point) {
        long delta = points.value[point];
        if (!points.isDouble[point] && (rows[row + SeriesTable.FLAGS] & SeriesTable.IS_DOUBLE) != 0) {
            delta = Double.doubleToRawLongBits(delta);
        }
        return add(row, SeriesTable.HELD, delta);
    }

    /** Adds to a field of a row; where the sum leaves the range of its type, puts the addend there and returns false. */
    private boolean add(int row, int field, long addend) {
        long before = rows[row + field];
        if ((rows[row + SeriesTable.FLAGS] & SeriesTable.IS_DOUBLE) != 0) {
            double sum = Double.longBitsToDouble(before) + Double.longBitsToDouble(addend);
            boolean finite = Double.isFinite(sum);
            rows[row + field] = finite ? Double.doubleToRawLongBits(sum) : addend;
            return finite;
        }
        long sum = before + addend;
        boolean overflow = ((before ^ sum) & (addend ^ sum)) < 0;
        rows[row + field] = overflow ? addend : sum;
        return !overflow;
    }

    /** Begins a sequence at zero; what is held is its first value. Zero is 0 as an int and as a double's bits. */
    private void begin(int row, long start, boolean withZero) {
        rows[row + SeriesTable.SEQUENCE_START] = start;
        rows[row + SeriesTable.SUM] = 0;
        if (withZero) {
            rows[row + SeriesTable.FLAGS] |= SeriesTable.ZERO_PENDING;
        } else {
            rows[row + SeriesTable.FLAGS] &= ~SeriesTable.ZERO_PENDING;
        }
    }

    /**
     * Lets a sequence of which nothing was sent yet begin where time goes on now, if that is earlier: the point that is
     * sent at last may end before the start that the sequence had. It never begins before the last point sent.
     */
    private void moveStartBack(int row, long start) {
        long sent = rows[row + SeriesTable.LAST_SENT];
        long earliest = Long.compareUnsigned(start, sent) > 0 ? start : sent;
        if (Long.compareUnsigned(rows[row + SeriesTable.SEQUENCE_START], earliest) > 0) {
            rows[row + SeriesTable.SEQUENCE_START] = earliest;
        }
    }

    /** Notes that points are held back; returns whether they have been for so long that it is enough. */
    private boolean mayStopHolding(int row) {
        long flags = rows[row + SeriesTable.FLAGS];
        if ((flags & SeriesTable.IS_HOLDING) == 0) {
            rows[row + SeriesTable.FLAGS] = flags & ~(SeriesTable.HELD_SINCE_MASK << SeriesTable.HELD_SINCE_SHIFT)
                    | (nowMs & SeriesTable.HELD_SINCE_MASK) << SeriesTable.HELD_SINCE_SHIFT
                    | SeriesTable.IS_HOLDING;
            return false;
        }
        long heldMs = nowMs - (flags >>> SeriesTable.HELD_SINCE_SHIFT) & SeriesTable.HELD_SINCE_MASK;
        return heldMs >= MAX_HOLD_MS;
    }

    private void setSeen(int row) {
        long minute = nowMs / MS_PER_MINUTE;
        long flags = rows[row + SeriesTable.FLAGS];
        rows[row + SeriesTable.FLAGS] =
                flags & ~(SeriesTable.SEEN_MASK << SeriesTable.SEEN_SHIFT) | minute << SeriesTable.SEEN_SHIFT;
    }

    /** Makes the point what is to be written: the sum with everything held, and the zero before it where one is due. */
    private void send(int row, int point, long start) {
        if (!add(row, SeriesTable.SUM, rows[row + SeriesTable.HELD])) {
            metrics.sequenceRestarts().increment(SequenceRestart.OVERFLOW);
            begin(row, start, points.isMonotonic[point]);
            rows[row + SeriesTable.SUM] = rows[row + SeriesTable.HELD];
        }
        rows[row + SeriesTable.HELD] = 0;
        long time = points.time[point];
        long flags = rows[row + SeriesTable.FLAGS];
        long sequenceStart = rows[row + SeriesTable.SEQUENCE_START];
        long zeroTime = 0;
        if ((flags & SeriesTable.ZERO_PENDING) != 0) {
            long sent = rows[row + SeriesTable.LAST_SENT];
            long before = Long.compareUnsigned(sequenceStart, sent) >= 0 ? sequenceStart : sent;
            // Before the addition, which would overflow for a time at the end of time.
            if (Long.compareUnsigned(time, before) > 0 && Long.compareUnsigned(time - before, NANOS_PER_MS) > 0) {
                zeroTime = before + NANOS_PER_MS;
            } else {
                metrics.zeroPointsLeftOut().increment();
            }
        }
        if (zeroTime != 0 || points.startTimeAt[point] < 0) {
            outline.asPushed = false;
        }
        points.startTime[point] = sequenceStart;
        points.value[point] = rows[row + SeriesTable.SUM];
        points.isDouble[point] = (flags & SeriesTable.IS_DOUBLE) != 0;
        points.zeroTime[point] = zeroTime;
        rows[row + SeriesTable.LAST_SENT] = time;
        rows[row + SeriesTable.FLAGS] = flags & ~(SeriesTable.IS_HOLDING | SeriesTable.ZERO_PENDING);
    }
}
