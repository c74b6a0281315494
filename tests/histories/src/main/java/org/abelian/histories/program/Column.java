package org.abelian.histories.program;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/**
 * The columns of the test table beside its key; all but the first two exist as Abelian and plain
 * types.
 */
public enum Column {
  STATUS("status", "text", "text"),
  NOTE("note", "bigint", "bigint"),
  COUNTER("c", "abelian.counter", "bigint"),
  DECIMAL("d", "abelian.decimal_counter", "numeric"),
  HIGHEST("m", "abelian.max", "bigint"),
  TAGS("s", "abelian.set", "text[]"),
  SCORES("z", "abelian.scored_set", "jsonb"),
  COUNTS("b", "abelian.multiset", "jsonb"),
  ENTRIES("e", "abelian.dict", "jsonb");

  /** All numbers are compared at this scale, whatever their column's type prints. */
  public static final int SCALE = 2;

  /** What collections may contain. */
  public static final List<String> ELEMENTS = List.of("a", "b", "c");

  private final String sql;
  private final String abelian;
  private final String plain;

  Column(String sql, String abelian, String plain) {
    this.sql = sql;
    this.abelian = abelian;
    this.plain = plain;
  }

  public String sql() {
    return sql;
  }

  /** The column's definition in a table of Abelian or of plain columns. */
  public String definition(boolean isAbelian) {
    return sql + " " + (isAbelian ? abelian : plain);
  }

  public boolean isNumber() {
    return this != STATUS && !hasElements();
  }

  /** Whether amounts are added to it that sum up. */
  public boolean isSum() {
    return this == COUNTER || this == DECIMAL;
  }

  public boolean isAbelian() {
    return this != STATUS && this != NOTE;
  }

  /** Whether operations are about one element of its value. */
  public boolean hasElements() {
    return this == TAGS || this == SCORES || this == COUNTS || this == ENTRIES;
  }

  public static BigDecimal number(long value) {
    return number(BigDecimal.valueOf(value));
  }

  public static BigDecimal number(BigDecimal value) {
    return value.setScale(SCALE, RoundingMode.UNNECESSARY);
  }
}
