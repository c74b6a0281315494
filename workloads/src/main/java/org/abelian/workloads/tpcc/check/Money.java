package org.abelian.workloads.tpcc.check;

import java.math.BigDecimal;

/** Sums of money in hundredths. */
final class Money {
  private Money() {}

  /**
   * @param amount null counts as nothing
   */
  static long cents(BigDecimal amount) {
    return amount == null ? 0 : amount.movePointRight(2).longValueExact();
  }

  static String text(long cents) {
    return BigDecimal.valueOf(cents, 2).toPlainString();
  }
}
