package org.abelian.workloads.tpcc.run;

import org.abelian.workloads.tpcc.input.TransactionType;
import org.abelian.workloads.tpcc.random.TpccRandom;

/** Keying and think times of a terminal's user (clauses 5.2.5.2 and 5.2.5.4). */
final class Waits {
  private static final int MAX_MEANS = 10;

  private final boolean enabled;
  private final TpccRandom random;

  Waits(boolean enabled, TpccRandom random) {
    this.enabled = enabled;
    this.random = random;
  }

  void keying(TransactionType type) throws InterruptedException {
    if (enabled) {
      Thread.sleep(type.keyingSeconds() * 1000L);
    }
  }

  void thinking(TransactionType type) throws InterruptedException {
    if (enabled) {
      Thread.sleep(thinkMillis(type));
    }
  }

  /** Negative exponential, cut off at ten times its mean. */
  long thinkMillis(TransactionType type) {
    double mean = type.meanThinkSeconds() * 1000.0;
    return (long) Math.min(-Math.log(1 - random.fraction()) * mean, MAX_MEANS * mean);
  }
}
