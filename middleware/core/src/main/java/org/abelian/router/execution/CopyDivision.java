package org.abelian.router.execution;

import java.util.List;

/**
 * How the rows of a COPY are divided among nodes. The array is not to be changed.
 *
 * @param format of its lines; null when the data are binary
 * @param width how many columns a row has
 * @param columns the places of the distribution columns in a line, from 0; -1, -2 ... for columns
 *     that the router adds
 * @param forced what may stand for NULL in each of these
 * @param key null when every node gets every row
 * @param added how many columns the router adds
 * @param header what the first line gets if it names columns; null when the router adds none
 */
public record CopyDivision(
    CopyFormat format,
    int width,
    int[] columns,
    List<Force> forced,
    CopyKey key,
    int added,
    String header) {
  /** Which texts stand for NULL. */
  public enum Force {
    /** The one that the format says, if it is not quoted. */
    NONE,
    /** That one, quoted as well. */
    NULL,
    /** None. */
    NOT_NULL
  }

  /** Copies the list. */
  public CopyDivision {
    forced = List.copyOf(forced);
  }

  Force force(int column) {
    return column < forced.size() ? forced.get(column) : Force.NONE;
  }
}
