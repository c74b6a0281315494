package org.abelian.histories.program;

/** A set of columns, elements of columns, and of the row's existence, as bits. */
public final class ColumnSet {
  public static final int NONE = 0;

  /** Whether the row is there at all; inserts and deletes write it, everything else reads it. */
  public static final int EXISTENCE = 1 << start(Column.values().length);

  public static final int ALL = (EXISTENCE << 1) - 1;

  /** The elements of all columns that have elements. */
  public static final int ELEMENTS =
      of(Column.TAGS) | of(Column.SCORES) | of(Column.COUNTS) | of(Column.ENTRIES);

  private ColumnSet() {}

  /** The first bit of the column with this number. */
  private static int start(int ordinal) {
    int bits = 0;
    for (int i = 0; i < ordinal; i++) {
      bits += width(Column.values()[i]);
    }
    return bits;
  }

  private static int width(Column column) {
    return column.hasElements() ? Column.ELEMENTS.size() : 1;
  }

  /** The column with all its elements. */
  public static int of(Column column) {
    return (1 << width(column)) - 1 << start(column.ordinal());
  }

  /** One element of the column; all of it if that is null. */
  public static int of(Column column, String element) {
    return element == null
        ? of(column)
        : 1 << start(column.ordinal()) + Column.ELEMENTS.indexOf(element);
  }

  /** The columns of which something is in the set. */
  public static int whole(int set) {
    int columns = set & EXISTENCE;
    for (Column column : Column.values()) {
      if ((set & of(column)) != NONE) {
        columns |= of(column);
      }
    }
    return columns;
  }
}
