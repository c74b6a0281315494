package org.abelian.histories.program;

import java.math.BigDecimal;

/**
 * One {@code column = expression} of an UPDATE.
 *
 * @param operand number or text for {@link Kind#ADD} and {@link Kind#SET}, else null
 */
public record Assignment(Column target, Kind kind, Object operand) {
  /** The forms of expression. */
  public enum Kind {
    /** {@code x = x + operand}: an operation on a counter, an overwrite of the plain note. */
    ADD,
    /** {@code c = c + note}: an operation whose argument is a plain column of the row. */
    ADD_NOTE,
    /** {@code x = operand}. */
    SET,
    /** {@code c = c * 2}: reads the counter other than as an operation. */
    DOUBLE,
    /** {@code note = c}: a plain column gets a counter's value. */
    COPY_COUNTER
  }

  public boolean isOperation() {
    return (kind == Kind.ADD || kind == Kind.ADD_NOTE) && target != Column.NOTE;
  }

  /** Columns that the expression reads, except the target of an operation. */
  public int reads() {
    return switch (kind) {
      case SET -> ColumnSet.NONE;
      case ADD -> isOperation() ? ColumnSet.NONE : ColumnSet.of(target);
      case ADD_NOTE -> ColumnSet.of(Column.NOTE);
      case DOUBLE -> ColumnSet.of(target);
      case COPY_COUNTER -> ColumnSet.of(Column.COUNTER);
    };
  }

  /** For an operation the amount to add, null if it is NULL; otherwise the new value. */
  public Object evaluate(Row row) {
    return switch (kind) {
      case SET -> operand;
      case ADD -> isOperation() ? operand : sum(row.number(target), (BigDecimal) operand);
      case ADD_NOTE -> row.get(Column.NOTE);
      case COPY_COUNTER -> row.get(Column.COUNTER);
      case DOUBLE -> {
        BigDecimal value = row.number(target);
        yield sum(value, value);
      }
    };
  }

  /** SQL addition: NULL if either is. */
  public static BigDecimal sum(BigDecimal a, BigDecimal b) {
    return a == null || b == null ? null : a.add(b);
  }
}
