/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.otlp;

import dev.clienttelemetry.otlp.PushOutline.Metrics;

/**
 * Writes one {@link PushOutline} as the {@code resource_metrics} fields of an ExportMetricsServiceRequest. A push with
 * nothing to merge, to leave out or to add is patched in place. Any other is written anew in two steps: lengths stand
 * before contents, so all sizes are computed first, and the result is allocated once and exactly. For one thread.
 */
final class PushWriter {
    private static final byte[] NOTHING = {};
    private static final byte TEMPORALITY_CUMULATIVE = 2;
    private static final int FIXED64_FIELD = 9;
    /** Start time, time and value. */
    private static final int ZERO_POINT_FIELDS = 3 * FIXED64_FIELD;

    private final PushOutline outline;
    /** The rows of {@link Metrics}. */
    private final int[] rows;

    private final PushOutline.Points points;
    private final byte[] in;
    private final byte[] labels;
    private byte[] out;
    private int at;
    private int pointCount;

    /**
     * Creates the writer of one push.
     *
     * @param outline what is to be written
     * @param push the bytes that the outline's positions are positions in; may be changed, and part of the result
     * @param labels what stands before the attributes of each resource
     */
    PushWriter(PushOutline outline, byte[] push, byte[] labels) {
        this.outline = outline;
        this.rows = outline.metrics.rows;
        this.points = outline.points;
        this.in = push;
        this.labels = labels;
    }

    /** Writes the push. */
    ConvertedPush write() {
        return outline.asPushed ? patched() : composed();
    }

    /** Writes nothing but a new head, up to the resource's own attributes: what is behind them stays where it is. */
    private ConvertedPush patched() {
        int resourceStart = outline.resources.start[0];
        int resourceEnd = outline.resources.end[0];
        int resourceSize = labels.length + resourceEnd - resourceStart;
        int size = fieldSize(resourceSize) + outline.suffixStart - resourceEnd;
        out = new byte[fieldSize(size) - size + fieldSize(resourceSize) - resourceSize + labels.length];
        field(Tag.RESOURCE_METRICS, size);
        field(Tag.RESOURCE, resourceSize);
        copy(labels);
        byte[] head = out;
        out = in;
        // All that is listed is points of delta sums.
        for (int point = 0; point < points.count; point++) {
            patch(point, 0);
            if (points.next[point] < 0) {
                patchTemporality(rows[points.metric[point] + Metrics.DATA_SUFFIX_START]);
            }
        }
        return new ConvertedPush(head, in, resourceStart, points.count + outline.unchangedPoints);
    }

    private ConvertedPush composed() {
        measurePoints();
        int total = measureResources();
        out = new byte[total];
        if (total > 0) {
            writeResources();
            copy(outline.suffixStart, in.length);
        }
        return new ConvertedPush(NOTHING, out, 0, pointCount);
    }

    private void measurePoints() {
        for (int point = 0; point < points.count; point++) {
            int metric = points.metric[point];
            int size = points.end[point] - points.start[point];
            switch (points.kind[point]) {
                case PushOutline.Points.UNCHANGED:
                    pointCount += points.pointCount[point];
                    break;
                case PushOutline.Points.DELTA:
                    pointCount++;
                    if (points.startTimeAt[point] < 0) {
                        size += FIXED64_FIELD;
                        rows[metric + Metrics.WHOLE] = 0;
                    }
                    size = fieldSize(size);
                    if (points.zeroTime[point] != 0) {
                        pointCount++;
                        size += fieldSize(zeroPointSize(point));
                        rows[metric + Metrics.WHOLE] = 0;
                    }
                    break;
                default:
                    size = 0;
                    rows[metric + Metrics.WHOLE] = 0;
            }
            rows[metric + Metrics.POINTS_SIZE] += size;
        }
    }

    private int zeroPointSize(int point) {
        return ZERO_POINT_FIELDS + points.attributesEnd[point] - points.attributesStart[point];
    }

