package org.abelian.workloads.auctionmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.abelian.workloads.workload.Columns;
import org.junit.jupiter.api.Test;

class AuctionMarkScriptTest {
  private static final int DRAWS = 50_000;
  private static final AuctionMarkOptions OPTIONS = new AuctionMarkOptions(100);
  private final Market market = new Market(OPTIONS, 3);

  @Test
  void typesHaveTheSharesOfTheBenchmark() {
    Sale sale = new Sale(market.item(0), 2, 1, 1);
    IntStream.range(0, DRAWS)
        .forEach(
            i -> {
              market.won(sale);
              market.bought(sale);
              market.asked(new Question(market.item(0), i));
            });
    AuctionMarkScript script =
        new AuctionMarkScript(market, new AuctionMarkWrites(Columns.PLAIN), 5);
    Map<String, Integer> counts = new TreeMap<>();
    for (int i = 0; i < DRAWS; i++) {
      counts.merge(script.next().type(), 1, Integer::sum);
    }
    double all = IntStream.of(40, 10, 5, 18, 2, 2, 1, 3, 10, 2, 5, 2, 1).sum();
    counts.forEach(
        (type, count) ->
            assertEquals(
                AuctionMarkType.valueOf(type.toUpperCase(Locale.ROOT)).weight() * DRAWS / all,
                count,
                0.01 * DRAWS,
                type + ", seed 5"));
    assertEquals(13, counts.size(), "auctions are posted only after a check");
  }

  @Test
  void whoHasNothingToPayJudgeOrAnswerLooksAtAnItem() {
    AuctionMarkScript script =
        new AuctionMarkScript(market, new AuctionMarkWrites(Columns.PLAIN), 5);
    Map<String, Integer> counts = new TreeMap<>();
    for (int i = 0; i < DRAWS; i++) {
      counts.merge(script.next().type(), 1, Integer::sum);
    }
    assertNull(counts.get("new_purchase"));
    assertNull(counts.get("new_comment_response"));
    assertNull(counts.get("new_feedback"));
    assertEquals(46 * DRAWS / 101.0, counts.get("get_item"), 0.01 * DRAWS, "seed 5");
  }

  @Test
  void anItemGetsThePopularityOfOneWhoseAuctionHasEnded() {
    Item first = market.item(4);
    market.ended(first);
    Item next = new Item(1, market.newItem());
    market.offered(next);
    assertEquals(next, market.item(4));
    market.offered(new Item(1, market.newItem()));
    assertEquals(2, market.clock());
  }

  @Test
  void anotherUserIsNeverTheSame() {
    SplittableRandom random = new SplittableRandom(8);
    for (int i = 0; i < 1000; i++) {
      assertNotEquals(7, market.userBut(7, random), "seed 8");
    }
  }
}
