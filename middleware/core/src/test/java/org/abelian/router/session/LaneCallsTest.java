package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class LaneCallsTest {
  private static LaneCalls ofSize(int size) {
    return new LaneCalls(List.of(), size);
  }

  @Test
  void anIntentIsBoundedInSize() {
    LaneCalls half = ofSize(1 << 14);
    assertEquals(1 << 15, half.plus(half).size());
    assertNull(half.plus(half).plus(ofSize(1)));
  }
}
