package org.abelian.router.trace;

import java.util.function.LongPredicate;

/** Which transactions are recorded. Whether one is depends on its number alone. */
final class Sampling {
  private Sampling() {}

  /**
   * A share of all numbers.
   *
   * @param share at most 1
   * @param seed makes the choice another one
   */
  static LongPredicate of(double share, long seed) {
    if (share >= 1) {
      return number -> true;
    }
    long limit = (long) (share * 0x1p63);
    return number -> (mix(number ^ seed) >>> 1) < limit;
  }

  /** The finaliser of SplitMix64, which spreads numbers that lie close together. */
  private static long mix(long number) {
    long z = number + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
