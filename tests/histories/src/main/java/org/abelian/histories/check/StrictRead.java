package org.abelian.histories.check;

import java.util.Objects;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.ColumnSet;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.Statement;

/**
 * A read of one row under {@link Reads#STRICT}. NULL is no object: it is read under the snapshot
 * and not held.
 *
 * @param at the reader
 * @param newest what it must not differ from, with the transaction's own effects
 */
record StrictRead(Progress at, State newest, Level level) {
  /**
   * The row as the statement sees it.
   *
   * @param shown what the snapshot shows
   * @return null if it cannot have been answered
   */
  Row seen(Row shown) {
    if (shown == null || objects(shown) == ColumnSet.NONE) {
      return shown;
    }
    Row now = newest.byIncarnation(shown.incarnation());
    if (now == null
        || !Objects.equals(now.get(Column.STATUS), shown.get(Column.STATUS))
        || !Objects.equals(now.get(Column.NOTE), shown.get(Column.NOTE))) {
      return null;
    }
    Row seen = shown;
    for (Column column : Column.values()) {
      if (column.isAbelian() && shown.get(column) != null) {
        seen = seen.with(column, now.get(column));
      }
    }
    return seen;
  }

  /** What stays as it was read until the transaction ends; null if nothing does. */
  Effect hold(Statement.Select select, Row seen) {
    int changed =
        level == Level.SERIALIZABLE ? ColumnSet.NONE : ColumnSet.whole(at.changedColumns(seen));
    int objects = objects(seen);
    boolean holds =
        (Semantics.reading(select, seen, objects).footprint().reads() & objects) != ColumnSet.NONE;
    int kept = changed | (holds ? ColumnSet.EXISTENCE | objects : ColumnSet.NONE);
    return kept == ColumnSet.NONE ? null : Semantics.reading(select, seen, kept);
  }

  /** The columns that are objects. */
  private static int objects(Row row) {
    int columns = ColumnSet.NONE;
    for (Column column : Column.values()) {
      if (column.isAbelian() && row.get(column) != null) {
        columns |= ColumnSet.of(column);
      }
    }
    return columns;
  }
}
