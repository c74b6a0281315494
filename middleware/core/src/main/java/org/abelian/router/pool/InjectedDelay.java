package org.abelian.router.pool;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets nodes seem farther away than they are, for benchmarks on one machine: no answer is read
 * earlier than so long after the last message was sent.
 */
public final class InjectedDelay {
  private static volatile long nanos;

  private InjectedDelay() {}

  /** Sets the round trip that is added on all connections of this process; zero is none. */
  public static void set(Duration roundTrip) {
    nanos = roundTrip.toNanos();
  }

  /** Waits until what was sent then can have been answered. */
  static void await(long sentNanos) {
    long delay = nanos;
    if (delay == 0) {
      return;
    }
    for (long left = sentNanos + delay - System.nanoTime();
        left > 0;
        left = sentNanos + delay - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
