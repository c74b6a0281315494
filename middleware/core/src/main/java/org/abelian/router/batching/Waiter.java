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

    /** Takes a waiter back; false when a batch has it already. */
    boolean withdraw(Waiter<L> waiter);
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

  /** Stops the batch that it is part of; null before it is. */
  private volatile Runnable batchCanceller;

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

  /** The answer is there; for the thread that leads its batch. */
  void answer(Result answer) {
    result = answer;
    state = State.ANSWERED;
    LockSupport.unpark(thread);
  }

  void wake() {
    LockSupport.unpark(thread);
  }

  /** It is part of a batch, which that stops. A cancellation that came first is passed on. */
  void joins(Runnable canceller) {
    batchCanceller = canceller;
    if (cancelled) {
      canceller.run();
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
   * WITHDRAWN}. It leads after that time, or ten times as much while another session is about to
   * lead. Whoever takes it will answer; a batch that takes too long is stopped.
   */
  public State await(BatchLimits limits) {
    long waitNanos = limits.waitNanos();
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
    long patience = limits.takenNanos() == 0 ? GLANCE_NANOS : limits.takenNanos();
    long taken = System.nanoTime();
    while (state == State.TAKEN) {
      LockSupport.parkNanos(this, patience);
      interrupted |= Thread.interrupted();
      if (limits.takenNanos() > 0 && System.nanoTime() - taken > patience) {
        stopBatch();
        taken = System.nanoTime();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return state;
  }

  /** The session does not want it any more. From any thread. */
  public void cancel() {
    if (queue.withdraw(this)) {
      wake();
      return;
    }
    cancelled = true;
    stopBatch();
  }

  private void stopBatch() {
    Runnable canceller = batchCanceller;
    if (canceller != null) {
      canceller.run();
    }
  }

  /** Answers those that share the leader's fate. */
  static void answerAll(List<? extends Waiter<?>> waiters, Result answer) {
    waiters.forEach(waiter -> waiter.answer(answer));
  }
}
