package org.abelian.histories.program;

/** A set of columns and of the row's existence, as bits. */
public final class ColumnSet {
  public static final int NONE = 0;

  /** Whether the row is there at all; inserts and deletes write it, everything else reads it. */
  public static final int EXISTENCE = 1 << Column.values().length;

  public static final int ALL = (EXISTENCE << 1) - 1;

  private ColumnSet() {}

  public static int of(Column column) {
    return 1 << column.ordinal();
  }
}
