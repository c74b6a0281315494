package org.abelian.workloads.tpcc.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class NuRandTest {
  private static final int DRAWS = 200_000;

  @Test
  void valuesStayInTheirRangeAndReachBothEnds() {
    NuRand items = new NuRand(8191, 4242);
    TpccRandom random = new TpccRandom(7);
    boolean[] seen = new boolean[101];
    for (int i = 0; i < DRAWS; i++) {
      int value = items.next(random, 1, 100);
      assertTrue(value >= 1 && value <= 100, () -> "seed 7 drew " + value);
      seen[value] = true;
    }
    assertTrue(seen[1] && seen[100], "seed 7");
  }

  /**
   * With C = 0, A = 255 and [0, 255], value v is as frequent as there are pairs (a, b) with a | b =
   * v.
   */
  @Test
  void frequenciesAreThoseOfTheBitwiseOrOfTwoUniformNumbers() {
    NuRand names = new NuRand(255, 0);
    TpccRandom random = new TpccRandom(11);
    int[] counts = new int[256];
    for (int i = 0; i < DRAWS; i++) {
      counts[names.next(random, 0, 255)]++;
    }
    double chiSquare = 0;
    for (int v = 0; v < 256; v++) {
      double expected = DRAWS * Math.pow(3, Integer.bitCount(v)) / 65536.0;
      chiSquare += (counts[v] - expected) * (counts[v] - expected) / expected;
    }
    // 255 degrees of freedom: 99.99% of samples lie below 345.
    assertTrue(chiSquare < 345, "seed 11 gave chi-square " + chiSquare);
  }

  @Test
  void constantCShiftsTheDistributionCyclically() {
    NuRand shifted = new NuRand(255, 3);
    NuRand plain = new NuRand(255, 0);
    TpccRandom one = new TpccRandom(5);
    TpccRandom two = new TpccRandom(5);
    for (int i = 0; i < 1000; i++) {
      assertEquals((plain.next(one, 0, 999) + 3) % 1000, shifted.next(two, 0, 999));
    }
  }

  @Test
  void aRunsConstantKeepsTheDemandedDistanceFromTheLoads() {
    int load = NuRandConstants.forLoad(new TpccRandom(1)).lastName().c();
    for (long seed = 0; seed < 500; seed++) {
      int run = NuRandConstants.forRun(new TpccRandom(seed)).lastName().c();
      int distance = Math.abs(run - load);
      assertTrue(distance >= 65 && distance <= 119, "seed " + seed);
      assertTrue(distance != 96 && distance != 112, "seed " + seed);
    }
    assertFalse(NuRandConstants.isLegalDistance(64));
    assertFalse(NuRandConstants.isLegalDistance(120));
  }

  @Test
  void aConstantCOutsideItsRangeIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new NuRand(255, 256));
  }
}
