package org.abelian.workloads.tpcc.random;

/**
 * Non-uniform random number: {@code (((random(0, A) | random(x, y)) + C) % (y - x + 1)) + x}
 * (clause 2.1.6).
 *
 * @param a the constant A, which depends on the size of the range [x, y]
 * @param c the run-time constant C within [0, A]
 */
public record NuRand(int a, int c) {
  public NuRand {
    if (c < 0 || c > a) {
      throw new IllegalArgumentException("C " + c + " is outside [0, " + a + "]");
    }
  }

  /** A value within [x, y]. */
  public int next(TpccRandom random, int x, int y) {
    return ((random.uniform(0, a) | random.uniform(x, y)) + c) % (y - x + 1) + x;
  }
}
