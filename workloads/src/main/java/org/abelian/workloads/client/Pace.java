package org.abelian.workloads.client;

import java.time.Duration;

/**
 * When a client begins its next transaction.
 *
 * @param think mean of the exponential think time between two transactions; zero for none
 * @param rate transactions that a client begins per second, whether or not the one before was late;
 *     0 for as many as it can
 */
public record Pace(Duration think, double rate) {
  /** One transaction after the other. */
  public static final Pace UNLIMITED = new Pace(Duration.ZERO, 0);

  public Pace {
    if (think.isNegative() || rate < 0 || rate > 0 && !think.isZero()) {
      throw new IllegalArgumentException("a client has a think time or a rate, not both");
    }
  }

  /**
   * When the next transaction is due, by {@link System#nanoTime}.
   *
   * @param due when the last one was
   * @param now the present time
   * @param fraction uniform over [0, 1)
   */
  long next(long due, long now, double fraction) {
    if (rate > 0) {
      return due + (long) (1e9 / rate);
    }
    return now + (long) (-Math.log(1 - fraction) * think.toNanos());
  }
}
