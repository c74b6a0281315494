package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * WHERE clause: some ids, and perhaps a plain column, a counter or an element.
 *
 * @param ids keys, ascending
 * @param status required status, or null
 * @param counterBelow bound that the counter must lie under, or null
 * @param contained what a collection must contain, or null
 */
public record Condition(
    List<Integer> ids, String status, BigDecimal counterBelow, Element contained) {
  /** An element of a collection. */
  public record Element(Column column, String name) {
    /** Whether the row has it. */
    public boolean isIn(Row row) {
      Object value = row.get(column);
      return value instanceof Map<?, ?> map
          ? map.containsKey(name)
          : ((Collection<?>) value).contains(name);
    }

    /** The element as a set of columns. */
    public int reads() {
      return ColumnSet.of(column, name);
    }
  }

  public static Condition ids(List<Integer> ids) {
    return new Condition(ids, null, null, null);
  }

  public boolean matches(Row row) {
    if (!ids.contains(row.id()) || status != null && !status.equals(row.get(Column.STATUS))) {
      return false;
    }
    if (contained != null && !contained.isIn(row)) {
      return false;
    }
    BigDecimal counter = row.number(Column.COUNTER);
    return counterBelow == null || counter != null && counter.compareTo(counterBelow) < 0;
  }

  /** The same, whatever is in the Abelian columns. */
  public Condition onPlainColumns() {
    return new Condition(ids, status, null, null);
  }

  /** Columns beside the key whose change can change the answer. */
  public int reads() {
    return ColumnSet.EXISTENCE
        | (status == null ? 0 : ColumnSet.of(Column.STATUS))
        | (counterBelow == null ? 0 : ColumnSet.of(Column.COUNTER))
        | (contained == null ? 0 : contained.reads());
  }
}
