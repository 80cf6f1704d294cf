/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.io.PrintStream;
import java.util.List;

/** Where the quickstart writes: on a terminal the last lines are refreshed in place, elsewhere all is appended. */
final class Screen {
    private static final String UP_AND_CLEAR = "\u001b[%dA\u001b[J";
    private static final String CLEAR_LINE = "\r\u001b[K";

    private static final int DEFAULT_COLUMNS = 120;

    private final PrintStream out;
    private final boolean terminal;
    private final int width;
    private int refreshable;
    private boolean progressShown;

    /** Creates that of this process: the script behind which it runs tells whether it is a terminal, and how wide. */
    static Screen ofProcess() {
        return new Screen(
                System.out,
                Boolean.getBoolean("quickstart.terminal"),
                Integer.getInteger("quickstart.columns", DEFAULT_COLUMNS));
    }

    /**
     * Creates a screen.
     *
     * @param out where to write
     * @param terminal whether it is a terminal
     * @param width columns of the terminal
     */
    Screen(PrintStream out, boolean terminal, int width) {
        this.out = out;
        this.terminal = terminal;
        this.width = width;
    }

    boolean isTerminal() {
        return terminal;
    }

    /** Returns how long a line may be. */
    int width() {
        return terminal ? width : Integer.MAX_VALUE;
    }

    /** Writes a line that stays. */
    void say(String line) {
        endProgress();
        refreshable = 0;
        out.println(line);
        out.flush();
    }

    /** Shows how far something is; on a terminal only, in one line. */
    void progress(String line) {
        if (terminal) {
            out.print(CLEAR_LINE + (line.length() > width ? line.substring(0, width) : line));
            out.flush();
            progressShown = true;
        }
    }

    /** Writes lines that, on a terminal, take the place of those written by the last call. */
    void refresh(List<String> lines) {
        endProgress();
        if (terminal && refreshable > 0) {
            out.printf(UP_AND_CLEAR, refreshable);
        }
        lines.forEach(out::println);
        out.flush();
        refreshable = lines.size();
    }

    private void endProgress() {
        if (progressShown) {
            out.print(CLEAR_LINE);
            progressShown = false;
        }
    }
}
