package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

/**
 * WHERE clause: some ids, and perhaps a plain column, a counter or an element.
 *
 * @param ids keys, ascending
 * @param status required status, or null
 * @param counterBelow bound that the counter must lie under, or null
 * @param tag what the set must contain, or null
 */
public record Condition(List<Integer> ids, String status, BigDecimal counterBelow, String tag) {
  public static Condition ids(List<Integer> ids) {
    return new Condition(ids, null, null, null);
  }

  public boolean matches(Row row) {
    if (!ids.contains(row.id()) || status != null && !status.equals(row.get(Column.STATUS))) {
      return false;
    }
    if (tag != null && !((Set<?>) row.get(Column.TAGS)).contains(tag)) {
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
        | (tag == null ? 0 : ColumnSet.of(Column.TAGS, tag));
  }
}
