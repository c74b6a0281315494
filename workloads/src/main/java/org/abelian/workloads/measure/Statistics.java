package org.abelian.workloads.measure;

import java.util.Arrays;

/** Order statistics. */
public final class Statistics {
  private Statistics() {}

  /** Median; the mean of the two middle values of an even number of them. */
  public static double median(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Smallest value that at least {@code percent} of 100 values do not exceed (nearest rank).
   *
   * @param sorted ascending, not empty
   */
  public static double percentile(long[] sorted, double percent) {
    if (sorted.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    int rank = (int) Math.ceil(percent / 100 * sorted.length);
    return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1];
  }
}
