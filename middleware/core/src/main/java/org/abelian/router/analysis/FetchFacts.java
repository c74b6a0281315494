package org.abelian.router.analysis;

/**
 * What FETCH or MOVE asks for.
 *
 * @param direction from where, and to which side, rows are counted
 * @param count how many, or the number of the one row that is wanted; negative for the other side
 * @param moves true when the rows themselves are not wanted
 */
public record FetchFacts(Direction direction, long count, boolean moves) {
  /** From where, and to which side, rows are counted. */
  public enum Direction {
    /** Rows after the present one. */
    FORWARD,
    /** Rows before the present one. */
    BACKWARD,
    /** One row, counted from the first one, or from behind the last one. */
    ABSOLUTE,
    /** One row, counted from the present one. */
    RELATIVE
  }

  /** What asks for all rows. */
  public static final long ALL = Long.MAX_VALUE;
}