    private int measureResources() {
        PushOutline.Resources resources = outline.resources;
        PushOutline.Scopes scopes = outline.scopes;
        int total = 0;
        for (int resource = 0; resource < resources.count; resource++) {
            int scopesSize = 0;
            for (int scope = resources.firstScope[resource]; scope >= 0; scope = scopes.next[scope]) {
                int metricsSize = measureMetrics(scopes.firstMetric[scope]);
                if (metricsSize == 0) {
                    scopes.size[scope] = 0;
                } else {
                    scopes.size[scope] = scopes.end[scope]
                            - scopes.start[scope]
                            + metricsSize
                            + scopes.suffixEnd[scope]
                            - scopes.suffixStart[scope];
                    scopesSize += fieldSize(scopes.size[scope]);
                }
            }
            if (scopesSize == 0) {
                resources.size[resource] = 0;
            } else {
                resources.size[resource] = fieldSize(
                                labels.length + resources.end[resource] - resources.start[resource])
                        + scopesSize
                        + resources.suffixEnd[resource]
                        - resources.suffixStart[resource];
                total += fieldSize(resources.size[resource]);
            }
        }
        return total == 0 ? 0 : total + in.length - outline.suffixStart;
    }

    private int measureMetrics(int first) {
        int total = 0;
        for (int metric = first; metric >= 0; metric = rows[metric + Metrics.NEXT]) {
            if (rows[metric + Metrics.POINTS_SIZE] == 0) {
                continue;
            }
            int size = rows[metric + Metrics.END] - rows[metric + Metrics.START];
            if (rows[metric + Metrics.WHOLE] == 0) {
                size = rows[metric + Metrics.DATA]
                        - rows[metric + Metrics.START]
                        + fieldSize(dataSize(metric))
                        + rows[metric + Metrics.END]
                        - rows[metric + Metrics.DATA_END];
            }
            rows[metric + Metrics.SIZE] = size;
            pointCount += rows[metric + Metrics.UNCHANGED_COUNT];
            total += fieldSize(size);
        }
        return total;
    }

    private int dataSize(int metric) {
        return rows[metric + Metrics.POINTS_SIZE]
                + rows[metric + Metrics.DATA_END]
                - rows[metric + Metrics.DATA_SUFFIX_START];
    }

    /** Returns the size of a length-delimited field with a tag of one byte. */
    private static int fieldSize(int contentSize) {
        return 1 + Wire.varintSize(contentSize) + contentSize;
    }

    private void writeResources() {
        PushOutline.Resources resources = outline.resources;
        PushOutline.Scopes scopes = outline.scopes;
        for (int resource = 0; resource < resources.count; resource++) {
            if (resources.size[resource] == 0) {
                continue;
            }
            field(Tag.RESOURCE_METRICS, resources.size[resource]);
            field(Tag.RESOURCE, labels.length + resources.end[resource] - resources.start[resource]);
            copy(labels);
            copy(resources.start[resource], resources.end[resource]);
            for (int scope = resources.firstScope[resource]; scope >= 0; scope = scopes.next[scope]) {
                if (scopes.size[scope] == 0) {
                    continue;
                }
                field(Tag.SCOPE_METRICS, scopes.size[scope]);
                copy(scopes.start[scope], scopes.end[scope]);
                writeMetrics(scopes.firstMetric[scope]);
                copy(scopes.suffixStart[scope], scopes.suffixEnd[scope]);
            }
            copy(resources.suffixStart[resource], resources.suffixEnd[resource]);
        }
    }

    private void writeMetrics(int first) {
        int metric = first;
        while (metric >= 0) {
            if (rows[metric + Metrics.POINTS_SIZE] == 0) {
                metric = rows[metric + Metrics.NEXT];
            } else if (rows[metric + Metrics.WHOLE] != 0) {
                metric = writeWhole(metric);
            } else {
                field(Tag.METRICS, rows[metric + Metrics.SIZE]);
                writeComposed(metric);
                metric = rows[metric + Metrics.NEXT];
            }
        }
    }

    /**
     * Copies a metric, with those behind it as far as they are whole and lie behind it in the push too, and patches their
     * converted points in place: nothing of them has another size than before. Returns the first metric not copied.
     */
    private int writeWhole(int first) {
        int start = rows[first + Metrics.END] - fieldSize(rows[first + Metrics.SIZE]);
        int end = rows[first + Metrics.END];
        int next = rows[first + Metrics.NEXT];
        while (next >= 0
                && rows[next + Metrics.WHOLE] != 0
                && rows[next + Metrics.POINTS_SIZE] != 0
                && rows[next + Metrics.END] - fieldSize(rows[next + Metrics.SIZE]) == end) {
            end = rows[next + Metrics.END];
            next = rows[next + Metrics.NEXT];
        }
        // What is at a position of the push is at that position plus this of the output.
        int shift = at - start;
        copy(start, end);
        for (int metric = first; metric != next; metric = rows[metric + Metrics.NEXT]) {
            patchMetric(metric, shift);
        }
        return next;
    }

