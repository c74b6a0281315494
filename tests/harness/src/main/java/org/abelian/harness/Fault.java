package org.abelian.harness;

import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** What a {@link FaultProxy} does once, and at which statement. */
public final class Fault {
  /** When the fault strikes. */
  public enum Moment {
    /** Before the node receives the statement. */
    BEFORE,
    /** After the node has answered, before the client receives the answer. */
    ANSWERED
  }

  private static final long POLL_MILLIS = 20;

  /** The client may have its answer while the action still waits for the end of what it kills. */
  private static final long MOMENT_SECONDS = 5;

  private static final long ACTION_SECONDS_MAX = 60;

  private final String fragment;
  private final Moment moment;
  private final boolean cuts;
  private final Runnable action;
  private final CountDownLatch struck = new CountDownLatch(1);
  private final AtomicBoolean triggered = new AtomicBoolean();
  private final AtomicBoolean used = new AtomicBoolean();

  private Fault(String fragment, Moment moment, boolean cuts, Runnable action) {
    this.fragment = fragment.toLowerCase(Locale.ROOT);
    this.moment = moment;
    this.cuts = cuts;
    this.action = action;
  }

  /** Cuts the connection at a statement whose text contains the fragment in any case. */
  public static Fault cut(Moment moment, String fragment) {
    return new Fault(fragment, moment, true, () -> {});
  }

  /** Runs an action, such as killing a process, and then cuts the connection. */
  public static Fault cut(Moment moment, String fragment, Runnable action) {
    return new Fault(fragment, moment, true, action);
  }

  /** Runs an action while the statement or its answer waits; then lets it pass. */
  public static Fault hold(Moment moment, String fragment, Runnable action) {
    return new Fault(fragment, moment, false, action);
  }

  /** Whether this text is the first that triggers it. */
  boolean isTriggered(String text) {
    return !triggered.get()
        && text.toLowerCase(Locale.ROOT).contains(fragment)
        && triggered.compareAndSet(false, true);
  }

  Moment moment() {
    return moment;
  }

  /** Acts, unless it is called off; returns whether the connection is to be cut. */
  boolean strike() {
    if (!used.compareAndSet(false, true)) {
      return false;
    }
    try {
      action.run();
      return cuts;
    } finally {
      struck.countDown();
    }
  }

  /**
   * Strikes no more, also where its statement has been seen and only the answer is awaited. When
   * this returns, an action that was under way is over.
   *
   * @throws HarnessException when the action does not end
   */
  void callOff() {
    if (used.compareAndSet(false, true)) {
      return;
    }
    try {
      if (!struck.await(ACTION_SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new HarnessException("the action of " + this + " goes on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HarnessException("interrupted while " + this + " acts", e);
    }
  }

  /** Whether the fault has struck, waiting for it up to the limit. */
  public boolean hasStruck(long seconds) throws InterruptedException {
    return struck.await(seconds, TimeUnit.SECONDS);
  }

  /**
   * Whether the fault strikes while the work goes on, or a moment later; waits for it up to the
   * limit, and not for a fault that cannot come any more because the work is over.
   */
  public boolean strikesDuring(Future<?> work, long seconds) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!work.isDone() && System.nanoTime() < deadline) {
      if (struck.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        return true;
      }
    }
    return hasStruck(MOMENT_SECONDS);
  }

  @Override
  public String toString() {
    return moment + " " + fragment;
  }
}
