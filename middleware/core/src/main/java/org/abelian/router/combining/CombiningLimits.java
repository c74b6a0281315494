package org.abelian.router.combining;

import java.util.concurrent.TimeUnit;

/**
 * Bounds of combining.
 *
 * @param flights how many statements on one object are under way before later ones gather
 * @param batch how many operations become one statement at most
 * @param queue how many sessions gather for one object at most; more run alone
 * @param waitNanos how long a session gathers at most
 * @param quietNanos how long nothing is combined on an object where it failed a few times in a row;
 *     after the first failure a {@value #QUIET_STEPS}th of it
 */
public record CombiningLimits(int flights, int batch, int queue, long waitNanos, long quietNanos) {
  private static final int QUIET_STEPS = 16;

  /** What routers use. */
  public static final CombiningLimits DEFAULT =
      new CombiningLimits(
          6, 1000, 4000, TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.MILLISECONDS.toNanos(100));

  /** The same for calls that share transactions. */
  public static final CombiningLimits CALLS =
      new CombiningLimits(2, 64, 4000, DEFAULT.waitNanos, DEFAULT.quietNanos);

  /** How long nothing is combined after a failure that no success has come before. */
  long quietAfter(Quiet before) {
    return before == null ? quietNanos / QUIET_STEPS : Math.min(2 * before.nanos(), quietNanos);
  }
}
