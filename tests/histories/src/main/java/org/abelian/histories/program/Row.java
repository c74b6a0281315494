package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One row as the checker knows it. A row that is deleted and inserted again has the same id and
 * another incarnation, since an UPDATE that waited for the first must not touch the second.
 *
 * @param id key within the history, from 1
 * @param incarnation which insertion made the row
 * @param values one per {@link Column}, in order; numbers at {@link Column#SCALE}, or null
 */
public record Row(int id, String incarnation, List<Object> values) {
  public Row {
    values = Collections.unmodifiableList(new ArrayList<>(values));
  }

  /** A row whose other columns are zero and empty. */
  public static Row of(int id, String status, BigDecimal note, Set<String> tags) {
    BigDecimal zero = Column.number(0);
    return new Row(
        id, "", List.of(status, note, zero, zero, zero, tags, Map.of(), Map.of(), Map.of()));
  }

  public Object get(Column column) {
    return values.get(column.ordinal());
  }

  public BigDecimal number(Column column) {
    return (BigDecimal) get(column);
  }

  public Row with(Column column, Object value) {
    List<Object> changed = new ArrayList<>(values);
    changed.set(column.ordinal(), value);
    return new Row(id, incarnation, changed);
  }

  /**
   * What a client sees of this row.
   *
   * @param asked the last that it sees is whether this is in the row, unless it is null
   */
  public Tuple project(List<Column> columns, Condition.Element asked) {
    List<Object> seen = new ArrayList<>();
    for (Column column : columns) {
      seen.add(get(column));
    }
    if (asked != null) {
      seen.add(asked.isIn(this));
    }
    return new Tuple(id, seen);
  }
}
