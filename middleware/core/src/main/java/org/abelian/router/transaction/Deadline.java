package org.abelian.router.transaction;

import java.time.Duration;

/** The end of a wait that consists of several. */
final class Deadline {
  private final Pause time;
  private final long endNanos;

  private Deadline(Pause time, long endNanos) {
    this.time = time;
    this.endNanos = endNanos;
  }

  /** So much from now. */
  static Deadline in(Duration limit, Pause time) {
    return new Deadline(time, time.nanoTime() + limit.toNanos());
  }

  /** What is left of the wait; nothing when it is over. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, endNanos - time.nanoTime()));
  }

  /** True when nothing is left of the wait. */
  boolean isOver() {
    return left().isZero();
  }
}
