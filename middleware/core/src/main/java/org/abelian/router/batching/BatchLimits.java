package org.abelian.router.batching;

import java.util.concurrent.TimeUnit;

/**
 * Bounds of batching.
 *
 * @param inFlight how many statements of one key are in flight before later ones wait
 * @param batch how many operations become one at most
 * @param queue how many sessions wait at one key at most; more run alone
 * @param waitNanos how long a session waits at most, in nanoseconds
 * @param suspendNanos how long nothing is batched at a key after a few failures in a row; after the
 *     first failure a {@value #STEPS}th of it
 * @param forgetsOverdue whether what is in flight for longer than somebody has waited does not
 *     count any more: it waits for something that need not concern the others
 */
public record BatchLimits(
    int inFlight, int batch, int queue, long waitNanos, long suspendNanos, boolean forgetsOverdue) {
  private static final int STEPS = 16;

  /** What routers use. */
  public static final BatchLimits DEFAULT =
      new BatchLimits(
          6,
          1000,
          4000,
          TimeUnit.MILLISECONDS.toNanos(20),
          TimeUnit.MILLISECONDS.toNanos(100),
          false);

  /** The same for calls that share transactions, all of which wait for one lane or row. */
  public static final BatchLimits CALLS_IN_LINE =
      new BatchLimits(2, 64, 4000, DEFAULT.waitNanos, DEFAULT.suspendNanos, false);

  /** The same for calls that share transactions, whatever they wait for. */
  public static final BatchLimits CALLS =
      new BatchLimits(2, 64, 4000, DEFAULT.waitNanos, DEFAULT.suspendNanos, true);

  /** How long nothing is batched after a failure that no success has come before. */
  long suspendedAfter(Suspension before) {
    return before == null ? suspendNanos / STEPS : Math.min(2 * before.nanos(), suspendNanos);
  }
}
