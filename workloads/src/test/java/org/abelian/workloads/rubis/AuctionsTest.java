package org.abelian.workloads.rubis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AuctionsTest {
  private static final int ITEMS = 100;
  private static final int DRAWS = 100_000;

  private final Auctions auctions = new Auctions(ITEMS, Duration.ofMinutes(1), 4);

  @Test
  void bidsAtTheStartFollowZipfsLawWithTenOnAverage() {
    int sum = IntStream.range(0, ITEMS).map(auctions::bidsAtStart).sum();
    assertEquals(10 * ITEMS, sum, ITEMS / 2.0);
    assertEquals(auctions.bidsAtStart(0) / 2.0, auctions.bidsAtStart(1), 1);
    assertEquals(auctions.bidsAtStart(0) / 10.0, auctions.bidsAtStart(9), 1);
  }

  @Test
  void interestIsPopularityAndRisesTowardsTheEnd() {
    SplittableRandom random = new SplittableRandom(8);
    double now = 0.25;
    int[] counts = new int[ITEMS];
    for (int i = 0; i < DRAWS; i++) {
      counts[auctions.draw(random, now)]++;
    }
    double[] weights =
        IntStream.range(0, ITEMS)
            .mapToDouble(rank -> Math.exp(-4 * auctions.remaining(rank, now)) / (rank + 1))
            .toArray();
    double all = IntStream.range(0, ITEMS).mapToDouble(rank -> weights[rank]).sum();
    for (int rank = 0; rank < ITEMS; rank++) {
      assertEquals(weights[rank] / all * DRAWS, counts[rank], 0.01 * DRAWS, "seed 8");
    }
  }

  @Test
  void everyAuctionEndsOnceInACycle() {
    Set<Integer> ended = new HashSet<>();
    for (int step = 0; step < 100_000; step++) {
      double now = 3 + step / 100_000.0;
      int rank = auctions.ended(now);
      assertTrue(auctions.remaining(rank, now) > 0.9 || ended.isEmpty(), "it has just ended");
      ended.add(rank);
    }
    assertEquals(ITEMS, ended.size());
  }

  @Test
  void aNewAuctionGetsThePopularityOfAClosedOne() {
    auctions.close(5, true);
    auctions.close(6, false);
    int rank = auctions.freeRank();
    assertEquals(5, rank);
    assertEquals(-1, auctions.freeRank());
    long item = auctions.newItem();
    auctions.open(rank, item);
    auctions.open(-1, auctions.newItem());
    assertEquals(ITEMS + 1, item);
    assertEquals(item, auctions.item(5));
    assertEquals(7, auctions.item(6));
  }

  @Test
  void aBidIsGreaterThanAllBefore() {
    long last = Auctions.amount(auctions.bidsAtStart(3));
    assertTrue(auctions.nextAmount(3) > last);
    assertTrue(auctions.nextAmount(3) > last + 10);
  }

  @Test
  void theMixesHaveThePapersShares() {
    for (RubisMix mix : RubisMix.values()) {
      RubisScript script =
          new RubisScript(
              new RubisOptions(ITEMS, mix, Duration.ofMinutes(1)),
              auctions,
              new AtomicLong(1000),
              6);
      Map<String, Integer> types = new TreeMap<>();
      for (int i = 0; i < DRAWS; i++) {
        types.merge(script.next().type(), 1, Integer::sum);
      }
      boolean bids = mix == RubisMix.BID_HEAVY;
      assertShare(bids ? 45 : 10, types.get("bid"), mix);
      assertShare(bids ? 52 : 82, types.get("view_auction") + types.get("browse"), mix);
      assertShare(bids ? 1 : 4, types.get("open_auction") + types.get("close_auction"), mix);
      assertShare(bids ? 1 : 2, types.get("comment"), mix);
      assertShare(bids ? 1 : 2, types.get("new_user") + types.get("view_user"), mix);
    }
  }

  private static void assertShare(int percent, int count, RubisMix mix) {
    assertEquals(percent * DRAWS / 100.0, count, 0.005 * DRAWS, mix + ", seed 6");
  }
}
