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
 * @param forgetsOverdue whether what is under way longer than somebody has gathered does not count
 *     any more: it waits for something that need not concern the others
 */
public record CombiningLimits(
    int flights, int batch, int queue, long waitNanos, long quietNanos, boolean forgetsOverdue) {
  private static final int QUIET_STEPS = 16;

  /** What routers use. */
  public static final CombiningLimits DEFAULT =
      new CombiningLimits(
          6,
          1000,
          4000,
          TimeUnit.MILLISECONDS.toNanos(20),
          TimeUnit.MILLISECONDS.toNanos(100),
          false);

  /** The same for calls that share transactions, all of which wait for one lane or row. */
  public static final CombiningLimits CALLS_IN_LINE =
      new CombiningLimits(2, 64, 4000, DEFAULT.waitNanos, DEFAULT.quietNanos, false);

  /** The same for calls that share transactions, whatever they wait for. */
  public static final CombiningLimits CALLS =
      new CombiningLimits(2, 64, 4000, DEFAULT.waitNanos, DEFAULT.quietNanos, true);

  /** How long nothing is combined after a failure that no success has come before. */
  long quietAfter(Quiet before) {
    return before == null ? quietNanos / QUIET_STEPS : Math.min(2 * before.nanos(), quietNanos);
  }
}
