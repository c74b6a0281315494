package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whether one node is likely to have enough rows. */
class OneNodeOddsTest {
  private final OneNodeOdds odds = new OneNodeOdds();

  @Test
  void nothingIsLikelyBeforeItWasSeen() {
    assertFalse(odds.isLikely());
    odds.learn(3, 3);
    assertTrue(odds.isLikely());
  }

  @Test
  void nodesWithoutMakeItUnlikely() {
    odds.learn(2, 3);
    assertFalse(odds.isLikely());
  }

  @Test
  void oneMissIsBorneAndTwoAreNot() {
    odds.learn(3, 3);
    odds.learn(0, 1);
    assertTrue(odds.isLikely());
    odds.learn(0, 1);
    assertFalse(odds.isLikely());
  }

  @Test
  void missesInEverySixthCaseEndIt() {
    odds.learn(3, 3);
    long tried = 0;
    for (int i = 0; i < 600; i++) {
      boolean alone = odds.isLikely();
      tried += alone ? 1 : 0;
      odds.learn(i % 6 == 5 ? 0 : 1, 1);
    }
    assertTrue(tried < 500, "tried " + tried);
  }

  @Test
  void whatWasGivenUpStaysSo() {
    odds.giveUp();
    odds.learn(3, 3);
    assertFalse(odds.isLikely());
  }

  @Test
  void eachNodeHasItsTurn() {
    List<Integer> turns = IntStream.range(0, 6).mapToObj(i -> odds.turn(3)).toList();
    assertEquals(List.of(0, 1, 2, 0, 1, 2), turns);
  }
}
