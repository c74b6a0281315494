package org.abelian.workloads.tpcw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.abelian.workloads.client.Transaction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TpcwScriptTest {
  private static final int DRAWS = 100_000;

  private static TpcwScript script(TpcwMix mix) {
    return new TpcwScript(new Shop(new TpcwOptions(100, 300, mix)), 5);
  }

  private static TpcwType next(TpcwScript script) {
    Transaction transaction = script.next();
    transaction.committed().run();
    return TpcwType.valueOf(transaction.type().toUpperCase(Locale.ROOT));
  }

  /** Who has no cart fills one instead of buying, so that these three are counted together. */
  @ParameterizedTest
  @EnumSource
  void interactionsHaveTheSharesOfTheSpecification(TpcwMix mix) {
    TpcwScript script = script(mix);
    Map<TpcwType, Integer> counts = new EnumMap<>(TpcwType.class);
    for (int i = 0; i < DRAWS; i++) {
      counts.merge(next(script), 1, Integer::sum);
    }
    assertEquals(TpcwType.values().length, counts.size(), "seed 5");
    double carts = 0;
    int filled = 0;
    for (TpcwType type : TpcwType.values()) {
      if (type == TpcwType.SHOPPING_CART
          || type == TpcwType.BUY_REQUEST
          || type == TpcwType.BUY_CONFIRM) {
        carts += mix.percent(type);
        filled += counts.get(type);
      } else {
        assertShare(mix.percent(type), counts.get(type), type + " of " + mix);
      }
    }
    assertShare(carts, filled, "carts of " + mix);
  }

  private static void assertShare(double percent, int count, String what) {
    assertEquals(percent * DRAWS / 100, count, 0.005 * DRAWS, what + ", seed 5");
  }

  @ParameterizedTest
  @EnumSource
  void aMixIsOfAHundredPercent(TpcwMix mix) {
    double sum = 0;
    for (TpcwType type : TpcwType.values()) {
      sum += mix.percent(type);
    }
    assertEquals(100, sum, 0.011, mix.label());
  }

  @Test
  void nobodyBuysWithoutACart() {
    TpcwScript script = script(TpcwMix.ORDERING);
    boolean filled = false;
    for (int i = 0; i < DRAWS; i++) {
      TpcwType type = next(script);
      if (!filled) {
        assertNotEquals(TpcwType.BUY_REQUEST, type, "seed 5");
        assertNotEquals(TpcwType.BUY_CONFIRM, type, "seed 5");
      }
      filled = type == TpcwType.SHOPPING_CART || filled && type != TpcwType.BUY_CONFIRM;
    }
  }
}
