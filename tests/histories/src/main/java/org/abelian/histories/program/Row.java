package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

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

  public static Row of(
      int id, String incarnation, String status, BigDecimal note, BigDecimal c, BigDecimal d) {
    return new Row(id, incarnation, Arrays.asList(status, note, c, d));
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

  /** What a client sees of this row. */
  public Tuple project(List<Column> columns) {
    List<Object> seen = new ArrayList<>();
    for (Column column : columns) {
      seen.add(get(column));
    }
    return new Tuple(id, seen);
  }
}
