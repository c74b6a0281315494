package org.abelian.workloads.retwis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.workload.Columns;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetwisScriptTest {
  private static final int DRAWS = 100_000;

  /** Users who see the same two posts each time. */
  @ParameterizedTest
  @EnumSource
  void theSharesAreThePapersWithTheRepostsThatFollow(RetwisMix mix) {
    RetwisScript script =
        new RetwisScript(
            RetwisOptions.of(8, mix),
            new RetwisTransactions(Columns.PLAIN),
            new AtomicLong(1),
            new AtomicLong(1),
            3);
    Map<String, Integer> types = new TreeMap<>();
    for (int i = 0; i < DRAWS; i++) {
      Transaction next = script.next();
      types.merge(next.type(), 1, Integer::sum);
      if (next.type().equals("timeline")) {
        script.seen(1, List.of(new long[] {1, 0}, new long[] {2, 5}));
      }
    }
    boolean posts = mix == RetwisMix.POST_HEAVY;
    assertEquals(posts ? 90 : 98, percent(types, "timeline"), 1, "seed 3");
    assertEquals(posts ? 6 : 1, percent(types, "repost"), 0.3, "seed 3");
    assertEquals(posts ? 2 : 0.5, percent(types, "post"), 0.2, "seed 3");
    assertEquals(posts ? 1 : 0.2, percent(types, "follow"), 0.1, "seed 3");
  }

  private static double percent(Map<String, Integer> types, String type) {
    return types.get(type) * 100.0 / DRAWS;
  }
}
