package org.abelian.router.batching;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One session's operation in a queue. The session's thread makes it and waits for it.
 *
 * @param <L> the type of operation
 */
public final class Waiter<L extends Batchable<L>> {
  /** What a waiter is to do, or waits for. */
  public enum State {
    /** It is in the queue. */
    QUEUED,
    /** Its session runs the batch. */
    LEADS,
    /** Another session has it in its batch. */
    TAKEN,
    /** There is a {@link #result}. */
    ANSWERED,
    /** It was taken back before anybody had taken it. */
    WITHDRAWN
  }

  /** The queue, as its waiters see it. */
  interface Queue<L extends Batchable<L>> {
    /**
     * It has waited long enough: it leads.
     *
     * @param patient true when it would rather go with a session that is about to lead
     */
    void expire(Waiter<L> waiter, boolean patient);

    /** Whether members may leave a batch that is under way: it has no effect. */
    boolean mayLeave();

    /** Takes a waiter back; false when a batch has it already. */
    boolean withdraw(Waiter<L> waiter);
  }

  /** A batch, as its members see it. */
  interface Part {
    /** The session wants to stop: all are run alone, or end as they must. */
    void cancel();

    /** It takes too long. */
    void stop();
  }

  /** While another session is about to lead, which may open connections, it waits longer. */
  private static final int PATIENCE = 9;

  private static final long GLANCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Queue<L> queue;
  private final L operation;
  private final InFlight inFlight;
  private final Thread thread = Thread.currentThread();
  private volatile State state = State.QUEUED;
  private volatile Result result;
  private volatile boolean cancelled;

  /** Of which it is part; null before it is. */
  private volatile Part batch;

  Waiter(Queue<L> queue, L operation, InFlight inFlight) {
    this.queue = queue;
    this.operation = operation;
    this.inFlight = inFlight;
  }

  L operation() {
    return operation;
  }

  /** Of the batch that it leads; before, it tells when the waiter came. */
  InFlight inFlight() {
    return inFlight;
  }

  State state() {
    return state;
  }

  void state(State next) {
    state = next;
  }

  /** The answer is there; for the thread that leads its batch. Nobody may wait for it any more. */
  void answer(Result answer) {
    if (leaves(State.ANSWERED, answer)) {
      LockSupport.unpark(thread);
    }
  }

  /** It is not part of the batch any more; false when it was not. */
  private synchronized boolean leaves(State next, Result outcome) {
    if (state != State.TAKEN) {
      return false;
    }
    result = outcome;
    state = next;
    return true;
  }

  void wake() {
    LockSupport.unpark(thread);
  }

  /** It is part of a batch. A cancellation that came first is passed on. */
  void joins(Part with) {
    batch = with;
    if (cancelled) {
      with.cancel();
    }
  }

  /** What became of it, once it is answered. */
  public Result result() {
    return result;
  }

  /** True when its session wanted to withdraw it after it was taken. */
  public boolean isCancelled() {
    return cancelled;
  }

  /**
   * Waits until there is something to do for the session: {@code LEADS}, {@code ANSWERED} or {@code
   * WITHDRAWN}. It leads after the time in the limits, or ten times as much while another session
   * is about to lead. Whoever takes it will answer; if that may take only so long, it has the batch
   * stopped then, and leaves it when that does not help.
   */
  public State await(BatchLimits limits) {
    boolean interrupted = awaitQueued(limits.waitNanos());
    interrupted |= awaitTaken(limits.takenNanos());
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return state;
  }

  private boolean awaitQueued(long waitNanos) {
    long deadline = System.nanoTime() + waitNanos;
    boolean patient = true;
    boolean interrupted = false;
    while (state == State.QUEUED) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        queue.expire(this, patient);
        patient = false;
        deadline += PATIENCE * waitNanos;
      } else {
        LockSupport.parkNanos(this, left);
        interrupted |= Thread.interrupted();
      }
    }
    return interrupted;
  }

  private boolean awaitTaken(long takenNanos) {
    boolean limited = takenNanos > 0;
    long deadline = limited ? System.nanoTime() + takenNanos : 0;
    boolean stopped = false;
    boolean interrupted = false;
    while (state == State.TAKEN) {
      long left = limited ? deadline - System.nanoTime() : GLANCE_NANOS;
      if (left > 0) {
        LockSupport.parkNanos(this, left);
        interrupted |= Thread.interrupted();
      } else if (stopped) {
        leaves(State.ANSWERED, new Result.Undone());
      } else {
        stopBatch();
        stopped = true;
        deadline = System.nanoTime() + takenNanos;
      }
    }
    return interrupted;
  }

  private void stopBatch() {
    Part part = batch;
    if (part != null) {
      part.stop();
    }
  }

  /** The session does not want it any more. From any thread. */
  public void cancel() {
    if (queue.withdraw(this)) {
      wake();
      return;
    }
    cancelled = true;
    Part part = batch;
    if (part == null) {
      return;
    }
    if (queue.mayLeave() && leaves(State.WITHDRAWN, null)) {
      wake();
    } else {
      part.cancel();
    }
  }

  /** Answers those that share the leader's fate. */
  static void answerAll(List<? extends Waiter<?>> waiters, Result answer) {
    waiters.forEach(waiter -> waiter.answer(answer));
  }
}
