package org.abelian.router.combining;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What one session brings to those who gather. Made and awaited by the session's thread.
 *
 * @param <L> the type of that
 */
public final class Member<L extends Load<L>> {
  /** What a member is to do, or waits for. */
  public enum State {
    /** Nobody has begun with it. */
    GATHERING,
    /** Its session runs the statement, for all that {@link #lead} gives. */
    LEADS,
    /** Another member's session has it in hand. */
    TAKEN,
    /** There is a {@link #result}. */
    ANSWERED,
    /** It was taken back before anybody had begun. */
    WITHDRAWN
  }

  /** So many times as long it waits for one who is about to lead: connections may be opened. */
  private static final int PATIENCE = 9;

  private static final long GLANCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Hotspot<L> hotspot;
  private final L load;
  private final Flight flight;
  private final Thread thread = Thread.currentThread();
  private volatile State state;
  private volatile Result result;
  private volatile boolean cancelled;

  /** The statement that it is part of; guarded by the hotspot's lock. */
  private Batch<L> batch;

  Member(Hotspot<L> hotspot, L load, State state) {
    this.hotspot = hotspot;
    this.load = load;
    this.state = state;
    flight = new Flight(hotspot);
  }

  L load() {
    return load;
  }

  /** Of the statement that it leads; before, it tells when the member came. */
  Flight flight() {
    return flight;
  }

  State state() {
    return state;
  }

  void state(State next) {
    state = next;
  }

  /** The answer is there; for the thread that has it in hand. */
  void answer(Result answer) {
    result = answer;
    state = State.ANSWERED;
    LockSupport.unpark(thread);
  }

  void wake() {
    LockSupport.unpark(thread);
  }

  Batch<L> batch() {
    return batch;
  }

  void batch(Batch<L> mine) {
    batch = mine;
  }

  /** What became of it; once it is answered. */
  public Result result() {
    return result;
  }

  /** True when somebody wanted to withdraw it after it was taken. */
  public boolean isCancelled() {
    return cancelled;
  }

  /**
   * Waits until there is something to do for the session: {@code LEADS}, {@code ANSWERED} or {@code
   * WITHDRAWN}. Gathers no longer than that, or ten times as long while another is about to lead,
   * and then leads whoever is there. Whoever has taken it will answer.
   */
  public State await(long waitNanos) {
    long deadline = System.nanoTime() + waitNanos;
    boolean patient = true;
    boolean interrupted = false;
    while (state == State.GATHERING) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        hotspot.expire(this, patient);
        patient = false;
        deadline += PATIENCE * waitNanos;
      } else {
        LockSupport.parkNanos(this, left);
        interrupted |= Thread.interrupted();
      }
    }
    while (state == State.TAKEN) {
      LockSupport.parkNanos(this, GLANCE_NANOS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return state;
  }

  /** Takes with it who has gathered; for a member that leads. */
  public Batch<L> lead() {
    return hotspot.lead(this);
  }

  /** Takes nobody with it; for a member that leads. */
  public Batch<L> leadAlone() {
    return hotspot.leadAlone(this);
  }

  /** Does not want to be run any more. From any thread. */
  public void cancel() {
    if (hotspot.withdraw(this)) {
      wake();
      return;
    }
    cancelled = true;
    Batch<L> sent = hotspot.batchOf(this);
    if (sent != null) {
      sent.cancel();
    }
  }

  /** Members that share its fate and are not it. */
  static void answerAll(List<? extends Member<?>> members, Result answer) {
    members.forEach(member -> member.answer(answer));
  }
}
