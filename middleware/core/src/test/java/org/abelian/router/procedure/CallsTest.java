package org.abelian.router.procedure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class CallsTest {
  private static Calls<String> one(String call) {
    return new Calls<>(List.of(call), call.length(), 8);
  }

  @Test
  void callsGoTogetherInTheirOrderAsLongAsTheyAreSmall() {
    Calls<String> two = one("bids").plus(one("buys"));
    assertEquals(List.of("bids", "buys"), two.calls());
    assertEquals(8, two.size());
    assertNull(two.plus(one("x")));
  }
}
