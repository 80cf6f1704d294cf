/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs something that Ctrl-C ends in good order: what it started is stopped and removed before the JVM ends. */
final class Interruptible {
    private static final int CLEANUP_SECONDS = 30;

    private final Screen screen;
    private final String what;
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch cleanedUp = new CountDownLatch(1);

    /**
     * Makes one.
     *
     * @param screen told when it was stopped
     * @param what is run, to name it where it fails
     */
    Interruptible(Screen screen, String what) {
        this.screen = screen;
        this.what = what;
    }

    /** What is run, on the caller's thread; Ctrl-C interrupts it. */
    interface Body {
        int run() throws IOException, InterruptedException, ExecutionException, TimeoutException;
    }

    /** Runs it, once, and returns the exit code: its own, or 1 where it failed or was stopped. */
    int run(Body body) {
        Thread running = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> interrupt(running), "quickstart-interrupt"));
        try {
            return body.run();
        } catch (InterruptedException e) {
            screen.say("Stopped.");
            return 1;
        } catch (IOException | ExecutionException | TimeoutException e) {
            if (interrupted.getCount() > 0) {
                System.err.println(what + " failed: " + e.getMessage());
            }
            return 1;
        } finally {
            cleanedUp.countDown();
        }
    }

    /**
     * Waits.
     *
     * @throws InterruptedException at once, when Ctrl-C was typed: the JVM ends then, and all processes with it
     */
    void pause(long nanos) throws InterruptedException {
        if (interrupted.await(nanos, TimeUnit.NANOSECONDS)) {
            throw new InterruptedException();
        }
    }

    /** Ctrl-C: lets the run end by itself, and waits for that, since the JVM ends when this does. */
    private void interrupt(Thread running) {
        if (cleanedUp.getCount() == 0) {
            return;
        }
        interrupted.countDown();
        running.interrupt();
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
        try {
            cleanedUp.await(CLEANUP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
