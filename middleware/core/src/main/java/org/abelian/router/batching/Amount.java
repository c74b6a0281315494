package org.abelian.router.batching;

import java.math.BigDecimal;

/** What an operation does to a column: the algebra of the type, as far as batching needs it. */
public sealed interface Amount {
  /**
   * Both as one; null when they must not become one.
   *
   * <p>The sum is only right if it is accepted just when all its summands are, in some order. Of a
   * column with bounds that holds for summands of one sign. Of bigint and numeric it holds for all:
   * while there are summands of both signs, one of them leads towards zero and so fits.
   */
  Amount plus(Amount other);

  /** As PostgreSQL reads it. */
  String text();

  /**
   * To a counter.
   *
   * @param bounded true when the column refuses to leave its bounds
   */
  record Whole(long value, boolean bounded) implements Amount {
    @Override
    public Amount plus(Amount other) {
      if (!(other instanceof Whole whole) || bounded != whole.bounded) {
        return null;
      }
      if (bounded && Long.signum(value) * Long.signum(whole.value) < 0) {
        return null;
      }
      long sum = value + whole.value;
      boolean overflows = ((value ^ sum) & (whole.value ^ sum)) < 0;
      return overflows ? null : new Whole(sum, bounded);
    }

    @Override
    public String text() {
      return Long.toString(value);
    }
  }

  /** To a decimal counter. The scale is part of it: PostgreSQL shows the largest one. */
  record Decimal(BigDecimal value) implements Amount {
    @Override
    public Amount plus(Amount other) {
      return other instanceof Decimal decimal ? new Decimal(value.add(decimal.value)) : null;
    }

    @Override
    public String text() {
      return value.toPlainString();
    }
  }

  /**
   * To a greatest or least value. Of equal numbers that are written differently the first stays, as
   * it does on the node.
   */
  record Extremum(BigDecimal value, boolean greatest) implements Amount {
    @Override
    public Amount plus(Amount other) {
      if (!(other instanceof Extremum extremum) || greatest != extremum.greatest) {
        return null;
      }
      int order = extremum.value.compareTo(value);
      return (greatest ? order > 0 : order < 0) ? extremum : this;
    }

    @Override
    public String text() {
      return value.toPlainString();
    }
  }
}
