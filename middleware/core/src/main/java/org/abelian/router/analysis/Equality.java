package org.abelian.router.analysis;

import java.util.List;

/**
 * Columns that must be equal to each other for a row to matter, and the values that they must
 * equal.
 *
 * @param columns all equal to each other
 * @param values each of them equal to the columns
 * @param in lists of which one member equals the columns; each list must hold
 */
public record Equality(List<ColumnReference> columns, List<Value> values, List<List<Value>> in) {
  /** Copies the lists. */
  public Equality {
    columns = List.copyOf(columns);
    values = List.copyOf(values);
    in = in.stream().map(List::copyOf).toList();
  }
}
