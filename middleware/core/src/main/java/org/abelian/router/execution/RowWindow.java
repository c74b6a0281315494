package org.abelian.router.execution;

/**
 * Which of the rows that nodes give one after the other the client gets: those behind the first
 * ones, up to so many. Not thread-safe.
 */
public final class RowWindow {
  private long skips;
  private final long end;
  private long left;
  private int filled;

  /** Leaves out the first ones and lets so many pass. */
  public RowWindow(long skipped, long rows) {
    skips = skipped;
    left = rows;
    end = rows > Long.MAX_VALUE - skipped ? Long.MAX_VALUE : skipped + rows;
  }

  /** A row has come; true when the client gets it. */
  boolean passes() {
    if (skips > 0) {
      skips--;
      return false;
    }
    if (left == 0) {
      return false;
    }
    left--;
    return true;
  }

  /** A node has given all of its rows; so many. */
  void ends(long rows) {
    if (rows >= end) {
      filled++;
    }
  }

  /** How many of the nodes have given as many rows as the client wants of all. */
  public int filled() {
    return filled;
  }

  /** True when no row passes any more. */
  public boolean isOver() {
    return left == 0;
  }
}
