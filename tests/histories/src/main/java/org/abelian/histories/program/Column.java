package org.abelian.histories.program;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** The columns of the test table beside its key; the last two exist as Abelian and plain types. */
public enum Column {
  STATUS("status"),
  NOTE("note"),
  COUNTER("c"),
  DECIMAL("d");

  /** All numbers are compared at this scale, whatever their column's type prints. */
  public static final int SCALE = 2;

  private final String sql;

  Column(String sql) {
    this.sql = sql;
  }

  public String sql() {
    return sql;
  }

  public boolean isNumber() {
    return this != STATUS;
  }

  public static BigDecimal number(long value) {
    return number(BigDecimal.valueOf(value));
  }

  public static BigDecimal number(BigDecimal value) {
    return value.setScale(SCALE, RoundingMode.UNNECESSARY);
  }
}
