package org.abelian.advisor.sample;

import java.util.Arrays;
import java.util.Random;

/** Draws ranks from 0 whose chances fall with a power of the rank. */
final class Zipf {
  private final double[] cumulative;

  Zipf(int ranks, double exponent) {
    cumulative = new double[ranks];
    double sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += Math.pow(rank + 1, -exponent);
      cumulative[rank] = sum;
    }
  }

  int next(Random random) {
    double point = random.nextDouble() * cumulative[cumulative.length - 1];
    int found = Arrays.binarySearch(cumulative, point);
    return Math.min(found < 0 ? -found - 1 : found + 1, cumulative.length - 1);
  }
}
