/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import dev.clienttelemetry.instance.ClientInstance;
import dev.clienttelemetry.message.Quoted;
import dev.clienttelemetry.metrics.Instrument;
import dev.clienttelemetry.metrics.PushDropReason;
import dev.clienttelemetry.metrics.TelemetryMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers what is in the {@link ExportBuffer}: makes batches, sends them, several at a time and each client instance's
 * pushes in order, and tries again as long as a batch may live. Thread-safe.
 *
 * <p>One thread decides everything; the request threads only bring it the answers.
 */
public final class PushExporter {
    private static final Logger LOG = LoggerFactory.getLogger(PushExporter.class);

    /** Six pushes at the default push interval: enough to see that a client's pushes are taken again. */
    static final long ALONE_NANOS = TimeUnit.MINUTES.toNanos(30);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What {@link #close} keeps of its time for giving up what is under way. */
    private static final long CANCEL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final ExportSettings settings;
    private final ExportBuffer<?> buffer;
    private final RequestSender sender;
    private final Reachability reachability;
    private final TelemetryMetrics metrics;
    private final LongSupplier nanoClock;
    private final BackOff backOff;
    private final Logger log;
    private final Notices notices;
    private final BufferDrops bufferFull;
    private final BufferDrops conversionBacklog;
    private final Thread thread;
    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Never more than its capacity, so that adding to it needs no memory. */
    private final List<Attempt> inFlight;
    /** The same, for others to read. */
    private volatile UnderWay underWay = UnderWay.NOTHING;
    /** Failed, waiting for their next attempt. */
    private final ArrayList<Batch> kept = new ArrayList<>();
    /**
     * The batch that is in none of these and not in the buffer, or null: between two steps only where something threw that
     * had no business to. It is then dropped: held by nobody, it would take up its room for ever.
     */
    private Batch inHand;

    private long accepted;
    /** The endpoint asked for silence until then. */
    private long silentUntilNanos;

    private volatile boolean closing;
    private volatile long deadlineNanos;
    private boolean hurried;

    /**
     * One request with a batch. The first answer counts: another would end the batch, or a later attempt, a second time. Noting
     * it needs no memory.
     */
    private static final class Attempt implements Consumer<Answer> {
        private final Batch batch;
        private final ExportBuffer<?> buffer;
        private final AtomicReference<Answer> answer = new AtomicReference<>();

        Attempt(Batch batch, ExportBuffer<?> buffer) {
            this.batch = batch;
            this.buffer = buffer;
        }

        @Override
        public void accept(Answer given) {
            if (answer.compareAndSet(null, given)) {
                buffer.wake();
            }
        }
    }

    private record UnderWay(int requests, long oldestReceivedNanos) {
        static final UnderWay NOTHING = new UnderWay(0, 0);

        static UnderWay of(List<Attempt> attempts) {
            Batch oldest = null;
            for (Attempt attempt : attempts) {
                Batch batch = attempt.batch;
                if (oldest == null || batch.oldestReceivedNanos() - oldest.oldestReceivedNanos() < 0) {
                    oldest = batch;
                }
            }
            return oldest == null ? NOTHING : new UnderWay(attempts.size(), oldest.oldestReceivedNanos());
        }
    }

    /**
     * Creates an exporter that does nothing until {@link #start}.
     *
     * @param settings batching and delivery
     * @param buffer where the pushes come from
     * @param connection where they go to; stays the caller's to close, after this exporter
     * @param metrics filled with what is sent and what is dropped
     * @param nanoClock the monotonic clock behind {@link Chunk#receivedNanos}, such as {@code System::nanoTime}
     */
    public PushExporter(
            ExportSettings settings,
            ExportBuffer<?> buffer,
            OtlpConnection connection,
            TelemetryMetrics metrics,
            LongSupplier nanoClock) {
        this(
                settings,
                buffer,
                connection.transport(),
                connection.reachability(),
                metrics,
                nanoClock,
                new BackOff(connection.transport().settings().retryPolicy(), () -> ThreadLocalRandom.current()
                        .nextDouble()));
    }

    PushExporter(
            ExportSettings settings,
            ExportBuffer<?> buffer,
            RequestSender sender,
            Reachability reachability,
            TelemetryMetrics metrics,
            LongSupplier nanoClock,
            BackOff backOff) {
        this(settings, buffer, sender, reachability, metrics, nanoClock, backOff, LOG);
    }

    PushExporter(
            ExportSettings settings,
            ExportBuffer<?> buffer,
            RequestSender sender,
            Reachability reachability,
            TelemetryMetrics metrics,
            LongSupplier nanoClock,
            BackOff backOff,
            Logger log) {
        this.log = log;
        this.settings = settings;
        this.buffer = buffer;
        this.sender = sender;
        this.reachability = reachability;
        this.metrics = metrics;
        this.nanoClock = nanoClock;
        this.backOff = backOff;
        this.notices = new Notices(log, nanoClock);
        this.bufferFull = new BufferDrops(
                PushDropReason.BUFFER_FULL,
                "more arrive than the endpoint takes, and the " + buffer.maxBytes()
                        + " bytes of client.telemetry.buffer.max.bytes are full; the oldest go first",
                metrics,
                log);
        this.conversionBacklog = new BufferDrops(
                PushDropReason.CONVERSION_BACKLOG,
                "they arrive faster than they are converted, and no room is left in the " + buffer.maxBytes()
                        + " bytes of client.telemetry.buffer.max.bytes; their increments are lost",
                metrics,
                log);
        this.inFlight = new ArrayList<>(settings.requestsInFlightMax());
        this.silentUntilNanos = nanoClock.getAsLong();
        this.thread = new Thread(this::run, "client-telemetry-sender");
        this.thread.setDaemon(true);
    }

    /** Starts the sender's thread. To be called once. */
    public void start() {
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("started already");
        }
        thread.start();
    }

