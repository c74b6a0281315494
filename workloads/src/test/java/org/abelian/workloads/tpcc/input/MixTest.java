package org.abelian.workloads.tpcc.input;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumMap;
import java.util.Map;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.junit.jupiter.api.Test;

class MixTest {
  @Test
  void everyDeckOf23CardsHasTheSpecifiedCards() {
    Mix deck = new DeckMix(new TpccRandom(4));
    for (int round = 0; round < 100; round++) {
      Map<TransactionType, Integer> drawn = draw(deck, 23);
      for (TransactionType type : TransactionType.values()) {
        assertEquals(type.cards(), drawn.get(type), "seed 4, deck " + round + ", " + type);
      }
    }
  }

  @Test
  void weightedChoicesApproachThePercentages() {
    int draws = 100_000;
    Map<TransactionType, Integer> drawn = draw(new WeightedMix(new TpccRandom(4)), draws);
    for (TransactionType type : TransactionType.values()) {
      assertEquals(
          draws * type.percent() / 100.0, drawn.get(type), draws * 0.006, "seed 4, " + type);
    }
  }

  private static Map<TransactionType, Integer> draw(Mix mix, int times) {
    Map<TransactionType, Integer> drawn = new EnumMap<>(TransactionType.class);
    for (int i = 0; i < times; i++) {
      drawn.merge(mix.next(), 1, Integer::sum);
    }
    return drawn;
  }
}
