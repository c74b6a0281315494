package org.abelian.workloads.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionScriptTest {
  private static final Point POINT = new Point(30, 1.5);

  private static String script(Variety variety) {
    return TransactionScript.of(Objects.COUNTER, variety, POINT, 10_000, 150);
  }

  @ParameterizedTest
  @EnumSource(Variety.class)
  void everyTransactionHasFourStatementsOfEitherKind(Variety variety) {
    String script = script(variety);
    assertEquals(4, script.lines().filter(line -> line.startsWith("UPDATE")).count());
    assertEquals(4, script.lines().filter(line -> line.startsWith("SELECT")).count());
    assertEquals(4, script.lines().filter(line -> line.matches("\\\\if :o[1-4] <= 30")).count());
  }

  @Test
  void onlyPlainRowsAreLockedByTheirReader() {
    assertTrue(script(Variety.ROW_LOCKS).contains("FOR SHARE"));
    assertFalse(script(Variety.RETRYING).contains("FOR SHARE"));
    assertFalse(script(Variety.LOCKS).contains("FOR SHARE"));
  }

  /** Whatever keeps transactions apart, they pay for the same network. */
  @ParameterizedTest
  @EnumSource(Variety.class)
  void everyStatementIsARoundTrip(Variety variety) {
    long waits = script(variety).lines().filter("\\sleep 150 us"::equals).count();
    assertEquals(variety.hasTransactions() ? 5 : 4, waits);
  }

  @Test
  void withoutTransactionsThereIsNoBegin() {
    assertTrue(script(Variety.PHASER).contains("BEGIN;"));
    assertFalse(script(Variety.NONE).contains("BEGIN;"));
  }
}
