package org.abelian.router.transaction.simulation;

import java.util.SplittableRandom;

/** Choices by a seed, mostly usual ones. */
final class SeededChoices implements Choices {
  private final SplittableRandom random;
  private final int unusualPercent;

  SeededChoices(long seed) {
    random = new SplittableRandom(seed);
    unusualPercent = random.nextInt(5, 60);
  }

  @Override
  public int choose(int options) {
    boolean unusual = random.nextInt(100) < unusualPercent;
    return unusual ? random.nextInt(options) : 0;
  }
}
