package org.abelian.workloads.random;

import java.util.Arrays;

/**
 * Zipf distribution over 1..n by inversion of the cumulative sums: rank k has weight 1 / k^theta.
 * Safe for several threads.
 */
public final class Zipf {
  private final double[] cumulative;

  public Zipf(int n, double theta) {
    if (n < 1 || theta < 0) {
      throw new IllegalArgumentException("Zipf needs n >= 1 and theta >= 0");
    }
    cumulative = new double[n];
    double sum = 0;
    for (int k = 1; k <= n; k++) {
      sum += 1 / Math.pow(k, theta);
      cumulative[k - 1] = sum;
    }
    for (int i = 0; i < n; i++) {
      cumulative[i] /= sum;
    }
  }

  /**
   * A rank within [1, n]; 1 is the most frequent.
   *
   * @param fraction uniform over [0, 1)
   */
  public int rank(double fraction) {
    int found = Arrays.binarySearch(cumulative, fraction);
    int index = found >= 0 ? found + 1 : -found - 1;
    return Math.min(index, cumulative.length - 1) + 1;
  }

  /** The probability of a rank, from 1. */
  public double share(int rank) {
    return rank == 1 ? cumulative[0] : cumulative[rank - 1] - cumulative[rank - 2];
  }
}
