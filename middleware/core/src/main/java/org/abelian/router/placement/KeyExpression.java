package org.abelian.router.placement;

/**
 * What of a column counts for the placement of its row.
 *
 * @param operand greater than 0
 */
public record KeyExpression(Operator operator, long operand) {
  /** What is done with the column's value. */
  public enum Operator {
    /** Integer division that truncates. */
    DIVIDE,
    /** Its remainder, which has the sign of the value. */
    REMAINDER,
    /** The first characters of a text. */
    LEFT
  }

  /** Of a number. */
  public long of(long value) {
    return switch (operator) {
      case DIVIDE -> value / operand;
      case REMAINDER -> value % operand;
      case LEFT -> throw new IllegalStateException("a number has no characters");
    };
  }

  /** How many of these bytes, which are UTF-8, count. */
  public int lengthOf(byte[] buffer, int offset, int length) {
    if (operator != Operator.LEFT) {
      throw new IllegalStateException("a text is no number");
    }
    return Utf8.prefix(buffer, offset, length, operand);
  }
}
