package org.abelian.router.analysis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MergeFactsTest {
  private static MergeFacts.Broadcast moving(double moved, double all) {
    return new MergeFacts.Broadcast(MergeFacts.concat(), MergeFacts.concat(), false, moved, all);
  }

  @Test
  void rowsThatMoveToEveryNodeCountForEachOfThem() {
    assertTrue(moving(49, 100).isCheaper(3));
    assertFalse(moving(51, 100).isCheaper(3), "comes once, goes three times");
    assertTrue(moving(65, 100).isCheaper(2));
    assertFalse(moving(20, 100).isCheaper(9));
  }

  @Test
  void nothingIsSavedWhereNothingIsThere() {
    assertFalse(moving(0, 0).isCheaper(3));
  }
}
