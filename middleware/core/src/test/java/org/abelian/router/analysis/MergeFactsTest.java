package org.abelian.router.analysis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class MergeFactsTest {
  private static MergeFacts.Broadcast moving(double moved, double all) {
    return plan(List.of(), moved, 0, all);
  }

  private static MergeFacts.Broadcast dividing(double moved, double split, double all) {
    return plan(List.of(new MergeFacts.Split(0, 0, 23, null, null)), moved, split, all);
  }

  private static MergeFacts.Broadcast plan(
      List<MergeFacts.Split> splits, double moved, double split, double all) {
    return new MergeFacts.Broadcast(
        MergeFacts.concat(), MergeFacts.concat(), false, splits, moved, split, all);
  }

  @Test
  void rowsThatMoveToEveryNodeCountForEachOfThem() {
    assertTrue(moving(49, 100).isCheaper(3));
    assertFalse(moving(51, 100).isCheaper(3), "comes once, goes three times");
    assertTrue(moving(65, 100).isCheaper(2));
    assertFalse(moving(20, 100).isCheaper(9));
  }

  @Test
  void rowsThatGoToOneNodeEachCountTwice() {
    assertTrue(dividing(0, 90, 100).isCheaper(9));
    assertTrue(dividing(10, 60, 100).isCheaper(3));
    assertFalse(dividing(30, 60, 100).isCheaper(3));
  }

  @Test
  void whereAllRowsMoveAnywayTheNodesShareTheWork() {
    assertTrue(dividing(0, 100, 100).isCheaper(3));
    assertFalse(dividing(1, 99, 100).isCheaper(3));
  }

  @Test
  void nothingIsSavedWhereNothingIsThere() {
    assertFalse(moving(0, 0).isCheaper(3));
  }
}
