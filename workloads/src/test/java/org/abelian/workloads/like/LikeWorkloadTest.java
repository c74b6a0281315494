package org.abelian.workloads.like;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.junit.jupiter.api.Test;

class LikeWorkloadTest {
  private static final int DRAWS = 40_000;
  private static final LikeWorkload SKEWED = workload(0);

  private static LikeWorkload workload(int readPercent) {
    return new LikeWorkload(new LikeOptions(100, 1000, 1, readPercent), Columns.PLAIN);
  }

  @Test
  void pagesArePopularByZipfsLawAndPopularOnesAreNoNeighbours() {
    int[] counts = new int[1001];
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < DRAWS; i++) {
      counts[SKEWED.page(random)]++;
    }
    int[] sorted = counts.clone();
    Arrays.sort(sorted);
    double harmonic = 0;
    for (int k = 1; k <= 1000; k++) {
      harmonic += 1.0 / k;
    }
    for (int rank = 1; rank <= 3; rank++) {
      assertEquals(DRAWS / harmonic / rank, sorted[1001 - rank], DRAWS * 0.01, "seed 5");
    }
    assertEquals(sorted[1000], counts[(int) (1_000_003L % 1000) + 1]);
  }

  @Test
  void theShareOfReadsIsAsAskedFor() {
    Map<String, Integer> types = new TreeMap<>();
    Script script = workload(30).script(0, 7);
    for (int i = 0; i < DRAWS; i++) {
      types.merge(script.next().type(), 1, Integer::sum);
    }
    assertEquals(0.3 * DRAWS, types.get("read"), 0.01 * DRAWS, "seed 7");
    assertEquals(0.7 * DRAWS, types.get("like"), 0.01 * DRAWS, "seed 7");
  }
}
