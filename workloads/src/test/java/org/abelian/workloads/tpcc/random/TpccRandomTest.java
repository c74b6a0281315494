package org.abelian.workloads.tpcc.random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.abelian.workloads.random.Zipf;
import org.junit.jupiter.api.Test;

class TpccRandomTest {
  @Test
  void aTaskDrawsTheSameValuesForTheSameSeedAndOthersForAnother() {
    String first = TpccRandom.forTask(3, "stock").alphanumeric(50, 50);
    assertEquals(first, TpccRandom.forTask(3, "stock").alphanumeric(50, 50));
    assertNotEquals(first, TpccRandom.forTask(3, "items").alphanumeric(50, 50));
    assertNotEquals(first, TpccRandom.forTask(4, "stock").alphanumeric(50, 50));
  }

  @Test
  void aPermutationHasEveryNumberOnce() {
    int[] values = new TpccRandom(9).permutation(3000);
    Arrays.sort(values);
    assertArrayEquals(IntStream.rangeClosed(1, 3000).toArray(), values);
  }

  @Test
  void aTenthOfTheDataStringsContainsOriginal() {
    TpccRandom random = new TpccRandom(21);
    int marked = 0;
    for (int i = 0; i < 20_000; i++) {
      String data = random.originalData();
      assertTrue(data.length() >= 26 && data.length() <= 50, "seed 21: " + data);
      marked += data.contains("ORIGINAL") ? 1 : 0;
    }
    assertEquals(2000, marked, 200, "seed 21");
  }

  @Test
  void zipfPrefersLowRanksByItsWeights() {
    Zipf zipf = new Zipf(4, 1);
    TpccRandom random = new TpccRandom(2);
    int[] counts = new int[5];
    int draws = 50_000;
    for (int i = 0; i < draws; i++) {
      counts[zipf.rank(random.fraction())]++;
    }
    double harmonic = 1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0;
    for (int rank = 1; rank <= 4; rank++) {
      assertEquals(draws / harmonic / rank, counts[rank], draws * 0.01, "seed 2, rank " + rank);
    }
  }
}