    /** Returns how many requests wait for their answer now. */
    int requestsInFlight() {
        return underWay.requests();
    }

    /**
     * Returns how many data points were in a request and are neither delivered nor given up, whether they are under way or
     * wait for their next attempt.
     */
    public long pointsInFlight() {
        return buffer.pointsInFlight();
    }

    /** Returns the age of the oldest push that is not yet delivered, in nanoseconds; 0 where there is none. */
    public long oldestPushAgeNanos() {
        UnderWay current = underWay;
        long now = nanoClock.getAsLong();
        long age = current.requests() == 0 ? 0 : now - current.oldestReceivedNanos();
        return Math.max(0, Math.max(age, buffer.oldestAgeNanos(now)));
    }

    /**
     * Sends what waits in the buffer at once, waits for the answers, then stops, whatever happens, when the time is up.
     * To be called after the last {@link ExportBuffer#converted}. Closes the buffer: what is still in it is counted as
     * {@link PushDropReason#SHUTDOWN}. Works, without waiting, where {@link #start} was never called; a second call does
     * nothing.
     *
     * @param timeout how long this may take
     */
    public void close(Duration timeout) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long nanos = timeout.toNanos();
        deadlineNanos = nanoClock.getAsLong() + nanos - Math.min(CANCEL_NANOS, nanos / 4);
        closing = true;
        if (started.get()) {
            buffer.wake();
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            thread.interrupt();
        } else {
            buffer.close();
            sender.close();
        }
    }

    private void run() {
        Throwable failure = null;
        try {
            while (true) {
                try {
                    if (failure != null) {
                        Throwable unexpected = failure;
                        failure = null;
                        buffer.await(Long.MAX_VALUE, BUSY_NANOS);
                        tell(unexpected);
                    }
                    if (closing && finished()) {
                        break;
                    }
                    step();
                    // The step may have taken the last answer, after which nothing would wake this thread.
                    if (closing && finished()) {
                        break;
                    }
                    await();
                } catch (RuntimeException | Error e) {
                    // Not to be expected; without the thread nothing would be sent any more.
                    failure = e;
                }
            }
        } catch (InterruptedException e) {
            // The end, as asked for.
        } finally {
            giveUp();
        }
    }

    private void tell(Throwable unexpected) {
        try {
            notices.warn("step", "Sending failed unexpectedly, and goes on: " + unexpected);
            notices.debug("Sending failed unexpectedly", unexpected);
        } catch (RuntimeException | Error e) {
            // Then nobody hears of it, but sending goes on.
            return;
        }
    }

    private boolean finished() {
        long now = nanoClock.getAsLong();
        if (now - deadlineNanos >= 0) {
            return true;
        }
        if (!inFlight.isEmpty()) {
            return false;
        }
        return buffer.waiting() == 0 || silentUntilNanos - deadlineNanos >= 0;
    }

    private void giveUp() {
        buffer.close();
        try {
            sender.close();
            takeAnswers();
        } finally {
            dropInHand(PushDropReason.SHUTDOWN);
            while (!inFlight.isEmpty()) {
                inHand = inFlight.remove(inFlight.size() - 1).batch;
                dropInHand(PushDropReason.SHUTDOWN);
            }
            underWay = UnderWay.NOTHING;
            buffer.close();
        }
    }

    private void dropInHand(PushDropReason reason) {
        if (inHand != null) {
            done(inHand, reason, nanoClock.getAsLong());
        }
    }

    /** Does all that can be done now. */
    void step() {
        dropInHand(PushDropReason.INTERNAL_ERROR);
        takeAnswers();
        long now = nanoClock.getAsLong();
        buffer.dropOlderThan(TimeUnit.MILLISECONDS.toNanos(settings.batchMaxAgeMs()), now);
        if (closing && !hurried) {
            hurried = true;
            kept.forEach(batch -> batch.dueNanos = now);
        }
        while (inFlight.size() < settings.requestsInFlightMax() && silentUntilNanos - now <= 0) {
            if (!takeKept(now) && !takeNew(now)) {
                break;
            }
            sendInHand();
        }
        // Behind everything that must not depend on whether a line can be logged.
        reachability.tick();
        bufferFull.tick(now);
        conversionBacklog.tick(now);
    }

    /** Bounds the batches that are tried while the endpoint takes none; one more than may be in flight keeps a way open. */
    private boolean takesNew() {
        return kept.size() <= settings.requestsInFlightMax();
    }

    private boolean takeNew(long now) {
        if (!takesNew()) {
            return false;
        }
        inHand = new Batch();
        boolean taken = buffer.takeBatch(inHand, settings, closing, now);
        if (!taken) {
            inHand = null;
        }
        return taken;
    }

    private boolean takeKept(long now) {
        while (true) {
            int next = -1;
            for (int i = 0; i < kept.size(); i++) {
                long due = kept.get(i).dueNanos;
                if (due - now <= 0 && (next < 0 || due - kept.get(next).dueNanos < 0)) {
                    next = i;
                }
            }
            if (next < 0) {
                return false;
            }
            inHand = kept.remove(next);
            if (buffer.takeKept(inHand, now)) {
                return true;
            }
            inHand = null;
        }
    }

    private void sendInHand() {
        Batch batch = inHand;
        Attempt attempt = new Attempt(batch, buffer);
        batch.acceptedAtStart = accepted;
        buffer.begin(batch, nanoClock.getAsLong());
        inFlight.add(attempt);
        inHand = null;
        try {
            underWay = UnderWay.of(inFlight);
            metrics.requests().increment();
            metrics.requestBytes().add(batch.size());
            sender.send(batch, attempt);
        } catch (RuntimeException | Error e) {
            // Not to be expected; without an answer the batch would stay under way for ever.
            attempt.accept(Answer.unexpected(e));
            notices.warn("send", "A request could not be made, and is tried again: " + ErrorTypes.of(e));
            notices.debug("A request could not be made", e);
        }
    }

    private void await() throws InterruptedException {
        Pause pause = pause();
        buffer.await(pause.readyBytes(), pause.nanos());
    }

    /**
     * How long there is nothing to do for the sender unless somebody wakes it.
     *
     * @param readyBytes how much that is ready to be sent ends it; {@code Long.MAX_VALUE} where nothing could be sent
     * @param nanos how long it is at most
     */
    record Pause(long readyBytes, long nanos) {}

    /** Returns the pause after a step that has done all that could be done. */
    Pause pause() {
        long now = nanoClock.getAsLong();
        long wait = buffer.pushes() == 0 ? IDLE_NANOS : BUSY_NANOS;
        long readyBytes = Long.MAX_VALUE;
        if (inFlight.size() < settings.requestsInFlightMax()) {
            if (silentUntilNanos - now > 0) {
                wait = Math.min(wait, silentUntilNanos - now);
            } else {
                for (Batch batch : kept) {
                    wait = Math.min(wait, Math.max(0, batch.dueNanos - now));
                }
                if (takesNew()) {
                    long due = buffer.untilDue(TimeUnit.MILLISECONDS.toNanos(settings.batchLingerMs()), now);
                    readyBytes = due == Long.MAX_VALUE ? 1 : settings.batchMaxBytes();
                    wait = Math.min(wait, due);
                }
            }
        }
        if (closing) {
            wait = Math.min(wait, Math.max(0, deadlineNanos - now));
        }
        return new Pause(readyBytes, wait);
    }

    private void takeAnswers() {
        // Whether others got through matters for what did not.
        takeAnswers(true);
        takeAnswers(false);
    }

    private void takeAnswers(boolean onlyAccepted) {
        for (int i = 0; i < inFlight.size(); ) {
            Attempt attempt = inFlight.get(i);
            Answer answer = attempt.answer.get();
            if (answer == null || onlyAccepted && answer.outcome() != Answer.Outcome.ACCEPTED) {
                i++;
                continue;
            }
            inHand = attempt.batch;
            inFlight.remove(i);
            underWay = UnderWay.of(inFlight);
            answered(inHand, answer, nanoClock.getAsLong());
        }
    }

    private void answered(Batch batch, Answer answer, long now) {
        long took = now - batch.startNanos;
        if (answer.outcome() == Answer.Outcome.ACCEPTED) {
            metrics.requestTimes().succeeded(took);
        } else if (answer.outcome() != Answer.Outcome.CANCELLED) {
            metrics.requestTimes().failed(answer.errorType(), took);
            metrics.attemptFailed(answer.errorType());
            batch.failed(answer.errorType());
        }
        boolean fresh = batch.freshConnection;
        batch.freshConnection = false;
        switch (answer.outcome()) {
            case ACCEPTED -> accepted(batch, answer, now);
            case STALE_CONNECTION -> {
                if (fresh) {
                    later(batch, answer, now);
                } else {
                    batch.freshConnection = true;
                    keep(batch, now);
                }
            }
            case RETRY -> later(batch, answer, now);
            case TIMEOUT -> timedOut(batch, answer, now);
            case CONTENT_REFUSED -> blame(batch, answer, now);
            case ENDPOINT_REFUSES -> {
                done(batch, PushDropReason.REFUSED_BY_BACKEND, now);
                notices.warn(
                        "endpoint",
                        "Dropped a batch of " + batch.entries.size() + " pushes, which the backend will never take: "
                                + answer.detail());
            }
            case CANCELLED -> done(batch, PushDropReason.SHUTDOWN, now);
            default -> throw new IllegalStateException(answer.outcome().name());
        }
    }

    private void accepted(Batch batch, Answer answer, long now) {
        accepted++;
        long rejected = Math.min(answer.rejectedPoints(), batch.points());
        metrics.pointsSent().add(batch.points() - rejected);
        metrics.pointsRejected().add(rejected);
        long took = now - batch.firstAttemptNanos();
        if (rejected > 0) {
            metrics.deliveryTimes().failed(Instrument.REJECTED, took);
        } else {
            metrics.deliveryTimes().succeeded(took);
        }
        done(batch, null, now);
        if (rejected > 0) {
            notices.warn(
                    "partial",
                    "The backend rejected " + rejected + " of " + batch.points() + " data points of a request: "
                            + (answer.detail().isEmpty() ? "it did not say why" : answer.detail()));
        } else if (!answer.detail().isEmpty()) {
            notices.warn("warning", "The backend took a request and warns: " + answer.detail());
        }
    }

    private void later(Batch batch, Answer answer, long now) {
        batch.attempts++;
        long wait = backOff.nanos(batch.attempts);
        if (answer.retryAfterNanos() > 0) {
            wait = Math.min(
                    Math.min(answer.retryAfterNanos(), Answer.MAX_SILENCE_NANOS),
                    TimeUnit.MILLISECONDS.toNanos(settings.batchMaxAgeMs()));
        }
        keep(batch, now + wait);
        if (answer.retryAfterNanos() > 0 && now + wait - silentUntilNanos > 0) {
            silentUntilNanos = now + wait;
            if (reachability.state() == Reachability.State.REACHABLE) {
                // Others got through, so the endpoint's state does not tell of it.
                notices.warn(
                        "silence",
                        "Nothing is sent for " + TimeUnit.NANOSECONDS.toMillis(wait) + " ms, as the endpoint wants it: "
                                + answer.detail());
            }
        }
        log.debug("Sending {} pushes again in {} ms: {}", batch.entries.size(), wait / 1_000_000, answer.detail());
    }

    private void done(Batch batch, PushDropReason reason, long now) {
        buffer.done(batch, reason, now);
        inHand = null;
    }

    private void keep(Batch batch, long dueNanos) {
        batch.dueNanos = dueNanos;
        kept.ensureCapacity(kept.size() + 1);
        buffer.keep(batch);
        kept.add(batch);
        inHand = null;
    }

    /**
     * Blames a batch that got no answer in time twice while others were accepted. Where none was, this may be since all
     * clients are in it, or since it is more than the endpoint can do in the time: it is divided, so that its parts show,
     * but into no more parts than there may be requests, since it may as well be the endpoint that is gone.
     */
    private void timedOut(Batch batch, Answer answer, long now) {
        boolean again = batch.timedOut;
        if (again && accepted > batch.acceptedAtTimeout) {
            blame(batch, answer, now);
            return;
        }
        batch.timedOut = true;
        batch.acceptedAtTimeout = batch.acceptedAtStart;
        int others = kept.size() + inFlight.size();
        boolean mayBeTwo = others == 0 || others + 2 <= settings.requestsInFlightMax();
        if (again && mayBeTwo && batch.instances() > 1) {
            int attempts = batch.attempts + 1;
            keepHalves(batch, true, attempts, now + backOff.nanos(attempts));
        } else {
            later(batch, answer, now);
        }
    }

    /** Narrows down which push a refused batch is refused for. */
    private void blame(Batch batch, Answer answer, long now) {
        if (batch.instances() > 1) {
            keepHalves(batch, answer.outcome() == Answer.Outcome.TIMEOUT, 0, now);
            return;
        }
        ClientInstance instance = batch.entries.get(0).chunk().instance();
        if (batch.entries.size() > 1) {
            buffer.giveBackAlone(batch, ALONE_NANOS, now);
            inHand = null;
            return;
        }
        buffer.goAlone(instance, ALONE_NANOS, now);
        done(batch, PushDropReason.REFUSED_BY_BACKEND, now);
        notices.warn(
                "refused",
                "Dropped a push of " + batch.size() + " bytes of client instance " + name(instance)
                        + ", which the backend will not take: " + answer.detail()
                        + ". The instance's pushes are sent alone for 30 minutes");
    }

    private void keepHalves(Batch batch, boolean timedOut, int attempts, long dueNanos) {
        List<Batch> halves = batch.halves();
        keepHalf(halves.get(0), timedOut, attempts, dueNanos);
        inHand = halves.get(1);
        keepHalf(inHand, timedOut, attempts, dueNanos);
    }

    private void keepHalf(Batch half, boolean timedOut, int attempts, long dueNanos) {
        half.attempts = attempts;
        if (timedOut && half.instances() > 1) {
            // The batch has timed out already; a client instance alone gets two tries.
            half.timedOut = true;
            half.acceptedAtTimeout = accepted;
        }
        keep(half, dueNanos);
    }

    private static String name(ClientInstance instance) {
        String clientId = instance.client().clientId();
        String id = new Uuid(instance.idMostSignificantBits(), instance.idLeastSignificantBits()).toString();
        return clientId == null ? id : id + " (client id " + Quoted.line(clientId) + ")";
    }
}