    /**
     * Makes a metric that was copied as a whole cumulative, if it is to be.
     *
     * @param shift what is at a position of the push is at that position plus this of the output
     */
    private void patchMetric(int metric, int shift) {
        if (rows[metric + Metrics.CONVERTED] != 0) {
            for (int point = rows[metric + Metrics.FIRST_POINT]; point >= 0; point = points.next[point]) {
                patch(point, shift);
            }
            patchTemporality(rows[metric + Metrics.DATA_SUFFIX_START] + shift);
        }
    }

    private void writeComposed(int metric) {
        copy(rows[metric + Metrics.START], rows[metric + Metrics.DATA]);
        field(in[rows[metric + Metrics.DATA]], dataSize(metric));
        for (int point = rows[metric + Metrics.FIRST_POINT]; point >= 0; point = points.next[point]) {
            switch (points.kind[point]) {
                case PushOutline.Points.UNCHANGED:
                    copy(points.start[point], points.end[point]);
                    break;
                case PushOutline.Points.DELTA:
                    if (points.zeroTime[point] != 0) {
                        writeZero(point);
                    }
                    writeConverted(point);
                    break;
                default:
                // Left out.
            }
        }
        int dataSuffixAt = at;
        copy(rows[metric + Metrics.DATA_SUFFIX_START], rows[metric + Metrics.DATA_END]);
        if (rows[metric + Metrics.CONVERTED] != 0) {
            patchTemporality(dataSuffixAt);
        }
        copy(rows[metric + Metrics.DATA_END], rows[metric + Metrics.END]);
    }

    private void writeConverted(int point) {
        int start = points.start[point];
        int end = points.end[point];
        if (points.startTimeAt[point] < 0) {
            field(Tag.DATA_POINTS, end - start + FIXED64_FIELD);
            fixed64(Tag.START_TIME, points.startTime[point]);
        } else {
            field(Tag.DATA_POINTS, end - start);
        }
        int shift = at - start;
        copy(start, end);
        patch(point, shift);
    }

    private void writeZero(int point) {
        field(Tag.DATA_POINTS, zeroPointSize(point));
        fixed64(Tag.START_TIME, points.startTime[point]);
        fixed64(Tag.TIME, points.zeroTime[point]);
        // Zero is the same eight bytes as an int and as a double.
        fixed64(points.isDouble[point] ? Tag.DOUBLE_VALUE : Tag.INT_VALUE, 0);
        copy(points.attributesStart[point], points.attributesEnd[point]);
    }

    private void patch(int point, int shift) {
        if (points.startTimeAt[point] >= 0) {
            Wire.putFixed64(out, points.startTimeAt[point] + shift + 1, points.startTime[point]);
        }
        int valueAt = points.valueAt[point] + shift;
        out[valueAt] = points.isDouble[point] ? Tag.DOUBLE_VALUE : Tag.INT_VALUE;
        Wire.putFixed64(out, valueAt + 1, points.value[point]);
    }

    /** In canonical form the temporality is the first field after the points, and delta is one byte, as cumulative is. */
    private void patchTemporality(int dataSuffixAt) {
        out[dataSuffixAt + 1] = TEMPORALITY_CUMULATIVE;
    }

    private void fixed64(byte tag, long value) {
        out[at] = tag;
        Wire.putFixed64(out, at + 1, value);
        at += FIXED64_FIELD;
    }

    private void field(byte tag, int size) {
        out[at++] = tag;
        at = Wire.putVarint(out, at, size);
    }

    private void copy(byte[] whole) {
        System.arraycopy(whole, 0, out, at, whole.length);
        at += whole.length;
    }

    private void copy(int start, int end) {
        if (start != end) {
            System.arraycopy(in, start, out, at, end - start);
            at += end - start;
        }
    }
}
